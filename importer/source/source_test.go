package source

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"docketsync/importer/source/sourcetest"
)

// bookFile writes a workbook of the sheets, given as name and rows in turn, and returns its path.
func bookFile(t testing.TB, change func(*excelize.File) error, sheets ...any) string {
	t.Helper()
	book := excelize.NewFile()
	for i := 0; i < len(sheets); i += 2 {
		name := sheets[i].(string)
		if _, err := book.NewSheet(name); err != nil {
			t.Fatal(err)
		}
		for n, row := range sheets[i+1].([][]any) {
			if err := book.SetSheetRow(name, fmt.Sprintf("A%d", n+1), &row); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := book.DeleteSheet("Sheet1"); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		if err := change(book); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "in.xlsx")
	if err := book.SaveAs(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSheetsOfOneShapeAreOneSource(t *testing.T) {
	t.Parallel()
	path := bookFile(t, nil,
		"2023", [][]any{{"Ref", "Mark"}, {"T1", "A"}, {"Total", "1"}},
		"Notes", [][]any{{"other"}},
		"2024", [][]any{{"Docket"}, {"REF", "mark"}, {"T2", "B"}, {"T3"}})
	s, err := Open(t.Context(), path, Options{Sheet: "20*"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var rows []string
	for row, err := range s.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, fmt.Sprintf("%d %d %s", row.Source, row.Number, row.Cells[0].Text))
	}
	if diff := cmp.Diff([]string{"0 2 T1", "0 3 Total", "1 3 T2", "1 4 T3"}, rows); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Part{{path, "2023"}, {path, "2024"}}, s.Sources()); diff != "" {
		t.Error(diff)
	}
	if d := s.Detected(); !cmp.Equal(d.SheetsRead, []string{"2023", "2024"}) || d.Rows != 4 || sourcetest.Codes(d.Warnings) != "looks_like_total [3]" || d.Warnings[0].Sheet != "2023" {
		t.Errorf("%+v", d)
	}
}

func TestSheetsOfOtherShapesAreRefused(t *testing.T) {
	t.Parallel()
	path := bookFile(t, nil, "2023", [][]any{{"Ref", "Mark"}, {"T1", "A"}}, "2024", [][]any{{"Mark", "Ref"}, {"A", "T1"}})
	got := readFile(t, path, Options{Sheet: "20*"})
	if want := `in.xlsx, sheet "2024": the sheet has other columns than the sheet "2023"`; got.fault != want || got.hint == "" {
		t.Errorf("%q %s", got.rows, got.fault)
	}
	got = readFile(t, path, Options{Sheet: "2024", Header: 9})
	if want := `in.xlsx, sheet "2024", row 9: the header row is blank or missing`; got.fault != want {
		t.Errorf("%q %s", got.rows, got.fault)
	}
}

func TestHiddenRowsCountUnlessTheyAreIgnored(t *testing.T) {
	t.Parallel()
	path := bookFile(t, func(book *excelize.File) error { return book.SetRowVisible("S", 3, false) },
		"S", [][]any{{"Ref", "Mark"}, {"T1", "A"}, {"T2", "B"}, {"T3", "C"}})
	all := readFile(t, path, Options{})
	if diff := cmp.Diff([]string{"2/0: T1|A", "3/0: T2|B", "4/0: T3|C"}, all.rows); diff != "" || sourcetest.Codes(all.detected.Warnings) != "hidden_rows [3]" {
		t.Errorf("%s\n%s", sourcetest.Codes(all.detected.Warnings), diff)
	}
	seen := readFile(t, path, Options{IgnoreHidden: true})
	if diff := cmp.Diff([]string{"2/0: T1|A", "3/0: T2|B [hidden]", "4/0: T3|C"}, seen.rows); diff != "" || len(seen.detected.Warnings) > 0 || seen.detected.Skipped["hidden"] != 1 {
		t.Errorf("%v\n%s", seen.detected, diff)
	}
}

func TestASourceMayBeClosedTwiceAndAskedAfterwards(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), textFile(t, "in.csv", "a,b\n1,2\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows := readSourceRows(t, s)
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff(rows.detected, s.Detected()); diff != "" || len(s.Sources()) != 1 || len(s.Header().Names) != 2 {
		t.Error(diff)
	}
}
