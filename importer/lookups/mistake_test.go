package lookups_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"docketsync/config/diagnostic"
	"docketsync/importer/lookups"
	"docketsync/importer/source/sourcetest"
	"docketsync/mapping"
)

// companies is a lookup file without a mistake.
const companies = `Company,Country,Id
ACME Limited,GB,0b5e4c5a-7f11-4b7e-9a55-000000000101
"Solvane, Inc.",US,0b5e4c5a-7f11-4b7e-9a55-000000000102
Lumen GmbH,DE,0b5e4c5a-7f11-4b7e-9a55-000000000103
Norvik AS,NO,0b5e4c5a-7f11-4b7e-9a55-000000000104
Nobody yet,FR,
Nor here
Peñalara SL,ES,0b5e4c5a-7f11-4b7e-9a55-000000000105
Total,FR,0b5e4c5a-7f11-4b7e-9a55-000000000106
`

// lookupMistake is a way in which people get a lookup file wrong. The first group of where is what is changed, and one of the
// words must stand in the first message.
type lookupMistake struct {
	kind   string
	where  *regexp.Regexp
	change func(r *rand.Rand, text string) string
	words  []string
}

func instead(texts ...string) func(*rand.Rand, string) string {
	return func(r *rand.Rand, _ string) string { return texts[r.IntN(len(texts))] }
}

// spoilt changes one letter of a GUID.
func spoilt(r *rand.Rand, id string) string {
	at := r.IntN(len(id))
	switch r.IntN(3) {
	case 0:
		return id[:at] + id[min(at+1, len(id)):]
	case 1:
		return id[:at] + "x" + id[min(at+1, len(id)):]
	}
	return id[:at] + "00" + id[at:]
}

var anID = regexp.MustCompile(`(0b5e4c5a-7f11-4b7e-9a55-\d{12})`)

var lookupMistakes = []lookupMistake{
	{"an id that is no GUID", anID, spoilt, []string{"is not a GUID"}},
	{"a number for an id", anID, instead("12345", "1"), []string{"is not a GUID"}},
	{"the name again in place of the id", anID, instead("ACME Limited", "see above", "?"), []string{"is not a GUID"}},
	{"a name with a comma without quotes", regexp.MustCompile(`("Solvane, Inc.")`), instead("Solvane, Inc."), []string{"the row has 4 cells and the header 3"}},
	{"a spreadsheet's error for an id", anID, instead("#N/A", "#REF!"), []string{"is not a GUID"}},
	{"a name twice with two ids", regexp.MustCompile(`(?m)^(Lumen GmbH|Norvik AS|Peñalara SL),`), instead("ACME Limited"), []string{"appears twice"}},
	{"an id without a name", regexp.MustCompile(`(?m)^(Lumen GmbH|Norvik AS|Peñalara SL),`), instead("", " "), []string{"id without a name"}},
	{"the column of the ids misspelt", regexp.MustCompile(`(Id)\n`), instead("Ident", "GUIDs of it", "Idd"), []string{`column "id" not found`}},
	{"the column of the names renamed", regexp.MustCompile(`^(Company),`), instead("Compny", "Firm", "Comp any x"), []string{`"Company"`}},
	{"no header", regexp.MustCompile(`^(Company,Country,Id\n)`), instead(""), []string{`"Company"`, `"id"`}},
	{"a quote never closed", regexp.MustCompile(`Inc\.(")`), instead(""), []string{"quote"}},
	{"an empty file", regexp.MustCompile(`(?s)^(.*)$`), instead("", "\n"), []string{"empty", "blank"}},
	{"a page of the web in place of the file", regexp.MustCompile(`(?s)^(.*)$`), instead("<!doctype html><html><body>Sign in</body></html>"), []string{"page", "html", "column"}},
}

