package samples_test

import (
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// firm is the namespace of all ids: an id is made of what it is the id of, so that it never changes between two
// generations.
var firm = uuid.NewSHA1(uuid.NameSpaceURL, []byte("https://marlowe-quintana.example/"))

func guid(kind, name string) string {
	return uuid.NewSHA1(firm, []byte(kind+"/"+name)).String()
}

type person struct{ initials, first, last, role, office string }

var people = []person{
	{"API", "Docketsync", "Import", "service", "London"},
	{"MBA", "Margaret", "Ballantyne", "partner", "London"},
	{"OKO", "Oluwaseun", "Okonjo", "associate", "London"},
	{"PHW", "Penelope", "Hathaway-Wren", "paralegal", "London"},
	{"RFE", "Rafael", "Ferrer Echeverría", "partner", "Madrid"},
	{"LNI", "Lucía", "Núñez Ibarra", "associate", "Madrid"},
	{"JWE", "Jörg", "Weißenfels", "partner", "München"},
	{"KST", "Katharina", "Stürmer", "associate", "München"},
	{"AHÖ", "Anton", "Höllriegl", "partner", "Wien"},
	{"BDA", "Beatriz", "d'Ávila Moura", "partner", "São Paulo"},
	{"TCA", "Thiago", "Caldeira", "paralegal", "São Paulo"},
	{"ELB", "Éloïse", "Lefèvre-Brun", "associate", "Paris"},
	{"SVA", "Søren", "Vangsgaard", "associate", "København"},
}

type company struct {
	number, name string
	agent        bool
}

var companies = []company{
	{"00112", "Ashcombe Tea Company Ltd", true},
	{"00118", "Norvik Sjømat AS", true},
	{"00203", "Käthe Rühmann Naturkosmetik GmbH", true},
	{"00241", "Bodegas Peñalara y Hijos, S.L.", true},
	{"00305", "Cervejaria Pedra Branca Ltda.", true},
	{"00317", "Zwettltal Mühlenwerke AG", true},
	{"00402", "Loopfield Software, Inc.", true},
	{"00417", "Atelier Saint-Cyr SARL", true},
	{"00433", "Tomé & Irmãos Calçados, S.A.", true},
	{"00508", "Ørsholm Cykler A/S", true},
	{"00521", "Pfänder Outdoor GmbH & Co. KG", true},
	{"00560", "Yūgen Ceramics K.K.", true},
	{"00614", "Almazara Sierra del Sur, S.A.", true},
	{"00639", "Wrenfield Toys plc", true},
	{"00702", "Medisolve Healthcare B.V.", true},
	{"00755", "Pivovar Kovářov s.r.o.", true},
	{"00771", "Lindhaga Audio AB", true},
	{"00804", "Trattoria Borgo Nuovo S.r.l.", true},
	{"00826", "Solvane Energy Ltd", true},
	{"00849", "Farmacéutica Costa Cantábrica, S.A.", true},
	{"00903", "Qalb Coffee Roasters LLC", true},
	{"00931", "Młyn Stary Sp. z o.o.", true},
	{"00950", "Ashcombe Holdings (Jersey) Ltd", false},
}

func clientName(number string) string {
	for _, c := range companies {
		if c.number == number {
			return c.name
		}
	}
	return ""
}

// component is a component of a case template, as sandbox.json spells it.
type component struct {
	name, description, entity, value string
	required, several                bool
}

type template struct {
	name        string
	base, marks bool
	components  []component
}

var templates = []template{
	{name: "General advice", base: true, components: []component{
		{name: "Subject", description: "What the client asked", value: "string"},
	}},
	{name: "Trademark filing", marks: true, components: []component{
		{name: "Filing number", description: "Number given by the office", value: "string", required: true},
		{name: "Filing date", description: "Day of filing", value: "date-time"},
		{name: "Next deadline", description: "Nearest date in the docket", value: "date-time"},
		{name: "Registry", description: "Office of the application", entity: "registry", required: true},
		{name: "Paralegal", description: "Who keeps the docket", entity: "user"},
		{name: "Budget", description: "Agreed budget in euro, without tax", value: "decimal"},
	}},
	{name: "Trademark opposition", components: []component{
		{name: "Opposition number", description: "Number given by the office", value: "string", required: true},
		{name: "Registry", description: "Office of the proceedings", entity: "registry", required: true},
	}},
	{name: "Patent prosecution", components: []component{
		{name: "Application number", description: "Number given by the office", value: "string"},
	}},
	{name: "Design registration", components: []component{
		{name: "Locarno class", description: "Class of the Locarno agreement", value: "string"},
	}},
	{name: "Licence agreement", components: []component{
		{name: "Counterparty", description: "The other side of the agreement", entity: "company"},
	}},
}

// list is one of the service's simple lists: names, with the code by which the firm's exports call each.
type list []struct{ code, name string }

var (
	statuses = list{{"", "New"}, {"", "Filed"}, {"", "Under examination"}, {"", "Published"}, {"", "Opposed"}, {"", "Registered"}, {"", "Abandoned"}, {"", "Closed"}}
	tags     = list{{"", "Priority claimed"}, {"", "Madrid"}, {"", "Urgent"}, {"", "Watch"}, {"", "Key client"}, {"", "Litigation"}, {"", "Pro bono"}}

	registries = list{
		{"EM", "EUIPO"}, {"GB", "UKIPO"}, {"US", "USPTO"}, {"DE", "DPMA"}, {"ES", "OEPM"}, {"FR", "INPI France"},
		{"BR", "INPI Brasil"}, {"AT", "Österreichisches Patentamt"}, {"DK", "DKPTO"}, {"WO", "WIPO"}, {"PT", "INPI Portugal"}, {"MX", "IMPI"},
	}
	registrationTypes = list{{"", "National"}, {"", "European Union"}, {"", "International"}}
	trademarkTypes    = list{{"W", "Word"}, {"F", "Figurative"}, {"C", "Combined"}, {"S", "Sound"}, {"3D", "Three-dimensional"}}
	languages         = list{{"en", "English"}, {"de", "German"}, {"es", "Spanish"}, {"fr", "French"}, {"pt", "Portuguese"}, {"da", "Danish"}, {"it", "Italian"}}
)

// searchClasses are the 45 classes of the Nice classification by number.
func searchClasses() list {
	var classes list
	for n := 1; n <= 45; n++ {
		classes = append(classes, struct{ code, name string }{strconv.Itoa(n), "Class " + strconv.Itoa(n)})
	}
	return classes
}

// records splits a table of lines with cells between bars.
func records(table string) [][]string {
	var rows [][]string
	for line := range strings.SplitSeq(strings.TrimSpace(table), "\n") {
		cells := strings.Split(line, "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows
}
