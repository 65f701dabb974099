package source

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	smallTable = `<row r="1"><c t="str"><v>Ref</v></c><c t="str"><v>Name</v></c></row><row r="2"><c><v>1</v></c><c><v>2</v></c></row>`
	otherTable = `<row r="1"><c t="str"><v>Our Réf.</v></c><c t="str"><v>MARK</v></c></row><row r="2"><c><v>3</v></c><c><v>4</v></c></row>`
	readMe     = `<row r="1"><c t="str"><v>Read me</v></c></row><row r="2"><c t="str"><v>please</v></c></row>`
)

func sheetsBytes(tb testing.TB, sheets ...sheetSpec) []byte {
	return archiveOf(tb, bookParts(testStyles, "", "", sheets...))
}

func TestTheRightSheetIsChosen(t *testing.T) {
	t.Parallel()
	several := []sheetSpec{{name: "Cover"}, {name: "Notes", data: readMe}, {name: "Old", data: smallTable, state: "hidden"},
		{name: "Secret", data: smallTable, state: "veryHidden"}, {name: "Matters", data: smallTable}, {name: "Marks 2023", data: otherTable}, {name: "Marks 2024/25", data: otherTable}, {name: "7", data: smallTable}}
	tests := []struct {
		name     string
		sheets   []sheetSpec
		o        Options
		want     []string
		why      string
		warnings []string
	}{
		{name: "the first visible table", sheets: several, want: []string{"Matters"}, why: "the first visible sheet with a table", warnings: []string{"several_sheets"}},
		{name: "the only table", sheets: several[:5], want: []string{"Matters"}, why: "the first visible sheet with a table"},
		{name: "content when nothing is a table", sheets: several[:2], want: []string{"Notes"}, why: "the first visible sheet with content"},
		{name: "by name", sheets: several, o: Options{Sheet: "Marks 2023"}, want: []string{"Marks 2023"}, why: "configured by name", warnings: []string{"sheets_left"}},
		{name: "by name in another case", sheets: several, o: Options{Sheet: " marks 2023 "}, want: []string{"Marks 2023"}, why: "configured by name", warnings: []string{"sheets_left"}},
		{name: "a hidden one by name", sheets: several, o: Options{Sheet: "Old"}, want: []string{"Old"}, why: "configured by name", warnings: []string{"hidden_sheet", "sheets_left"}},
		{name: "by number", sheets: several, o: Options{Sheet: "5"}, want: []string{"Matters"}, why: "configured by number", warnings: []string{"sheets_left"}},
		{name: "a name that is a number", sheets: several, o: Options{Sheet: "7"}, want: []string{"7"}, why: "configured by name", warnings: []string{"sheets_left"}},
		{name: "by pattern", sheets: several, o: Options{Sheet: "marks*"}, want: []string{"Marks 2023", "Marks 2024/25"}, why: "matches the configured pattern"},
		{name: "by a pattern over a slash", sheets: several, o: Options{Sheet: "*2024/2?"}, want: []string{"Marks 2024/25"}, why: "matches the configured pattern", warnings: []string{"sheets_left"}},
		{name: "all visible ones", sheets: several[1:6], o: Options{Sheet: "*"}, want: []string{"Notes", "Matters", "Marks 2023"}, why: "matches the configured pattern"},
		{name: "the one whose header fits", sheets: several[:6], o: Options{Columns: []string{"our ref", "Mark"}}, want: []string{"Marks 2023"}, why: "its header fits the columns asked for"},
		{name: "all of one header", sheets: several, o: Options{Columns: []string{"our ref", "Mark"}, Alike: true}, want: []string{"Marks 2023", "Marks 2024/25"}, why: "it has the header of the others"},
		{name: "by several names", sheets: several, o: Options{Sheet: "7 | matters"}, want: []string{"Matters", "7"}, why: "configured by name"},
		{name: "by patterns and names", sheets: several, o: Options{Sheet: "marks* | Marks 2023"}, want: []string{"Marks 2023", "Marks 2024/25"}, why: "configured by name"},
		{name: "the one whose header fits best", sheets: several[:6], o: Options{Columns: []string{"Ref", "Name", "MARK"}}, want: []string{"Matters"}, why: "its header fits the columns asked for"},
		{name: "a table when no header fits", sheets: several[:6], o: Options{Columns: []string{"Nothing"}}, want: []string{"Matters"}, why: "the first visible sheet with a table", warnings: []string{"several_sheets"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tables, err := openBytes(sheetsBytes(t, test.sheets...), test.o)
			if err != nil {
				t.Fatal(err)
			}
			var names, codes []string
			for i, table := range tables {
				var d Detected
				table.describe(&d)
				names = append(names, table.sheet())
				if d.SheetWhy != test.why {
					t.Errorf("the sheet %q was chosen because %q, want %q", table.sheet(), d.SheetWhy, test.why)
				}
				for _, w := range d.Warnings {
					if i == 0 {
						codes = append(codes, w.Code)
					}
				}
				if err := table.close(); err != nil {
					t.Error(err)
				}
			}
			if diff := cmp.Diff(test.want, names); diff != "" {
				t.Errorf("sheets (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.warnings, codes); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSheetsOfOneHeaderAreNotLeftOut shows that a reader who asks for columns gets all sheets that have them, or is told how to.
func TestSheetsOfOneHeaderAreNotLeftOut(t *testing.T) {
	t.Parallel()
	sheet := func(name string) sheetSpec { return sheetSpec{name: name, data: smallTable} }
	for setting, sheets := range map[string][]sheetSpec{
		"Matters *":     {{name: "Notes", data: readMe}, sheet("Matters 2023"), sheet("Matters 2024")},
		"*":             {sheet("Acme"), sheet("Birch")},
		"Acme | Birch":  {{name: "Notes", data: readMe}, sheet("Acme"), sheet("Birch")},
		"Acme | Apogee": {sheet("Acme"), sheet("Apogee"), {name: "About", data: otherTable}},
	} {
		wanted := Options{Columns: []string{"Ref", "Name"}}
		_, err := openBytes(sheetsBytes(t, sheets...), wanted)
		wantRefusal(t, err, "2 sheets have the same header")
		if refused := (*Error)(nil); errors.As(err, &refused) && !strings.Contains(refused.Hint, "set sheet: "+strconv.Quote(setting)) {
			t.Errorf("the hint is %q, want it to name %q", refused.Hint, setting)
		}
		wanted.Sheet = setting
		tables, err := openBytes(sheetsBytes(t, sheets...), wanted)
		if err != nil || len(tables) != 2 {
			t.Errorf("%s: %d sheets are read: %v", setting, len(tables), err)
		}
	}
	if _, err := openBytes(sheetsBytes(t, sheet("Acme"), sheetSpec{name: "Lists", data: smallTable, state: "hidden"},
		sheetSpec{name: "Template", data: smallTable[:strings.Index(smallTable, "<row r=\"2\"")]}), Options{Columns: []string{"Ref", "Name"}}); err != nil {
		t.Errorf("a hidden sheet, or one without rows: %v", err)
	}
}

func TestSheetsThatAreNotThere(t *testing.T) {
	t.Parallel()
	book := []sheetSpec{{name: "Matters", data: smallTable}, {name: "Lists", data: smallTable, state: "hidden"}}
	tests := []struct {
		name, wanted, words string
		sheets              []sheetSpec
	}{
		{"an unknown name", "Matter", `no sheet "Matter"`, book},
		{"a number too high", "3", `no sheet "3"`, book},
		{"number zero", "0", `no sheet "0"`, book},
		{"a pattern that fits nothing visible", "L*", `no sheet "L*"`, book},
		{"an empty workbook", "", "no visible sheet of the workbook holds a cell", []sheetSpec{{name: "Empty"}}},
		{"only hidden content", "", "no visible sheet of the workbook holds a cell", book[1:]},
		{"no sheets at all", "", "no sheets", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := openBytes(sheetsBytes(t, test.sheets...), Options{Sheet: test.wanted})
			wantRefusal(t, err, test.words)
		})
	}
}

func TestAChartIsNoTable(t *testing.T) {
	t.Parallel()
	parts := bookParts("", "", "", sheetSpec{name: "Chart", data: smallTable}, sheetSpec{name: "Data", data: otherTable})
	parts["xl/_rels/workbook.xml.rels"] = `<Relationships><Relationship Id="s1" Type="x/chartsheet" Target="chartsheets/sheet1.xml"/><Relationship Id="s2" Type="x/worksheet" Target="worksheets/sheet2.xml"/></Relationships>`
	if got := openOne(t, archiveOf(t, parts), Options{}).sheet(); got != "Data" {
		t.Errorf("the sheet %q was chosen", got)
	}
	_, err := openBytes(archiveOf(t, parts), Options{Sheet: "Chart"})
	wantRefusal(t, err, "holds a chart")
}

func TestSheetsOfOnePatternCloseIndependently(t *testing.T) {
	t.Parallel()
	o := Options{Sheet: "*"}
	if err := o.validate(); err != nil {
		t.Fatal(err)
	}
	path := writeFile(t, t.TempDir(), "two.xlsx", sheetsBytes(t, sheetSpec{name: "A", data: smallTable}, sheetSpec{name: "B", data: smallTable}), 0o600)
	tables, err := openWorkbook(t.Context(), path, o)
	if err != nil || len(tables) != 2 {
		t.Fatalf("%d sheets, error %v", len(tables), err)
	}
	if err := tables[0].close(); err != nil {
		t.Fatal(err)
	}
	if got := len(mustRows(t, tables[1])); got != 2 {
		t.Errorf("%d rows of the second sheet are read after the first was closed", got)
	}
	if err := tables[1].close(); err != nil {
		t.Fatal(err)
	}
}