// Whatever mistake is made in a lookup file, the message names the file and the line, and the first one the mistake.
func TestLookupMistakesAreNamedInTheFirstMessage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(5, 6))
	type tally struct{ made, named int }
	tallies, total, missed := map[string]*tally{}, tally{}, []string{}
	for attempt := 0; total.made < 500 && attempt < 2_000; attempt++ {
		m := lookupMistakes[attempt%len(lookupMistakes)]
		places := m.where.FindAllStringSubmatchIndex(companies, -1)
		at := places[r.IntN(len(places))]
		before := companies[at[2]:at[3]]
		changed := m.change(r, before)
		err := readLookup(t, dir, companies[:at[2]]+changed+companies[at[3]:])
		if err == nil {
			continue // a GUID may stay one
		}
		if tallies[m.kind] == nil {
			tallies[m.kind] = &tally{}
		}
		tallies[m.kind].made++
		total.made++
		first, named := placedFirst(t, err), false
		for _, word := range m.words {
			named = named || strings.Contains(strings.ToLower(first), strings.ToLower(word))
		}
		if named {
			tallies[m.kind].named++
			total.named++
		} else {
			missed = append(missed, fmt.Sprintf("%s: %q became %q: %v", m.kind, before, changed, err))
		}
	}
	for _, m := range lookupMistakes {
		if n := tallies[m.kind]; n == nil {
			t.Errorf("%s: never made", m.kind)
		} else {
			t.Logf("%-40s %3d of %3d", m.kind, n.named, n.made)
		}
	}
	t.Logf("%-40s %3d of %3d", "in all", total.named, total.made)
	if total.made < 500 || total.named*100 < total.made*98 {
		t.Errorf("the first message names %d of %d mistakes, want 98 of 100:\n%s", total.named, total.made, strings.Join(missed, "\n"))
	}
}

// readLookup reads a text as the lookup file of a job.
func readLookup(t *testing.T, dir, text string) error {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "companies.csv"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := mapping.Parse("m.yaml", []byte("operation: create_case\nkey: Ref\nlookups: {companies: {file: companies.csv, name: Company}}\nfields:\n  name: Ref\n  number: Ref\n"+
		"  active: {value: true}\n  file_template_id: {value: 0b5e4c5a-7f11-4b7e-9a55-000000000001}\n  user_id: {value: 0b5e4c5a-7f11-4b7e-9a55-000000000002}\n  client_id: {column: Client, lookup: companies}\n"), mapping.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = lookups.Sources{MappingDir: dir}.Tables(t.Context(), nil, m.Lookups())
	return err
}

// placedFirst requires a place of every message and returns the first.
func placedFirst(t *testing.T, err error) string {
	t.Helper()
	var faults diagnostic.Faults
	if !errors.As(err, &faults) || len(faults) == 0 {
		t.Fatalf("an error without a place: %v", err)
	}
	for _, fault := range faults {
		if filepath.Base(fault.File) != "companies.csv" || fault.Line < 1 || fault.Column < 1 {
			t.Errorf("a message without a place: %+v", fault)
		}
	}
	return faults[0].Message
}

// The mistakes of all lookup files come at once, each with its line and a caret.
func TestLookupMistakesComeAtOnce(t *testing.T) {
	t.Parallel()
	if err := readLookup(t, t.TempDir(), companies); err != nil {
		t.Fatalf("a lookup without a mistake: %v", err)
	}
	err := readLookup(t, t.TempDir(), strings.NewReplacer("000000000101", "00000000010", "Norvik AS", "Lumen GmbH").Replace(companies))
	for _, want := range []string{
		"companies.csv:2:17: \"0b5e4c5a-7f11-4b7e-9a55-00000000010\", the id of \"ACME Limited\" in the lookup \"companies\", is not a GUID\n" +
			"    ACME Limited,GB,0b5e4c5a-7f11-4b7e-9a55-00000000010\n" +
			"                    ^",
		"companies.csv:5:15: \"Lumen GmbH\" appears twice",
		"it stands first in row 4",
		"(cell C5)",
	} {
		if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%v\nlacks %q", err, want)
		}
	}
	dir := t.TempDir()
	m, err := mapping.Parse("m.yaml", []byte("operation: create_case\nkey: Ref\nlookups: {a: nowhere.csv, b: nowhere.xlsx}\nfields:\n  name: Ref\n  number: Ref\n"+
		"  active: {value: true}\n  file_template_id: {column: T, lookup: a}\n  user_id: {column: U, lookup: b}\n"), mapping.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = lookups.Sources{MappingDir: dir}.Tables(t.Context(), nil, m.Lookups())
	for _, want := range []string{"nowhere.csv:1:1: lookup a: ", "nowhere.xlsx:1:1: lookup b: "} {
		if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%v\nlacks %q", err, want)
		}
	}
}

