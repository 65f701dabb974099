package source

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/source/format"
	"docketsync/importer/source/header"
	"docketsync/importer/source/sourcetest"
	"docketsync/mapping/table"
)

const (
	otherTable = `<row r="1"><c t="str"><v>Our Réf.</v></c><c t="str"><v>MARK</v></c></row><row r="2"><c><v>3</v></c><c><v>4</v></c></row>`
	readMe     = `<row r="1"><c t="str"><v>Read me</v></c></row><row r="2"><c t="str"><v>please</v></c></row>`
)

func sheetsBytes(tb testing.TB, sheets ...sourcetest.Sheet) []byte {
	return sourcetest.Archive(tb, sourcetest.Book(sourcetest.Styles, "", "", sheets...))
}

func TestASheetWithoutRejectsIsNoneOfThem(t *testing.T) {
	t.Parallel()
	rejected := strings.Replace(otherTable, "Our Réf.", table.OwnColumn("reasons"), 1)
	_, err := openBytes(sheetsBytes(t, sourcetest.Sheet{Name: "Causes", Data: otherTable}, sourcetest.Sheet{Name: "Rejects", Data: rejected}), Options{Sheet: "causes"})
	if err == nil || !strings.Contains(err.Error(), "this sheet holds no rejected rows") {
		t.Errorf("error %v", err)
	}
}

