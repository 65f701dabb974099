package samples_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"docketsync/importer/source"
	"docketsync/mapping"
	"docketsync/mapping/infer"
	"docketsync/mapping/lookup"
	tabled "docketsync/mapping/table"
)

// officeMark is a mark as an office publishes it; what is not filled in is left out.
type officeMark struct {
	Application, Registration, Filed, Registered, Expires, Status, Office, Text string
	Classes                                                                     []officeClass
}

type officeClass struct{ Number, Goods string }

// officeMarks are so many marks, made up.
func officeMarks(n int) iter.Seq[officeMark] {
	words := strings.Fields("ASHBROOK Gläsern NORD&SÜD Pêche <KITE> Marlowe OVAL TERN Łódka QUAY")
	return func(yield func(officeMark) bool) {
		for at := range n {
			filed := time.Date(1998, 1, 5, 0, 0, 0, 0, time.UTC).AddDate(0, 0, at%9000)
			m := officeMark{Application: fmt.Sprintf("%08d", 40_000+at), Filed: filed.Format(time.DateOnly), Status: "Pending", Office: []string{"GB", "EM", "DE"}[at%3],
				Text: words[at%len(words)] + " " + words[at/len(words)%len(words)]}
			if at%4 != 0 {
				registered := filed.AddDate(0, 9, 3)
				m.Registration, m.Registered, m.Status = "R"+m.Application, registered.Format(time.DateOnly), "Registered"
				m.Expires = filed.AddDate(10, 0, 0).Format(time.DateOnly)
			}
			for class := range 1 + at%3 {
				m.Classes = append(m.Classes, officeClass{fmt.Sprint(1 + (at+16*class)%45), fmt.Sprintf("Goods %d; goods & services of %s", class, m.Text)})
			}
			if !yield(m) {
				return
			}
		}
	}
}

// element is an element with a text, nothing where that is empty.
func element(name, text string) string {
	if text == "" {
		return ""
	}
	var out strings.Builder
	if err := xml.EscapeText(&out, []byte(text)); err != nil {
		panic(err) // a Builder takes all
	}
	return "<" + name + ">" + out.String() + "</" + name + ">\n"
}

// st96File and st66File are marks in the two forms of the offices.
func st96File(marks iter.Seq[officeMark]) []byte {
	var out strings.Builder
	out.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<tmk:TrademarkTransaction xmlns:com="http://www.wipo.int/standards/XMLSchema/ST96/Common" xmlns:tmk="http://www.wipo.int/standards/XMLSchema/ST96/Trademark">` + "\n<tmk:TrademarkBag>\n")
	for m := range marks {
		out.WriteString("<tmk:Trademark>\n" + element("com:RegistrationOfficeCode", m.Office))
		out.WriteString("<com:ApplicationNumber>" + element("com:ApplicationNumberText", m.Application) + "</com:ApplicationNumber>\n")
		out.WriteString(element("com:RegistrationNumber", m.Registration) + element("tmk:ApplicationDate", m.Filed) + element("com:RegistrationDate", m.Registered) +
			element("com:ExpiryDate", m.Expires) + element("tmk:MarkCurrentStatusCode", m.Status))
		out.WriteString("<tmk:MarkRepresentation><tmk:MarkReproduction><tmk:WordMarkSpecification>\n" + element("tmk:MarkSignificantVerbalElementText", m.Text) +
			"</tmk:WordMarkSpecification></tmk:MarkReproduction></tmk:MarkRepresentation>\n<tmk:GoodsServicesBag><tmk:GoodsServices><tmk:ClassDescriptionBag>\n")
		for _, c := range m.Classes {
			goods := strings.Replace(element("tmk:GoodsServicesDescriptionText", c.Goods), ">", ` com:languageCode="en">`, 1)
			out.WriteString("<tmk:ClassDescription>" + element("tmk:ClassNumber", c.Number) + goods + "</tmk:ClassDescription>\n")
		}
		out.WriteString("</tmk:ClassDescriptionBag></tmk:GoodsServices></tmk:GoodsServicesBag>\n</tmk:Trademark>\n")
	}
	out.WriteString("</tmk:TrademarkBag>\n</tmk:TrademarkTransaction>\n")
	return []byte(out.String())
}

func st66File(marks iter.Seq[officeMark]) []byte {
	var out strings.Builder
	out.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<Transaction xmlns="http://www.wipo.int/standards/XMLSchema/trademarks">` + "\n<TradeMarkTransactionBody><TransactionContentDetails><TransactionData><TradeMarkDetails>\n")
	for m := range marks {
		out.WriteString("<TradeMark>\n" + element("RegistrationOfficeCode", m.Office) + element("ApplicationNumber", m.Application) + element("RegistrationNumber", m.Registration) +
			element("ApplicationDate", m.Filed) + element("RegistrationDate", m.Registered) + element("ExpiryDate", m.Expires) + element("MarkCurrentStatusCode", m.Status) +
			"<WordMarkSpecification>" + element("MarkVerbalElementText", m.Text) + "</WordMarkSpecification>\n<GoodsServicesDetails><GoodsServices><ClassDescriptionDetails>\n")
		for _, c := range m.Classes {
			goods := strings.Replace(element("GoodsServicesDescription", c.Goods), ">", ` languageCode="en">`, 1)
			out.WriteString("<ClassDescription>" + element("ClassNumber", c.Number) + goods + "</ClassDescription>\n")
		}
		out.WriteString("</ClassDescriptionDetails></GoodsServices></GoodsServicesDetails>\n</TradeMark>\n")
	}
	out.WriteString("</TradeMarkDetails></TransactionData></TransactionContentDetails></TradeMarkTransactionBody>\n</Transaction>\n")
	return []byte(out.String())
}