// A lookup is not read by a guess, nor in part: its file is refused, with advice that a lookup can follow.
func TestALookupIsNotReadByAGuess(t *testing.T) {
	t.Parallel()
	const id = "0b5e4c5a-7f11-4b7e-9a55-00000000010"
	row := func(visible, name, id string) string {
		return `<table:table-row` + visible + `><table:table-cell office:value-type="string"><text:p>` + name + `</text:p></table:table-cell>` +
			`<table:table-cell office:value-type="string"><text:p>` + id + `</text:p></table:table-cell></table:table-row>`
	}
	head := row("", "name", "id")
	clients, users := sourcetest.ODSTable("Clients", head+row("", "Acme", id+"1")), sourcetest.ODSTable("Users", head+row("", "Acme", id+"2"))
	hidden := sourcetest.ODSTable("Clients", head+row("", "Acme", id+"1")+row(` table:visibility="filter"`, "Birch", id+"2"))
	for name, test := range map[string]struct {
		file, text, more string
		want             []string
	}{
		"two sheets of names":         {"n.ods", string(sourcetest.ODS(t, clients+users)), "", []string{`"Clients", "Users"`, "set sheet to its name"}},
		"a sheet beside it":           {"n.ods", string(sourcetest.ODS(t, clients+sourcetest.ODSTable("Offices", row("", "Office", "Town")+row("", "Main", "Oslo")))), "", nil},
		"two sheets, columns named":   {"n.ods", string(sourcetest.ODS(t, clients+users)), ", name: name", []string{`"Clients", "Users"`, "set sheet to its name"}},
		"two sheets, one named":       {"n.ods", string(sourcetest.ODS(t, clients+users)), ", sheet: Users", nil},
		"a row that is filtered out":  {"n.ods", string(sourcetest.ODS(t, hidden)), "", nil},
		"another encoding than UTF-8": {"n.csv", "name;id\n\xc4cme;" + id + "1\n", "", nil}, // a name that is read otherwise is not found
		"a quote within a cell":       {"n.csv", "name,id\n\"Acme \"Inc\"\"," + id + "1\n", "", []string{"n.csv:2:1: lookup names: there is a quote", "put the whole cell in quotes."}},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, test.file), []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := mapping.Parse("m.yaml", []byte("operation: create_folder\nkey: Ref\nlookups: {names: {file: "+test.file+test.more+"}}\nfields: {name: Ref, client_id: {column: C, lookup: names}, files: {item: {name: M, number: N}}}\n"), mapping.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tables, err := lookups.Sources{MappingDir: dir}.Tables(t.Context(), nil, m.Lookups())
		if (err != nil) != (test.want != nil) {
			t.Errorf("%s: %v, %v", name, tables, err)
		}
		for _, want := range test.want {
			if !strings.Contains(fmt.Sprint(err), want) || strings.Contains(fmt.Sprint(err), "lenient") || strings.Contains(fmt.Sprint(err), "encoding:") {
				t.Errorf("%s: %v\nlacks %q", name, err, want)
			}
		}
	}
}

// TestAHiddenSheetThatIsTheLookupIsNamed with the setting that reads it.
func TestAHiddenSheetThatIsTheLookupIsNamed(t *testing.T) {
	t.Parallel()
	dir, cover := t.TempDir(), strings.ReplaceAll(sourcetest.SmallTable, "Ref", "Contact")
	names := strings.NewReplacer("Ref", "Company", "Name", "Id").Replace(sourcetest.SmallTable)
	book := sourcetest.Archive(t, sourcetest.Book(sourcetest.Styles, "", "", sourcetest.Sheet{Name: "Cover", Data: cover}, sourcetest.Sheet{Name: "Data", Data: names, State: "hidden"}))
	if err := readLookup(t, dir, string(book)); err == nil || !strings.Contains(err.Error(), `The file has: Contact, Name; the hidden sheet "Data" has 2 of the 2 columns`) || !strings.HasSuffix(err.Error(), `set sheet: "Data".`) {
		t.Errorf("got %v", err)
	}
}
