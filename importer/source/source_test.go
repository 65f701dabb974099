package source

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"docketsync/importer/source/sourcetest"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
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

// TestHiddenRows rejects them, unless somebody has said what they are. A row that a filter leaves out, and one that is no data, is no matter.
func TestHiddenRows(t *testing.T) {
	t.Parallel()
	path := bookFile(t, func(book *excelize.File) error {
		return errors.Join(book.SetRowVisible("S", 3, false), book.SetRowVisible("S", 5, false))
	}, "S", [][]any{{"Ref", "Mark"}, {"T1", "A"}, {"T2", "B"}, {"T3", "C"}, {"Ref", "Mark"}})
	for _, test := range []struct {
		hidden, row, codes string
		faults             []int
	}{
		{"", "3/0: T2|B", "hidden_rows [3]", []int{3}},
		{"reject", "3/0: T2|B", "hidden_rows [3]", []int{3}},
		{"keep", "3/0: T2|B", "", nil},
		{"skip", "3/0: T2|B [hidden]", "", nil},
	} {
		o := Options{Hidden: test.hidden}
		read := readFile(t, path, o)
		want := []string{"2/0: T1|A", test.row, "4/0: T3|C", "5/0: Ref|Mark [repeated header]"}
		if diff := cmp.Diff(want, read.rows); diff != "" || sourcetest.Codes(read.detected.Warnings) != test.codes {
			t.Errorf("hidden: %s warns of %s\n%s", test.hidden, sourcetest.Codes(read.detected.Warnings), diff)
		}
		s, err := Open(t.Context(), path, o)
		if err != nil {
			t.Fatal(err)
		}
		var faults []int
		for row, err := range s.Rows(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range row.Faults {
				if fault.Code != reason.Hidden || fault.Column != table.NoRecord {
					t.Errorf("row %d has the fault %v", row.Number, fault)
				}
				faults = append(faults, row.Number)
			}
		}
		if diff := cmp.Diff(test.faults, faults); diff != "" {
			t.Errorf("hidden: %s rejects other rows (-want +got):\n%s", test.hidden, diff)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
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