func TestTheRightSheetIsChosen(t *testing.T) {
	t.Parallel()
	several := []sourcetest.Sheet{{Name: "Cover"}, {Name: "Notes", Data: readMe}, {Name: "Old", Data: sourcetest.SmallTable, State: "hidden"},
		{Name: "Secret", Data: sourcetest.SmallTable, State: "veryHidden"}, {Name: "Matters", Data: sourcetest.SmallTable}, {Name: "Marks 2023", Data: otherTable}, {Name: "Marks 2024/25", Data: otherTable}, {Name: "7", Data: sourcetest.SmallTable}}
	rejected := strings.Replace(otherTable, "Our Réf.", table.OwnColumn("reasons"), 1)
	rejects := []sourcetest.Sheet{{Name: "Causes", Data: otherTable}, {Name: "Rejects", Data: rejected}, {Name: "Corrected", Data: rejected}}
	tests := []struct {
		name     string
		sheets   []sourcetest.Sheet
		o        Options
		want     []string
		why      string
		warnings []string
	}{
		{name: "the first visible table", sheets: several, want: []string{"Matters"}, why: "the first visible sheet with a table", warnings: []string{"sheets_left", "several_sheets"}},
		{name: "the only table", sheets: several[:5], want: []string{"Matters"}, why: "the first visible sheet with a table", warnings: []string{"sheets_left"}},
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
		{name: "by several names", sheets: several, o: Options{Sheet: "7 | matters"}, want: []string{"Matters", "7"}, why: "configured by name", warnings: []string{"sheets_left"}},
		{name: "by patterns and names", sheets: several, o: Options{Sheet: "marks* | Marks 2023"}, want: []string{"Marks 2023", "Marks 2024/25"}, why: "configured by name"},
		{name: "the one whose header fits best", sheets: several[:6], o: Options{Columns: []string{"Ref", "Name", "MARK"}}, want: []string{"Matters"}, why: "its header fits the columns asked for", warnings: []string{"sheets_left"}},
		{name: "rejects under the name that was asked for", sheets: rejects, o: Options{Sheet: "corrected"}, want: []string{"Corrected"}, why: header.WhyRejects},
		{name: "all rejects where the job's sheet is not there", sheets: rejects, o: Options{Sheet: "Matters"}, want: []string{"Rejects"}, why: header.WhyRejects},
		{name: "a table when no header fits", sheets: several[:6], o: Options{Columns: []string{"Nothing"}}, want: []string{"Matters"}, why: "the first visible sheet with a table", warnings: []string{"sheets_left", "several_sheets"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, err := openBytes(sheetsBytes(t, test.sheets...), test.o)
			if err != nil {
				t.Fatal(err)
			}
			var names, codes []string
			for i, p := range s.parts {
				names = append(names, p.sheet)
				if p.why != test.why {
					t.Errorf("the sheet %q was chosen because %q, want %q", p.sheet, p.why, test.why)
				}
				if i == 0 {
					for _, w := range s.Detected().Warnings {
						codes = append(codes, w.Code)
					}
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
	sheet := func(name string) sourcetest.Sheet { return sourcetest.Sheet{Name: name, Data: sourcetest.SmallTable} }
	for setting, sheets := range map[string][]sourcetest.Sheet{
		"Matters *":     {{Name: "Notes", Data: readMe}, sheet("Matters 2023"), sheet("Matters 2024")},
		"*":             {sheet("Acme"), sheet("Birch")},
		"Acme | Birch":  {{Name: "Notes", Data: readMe}, sheet("Acme"), sheet("Birch")},
		"Acme | Apogee": {sheet("Acme"), sheet("Apogee"), {Name: "About", Data: otherTable}},
	} {
		wanted := Options{Columns: []string{"Ref", "Name"}}
		_, err := openBytes(sheetsBytes(t, sheets...), wanted)
		sourcetest.WantRefusal(t, err, "2 sheets have the same header")
		if refused := (*format.Error)(nil); errors.As(err, &refused) && !strings.Contains(refused.Hint, "set sheet: "+strconv.Quote(setting)) {
			t.Errorf("the hint is %q, want it to name %q", refused.Hint, setting)
		}
		wanted.Sheet = setting
		if s, err := openBytes(sheetsBytes(t, sheets...), wanted); err != nil || len(s.parts) != 2 {
			t.Errorf("%s: not two sheets are read: %v", setting, err)
		}
	}
	old := sourcetest.Sheet{Name: "Year 2022", Data: sourcetest.SmallTable, State: "hidden"}
	s, err := openBytes(sheetsBytes(t, sheet("Year 2023"), sheet("Year 2024"), old), Options{Columns: []string{"Ref", "Name"}, Sheet: "Year *"})
	if err != nil || len(s.Detected().Warnings) != 1 || !strings.Contains(s.Detected().Warnings[0].Hint, `set sheet: "Year * | Year 2022"`) {
		t.Errorf("the pattern is lost: %+v, %v", s.Detected().Warnings, err)
	}
	if s, err = openBytes(sheetsBytes(t, sheet("Year 2023"), sheet("Year 2024"), old), Options{Columns: []string{"Ref", "Name"}, Sheet: "Year * | Year 2022"}); err != nil || len(s.Detected().SheetsRead) != 3 {
		t.Errorf("as advised: %v, %v", s.Detected().SheetsRead, err)
	}
	if s, err := openBytes(sheetsBytes(t, sheet("Acme"), sheet("Birch"), old), Options{Columns: []string{"Ref", "Name"}, Alike: true}); err != nil || len(s.Detected().Warnings) != 1 {
		t.Errorf("beside several that are read, the hidden sheet is left out without a word: %v", err)
	}
	if s, err := openBytes(sheetsBytes(t, sheet("Acme"), sourcetest.Sheet{Name: "Lists", Data: sourcetest.SmallTable, State: "hidden"},
		sourcetest.Sheet{Name: "Template", Data: sourcetest.SmallTable[:strings.Index(sourcetest.SmallTable, "<row r=\"2\"")]}), Options{Columns: []string{"Ref", "Name"}}); err != nil {
		t.Errorf("a hidden sheet, or one without rows: %v", err)
	} else if w := s.Detected().Warnings; len(w) != 1 || w[0].Code != "sheets_left" || !strings.Contains(w[0].Message, `"Lists" (hidden)`) || !strings.Contains(w[0].Hint, `set sheet: "Acme | Lists"`) {
		t.Errorf("the hidden sheet is left out without a word: %+v", w)
	}
}

// TestAHiddenSheetThatHasTheColumnsIsNamed where the visible ones lack some, with the setting that reads it.
func TestAHiddenSheetThatHasTheColumnsIsNamed(t *testing.T) {
	t.Parallel()
	book := sheetsBytes(t, sourcetest.Sheet{Name: "Cover", Data: readMe}, sourcetest.Sheet{Name: "Data", Data: sourcetest.SmallTable, State: "hidden"})
	s, err := openBytes(book, Options{Columns: []string{"Ref", "Name"}})
	if err != nil {
		t.Fatal(err)
	}
	if says := s.Detected().Elsewhere(); !strings.Contains(says, `the hidden sheet "Data" has 2 of the 2 columns asked for`) || !strings.Contains(says, `set sheet: "Data"`) {
		t.Errorf("the error would say %q", says)
	}
	if s, err = openBytes(book, Options{Columns: []string{"Ref", "Name"}, Sheet: "Data"}); err != nil || s.Detected().Elsewhere() != "" {
		t.Errorf("as advised: %v", err)
	}
}

// TestTheAdviceNamesTheSheetsOfOneHeader where one of them is chosen by its number.
func TestTheAdviceNamesTheSheetsOfOneHeader(t *testing.T) {
	t.Parallel()
	sheets := []sourcetest.Sheet{{Name: "One", Data: sourcetest.SmallTable}, {Name: "Other", Data: otherTable}, {Name: "Three", Data: sourcetest.SmallTable}}
	s, err := openBytes(sheetsBytes(t, sheets...), Options{Sheet: "1"})
	if err != nil {
		t.Fatal(err)
	}
	if w := s.Detected().Warnings; len(w) != 1 || !strings.Contains(w[0].Hint, `set sheet: "One | Three"`) {
		t.Errorf("the warnings are %+v", w)
	}
}

// A sheet with all the columns asked for and more is not left out on a guess.
func TestSheetsThatFitAlikeAreNotChosenBetween(t *testing.T) {
	t.Parallel()
	wider := strings.Replace(sourcetest.SmallTable, `</row>`, `<c t="str"><v>Remarks</v></c></row>`, 1)
	sheets := []sourcetest.Sheet{{Name: "2023", Data: sourcetest.SmallTable}, {Name: "2024", Data: wider}, {Name: "About", Data: otherTable}}
	wanted := Options{Columns: []string{"Ref", "Name"}}
	_, err := openBytes(sheetsBytes(t, sheets...), wanted)
	sourcetest.WantRefusal(t, err, `2 sheets have the columns asked for, and only one of them would be read: "2023", "2024"`)
	for _, name := range []string{"2023", "2024"} {
		wanted.Sheet = name
		if s, err := openBytes(sheetsBytes(t, sheets...), wanted); err != nil || s.parts[0].sheet != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSheetsThatAreNotThere(t *testing.T) {
	t.Parallel()
	book := []sourcetest.Sheet{{Name: "Matters", Data: sourcetest.SmallTable}, {Name: "Lists", Data: sourcetest.SmallTable, State: "hidden"}}
	tests := []struct {
		name, wanted, words string
		sheets              []sourcetest.Sheet
	}{
		{"an unknown name", "Matter", `no sheet "Matter"`, book},
		{"a number too high", "3", `no sheet "3"`, book},
		{"number zero", "0", `no sheet "0"`, book},
		{"a pattern that fits nothing visible", "L*", `no sheet "L*"`, book},
		{"an empty workbook", "", "no visible sheet of the workbook holds a cell", []sourcetest.Sheet{{Name: "Empty"}}},
		{"only hidden content", "", "no visible sheet of the workbook holds a cell", book[1:]},
		{"no sheets at all", "", "no sheets", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := openBytes(sheetsBytes(t, test.sheets...), Options{Sheet: test.wanted})
			sourcetest.WantRefusal(t, err, test.words)
		})
	}
}

func TestAChartIsNoTable(t *testing.T) {
	t.Parallel()
	parts := sourcetest.Book("", "", "", sourcetest.Sheet{Name: "Chart", Data: sourcetest.SmallTable}, sourcetest.Sheet{Name: "Data", Data: otherTable})
	parts["xl/_rels/workbook.xml.rels"] = `<Relationships><Relationship Id="s1" Type="x/chartsheet" Target="chartsheets/sheet1.xml"/><Relationship Id="s2" Type="x/worksheet" Target="worksheets/sheet2.xml"/></Relationships>`
	if got := openOne(t, sourcetest.Archive(t, parts), Options{}).parts[0].sheet; got != "Data" {
		t.Errorf("the sheet %q was chosen", got)
	}
	_, err := openBytes(sourcetest.Archive(t, parts), Options{Sheet: "Chart"})
	sourcetest.WantRefusal(t, err, "holds a chart")
}

func TestODSSheets(t *testing.T) {
	t.Parallel()
	row := `<table:table-row>` + sourcetest.ODSFive + sourcetest.ODSFive + `</table:table-row>`
	hidden := strings.Replace(sourcetest.ODSTable("Old", row+row), `"ta1"`, `"ta2"`, 1)
	data := sourcetest.ODS(t, hidden+sourcetest.ODSTable("Notes", "")+sourcetest.ODSTable("Matters", row+row)+sourcetest.ODSTable("Marks", row+row+row))
	sheet := openOne(t, data, Options{})
	d := sheet.Detected()
	if d.Format != "ods" || d.Sheet != "Matters" || len(d.Sheets) != 4 || len(d.Warnings) != 1 || d.Warnings[0].Code != "several_sheets" {
		t.Errorf("detected %+v", d)
	}
	if got := len(mustRows(t, openOne(t, data, Options{Sheet: "Marks"}))); got != 3 {
		t.Errorf("%d rows in the last sheet", got)
	}
	rows, err := readBytes(data, Options{Sheet: "Ma*"})
	if err != nil || len(rows) != 5 {
		t.Errorf("%d rows in two sheets, error %v", len(rows), err)
	}
	old := openOne(t, data, Options{Sheet: "1"})
	d = old.Detected()
	if d.Sheet != "Old" || d.Warnings[0].Code != "hidden_sheet" {
		t.Errorf("detected %+v", d)
	}
}

func TestSheetsTellWhatWasFound(t *testing.T) {
	t.Parallel()
	parts := sourcetest.Book(sourcetest.Styles, "", `<workbookPr date1904="true"/>`, sourcetest.Sheet{Name: "Data",
		Data:  `<row r="1"><c s="1"><v>43890</v></c><c><f>A1</f></c><c/><c r="E1"><v>9</v></c></row><row r="2"><c><v>1</v></c><c><f>A1</f></c></row>`,
		After: `<mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells>`}, sourcetest.Sheet{Name: "Other", State: "hidden"})
	parts["xl/worksheets/sheet1.xml"] = strings.Replace(parts["xl/worksheets/sheet1.xml"], "<sheetData>", `<cols><col min="2" max="2" hidden="1"/><col min="4" max="6" hidden="true"/><col min="7" max="8"/><col min="9" max="16384" hidden="1"/></cols><sheetData>`, 1)
	sheet := openOne(t, sourcetest.Archive(t, parts), Options{})
	rows := mustRows(t, sheet)
	if diff := cmp.Diff([]string{"1|D 2024-03-01|E (not calculated)|||N 9", "2|N 1|E (not calculated)"}, sourcetest.Show(rows)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	got := sheet.Detected()
	want := Detected{Format: "xlsx", DateSystem: "1904", Sheet: "Data", SheetWhy: "the first visible sheet with a table", Sheets: []string{"Data", "Other"}, Skipped: map[string]int{}, Warnings: []format.Warning{
		{Code: "hidden_columns", Sheet: "Data", Message: "hidden columns are read like any other: B, D–E"},
		{Code: "formula_without_value", Sheet: "Data", Message: "formulas without a stored result; these cells cannot be read", Hint: "Open the workbook in a spreadsheet program and save it as .xlsx, which calculates them.", Rows: []int{1, 2}, Count: 2},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("detected (-want +got):\n%s", diff)
	}
}