// officeTable are the same marks as a table, with the columns that the files have.
func officeTable(marks iter.Seq[officeMark]) [][]string {
	list := [][]string{{"Application date", "Application number", "Expiry date", "Mark", "Office", "Registration date", "Registration number", "Status", "Classes and goods", "Language of goods"}}
	for m := range marks {
		var classes []string
		for _, c := range m.Classes {
			classes = append(classes, c.Number+": "+c.Goods)
		}
		list = append(list, []string{m.Filed, m.Application, m.Expires, m.Text, m.Office, m.Registered, m.Registration, m.Status, strings.Join(classes, "\n"), "en"})
	}
	return list
}

// officeSamples is how many marks the files in the folder have.
const officeSamples = 12

// TestTrademarkFilesOfOfficesGiveThePayloadsOfATable reads a docket of 10,000 marks in both forms of the offices and as CSV, by the
// mapping that is proposed for the first of them: the payloads are the same. The mapping in the folder is the one proposed for the sample.
func TestTrademarkFilesOfOfficesGiveThePayloadsOfATable(t *testing.T) {
	t.Parallel()
	const many = 10_000
	dir := t.TempDir()
	files := map[string][]byte{"st96.xml": st96File(officeMarks(many)), "st66.xml": st66File(officeMarks(many)), "docket.csv": delimited(t, officeTable(officeMarks(many)), ',', "\n")}
	for name, content := range files {
		write(t, filepath.Join(dir, name), content)
	}
	p := proposedFor(t, filepath.Join(dir, "st96.xml"))
	want := payloadsOf(t, p, filepath.Join(dir, "docket.csv"))
	if len(want) != many {
		t.Fatalf("%d payloads", len(want))
	}
	for _, name := range []string{"st96.xml", "st66.xml"} {
		if got := payloadsOf(t, p, filepath.Join(dir, name)); !slices.Equal(got, want) {
			t.Errorf("%s: %s", name, cmp.Diff(want[:20], got[:min(20, len(got))]))
		}
	}
}

// TestSampleFilesOfOffices keeps the proposal for the samples and what it makes of them as they are written down.
func TestSampleFilesOfOffices(t *testing.T) {
	t.Parallel()
	p := proposedFor(t, "offices/st96.xml")
	expected, err := json.MarshalIndent(payloadsIn(t, p, "offices/st96.xml"), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"offices/mapping.yaml": p.Mapping, "offices/expected.json": string(expected) + "\n"} {
		if *accept {
			write(t, name, []byte(text))
		}
		if diff := cmp.Diff(string(read(t, name)), text); diff != "" {
			t.Errorf("%s (-want +got): %s", name, diff)
		}
	}
	if diff := cmp.Diff(payloadsOf(t, p, "offices/st96.xml"), payloadsOf(t, p, "offices/st66.xml")); diff != "" {
		t.Error(diff)
	}
}

func openOffice(t *testing.T, path string) *source.Source {
	t.Helper()
	s, err := source.Open(t.Context(), path, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func proposedFor(t *testing.T, path string) infer.Proposal {
	t.Helper()
	s := openOffice(t, path)
	p, err := infer.Propose(infer.Options{File: filepath.Base(path)}, s.Header(), s.Rows(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func payloadsIn(t *testing.T, p infer.Proposal, path string) (list []json.RawMessage) {
	t.Helper()
	for _, text := range payloadsOf(t, p, path) {
		list = append(list, json.RawMessage(text))
	}
	return list
}

// payloadsOf are the payloads of a file by a proposal, with an id for each name of its lookups.
func payloadsOf(t *testing.T, p infer.Proposal, path string) (list []string) {
	t.Helper()
	m, err := mapping.Parse("mapping.yaml", []byte(p.Mapping), mapping.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lookups := map[string]*lookup.Table{}
	for _, l := range p.Lookups {
		lookups[l.Name] = lookup.New(l.Name)
		for _, name := range l.Names {
			if err := lookups[l.Name].Add(name.Text, uuid.NewSHA1(uuid.NameSpaceOID, []byte(name.Text)).String()); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := openOffice(t, path)
	if m.InfersDates() {
		t.Fatalf("dates are not clear:\n%s", p.Mapping)
	}
	mapper, err := m.Bind(s.Header(), lookups)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.Mapping)
	}
	for row, err := range s.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		record, reasons := mapper.Map([]tabled.Row{row})
		if len(reasons) > 0 && len(list) < 3 {
			t.Errorf("row %d: %v\n%s", row.Number, reasons, p.Mapping)
		}
		list = append(list, string(record.Payload))
	}
	return list
}
