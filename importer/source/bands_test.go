package source

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sourcetest"
)

// A row that is one cell merged over all columns is a heading between rows: it is left out, counted and named. A row that
// merely has one text may be a record, and is read with a warning.
func TestBandRows(t *testing.T) {
	t.Parallel()
	cells := [][]any{{"Ref", "Mark", "Class", "Owner"}, {"Record ID: 1"}, {"A1", "x", "9", "Acme"}, {"Record ID: 2"}, {"A2", "y"}, {"note"}, {"same", "same", "same", "same"}}
	bands := merge("A2:D2", "A4:E4", "A6:B6")
	filled := map[string]string{"": "", "down": "", "right": "|Record ID: 1|Record ID: 1|Record ID: 1", "all": "|Record ID: 1|Record ID: 1|Record ID: 1"}
	for mode, rest := range filled {
		t.Run("merged="+mode, func(t *testing.T) {
			t.Parallel()
			got := readFile(t, bookFile(t, bands, "S", cells), Options{Merged: mode})
			if rest == "" {
				rest = "|||"
			}
			if want := "2/0: Record ID: 1" + rest + " [band]"; got.fault != "" || got.rows[0] != want {
				t.Errorf("%q, want %q %s", got.rows, want, got.fault)
			}
			if diff := cmp.Diff(map[string]int{"band": 2}, got.detected.Skipped); diff != "" {
				t.Errorf("%q\n%s", got.rows, diff)
			}
			if all := sourcetest.Codes(got.detected.Warnings); !strings.Contains(all, "band_rows [2 4]") {
				t.Error(all)
			}
			for _, w := range got.detected.Warnings {
				if w.Code == "band_rows" && (w.Count != 2 || !strings.Contains(w.Message, `"Record ID: 1"`)) {
					t.Errorf("%+v", w)
				}
			}
		})
	}
}

// Only merged cells of rows that are read are worth a warning: not those of titles and bands, nor of rows that the mapping leaves out.
func TestMergedCellsOfRowsThatAreRead(t *testing.T) {
	t.Parallel()
	cells := [][]any{{"Portfolio"}, {}, {"Ref", "Mark", "Class", "Owner"}, {"Acme"}, {"A1", "x", "9", "Acme"}, {"A2", "y", "9"}, {"Subtotal", nil, "2"}}
	for name, tt := range map[string]struct {
		merged []string
		want   string
	}{
		"titles, bands and subtotals": {[]string{"A1:D1", "A4:D4", "A7:B7"}, ""},
		"cells without a value":       {[]string{"D6:E6"}, ""},
		"a value for two rows":        {[]string{"A1:D1", "D5:D6", "A7:B7"}, "merged_cells [5 6]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := Open(t.Context(), bookFile(t, merge(tt.merged...), "S", cells), Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for row, err := range s.Rows(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				if row.Cell(0).Text == "Subtotal" {
					s.Disregard()
				}
			}
			if got := sourcetest.Codes(slices.DeleteFunc(s.Detected().Warnings, func(w format.Warning) bool { return w.Code != "merged_cells" })); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestBandRowsOfODS(t *testing.T) {
	t.Parallel()
	cell := func(text string) string {
		return `<table:table-cell office:value-type="string"><text:p>` + text + `</text:p></table:table-cell>`
	}
	row := func(cells ...string) string {
		return `<table:table-row>` + strings.Join(cells, "") + `</table:table-row>`
	}
	band := `<table:table-cell office:value-type="string" table:number-columns-spanned="3"><text:p>Band</text:p></table:table-cell><table:covered-table-cell table:number-columns-repeated="2"/>`
	path := writeFile(t, t.TempDir(), "in.ods", sourcetest.ODS(t, sourcetest.ODSTable("Data", row(band)+row(cell("Ref"), cell("Mark"), cell("Class"))+row(band)+row(cell("A1"), cell("x"), cell("y"))+row(cell("A2"), cell("y")))), 0o600)
	for _, mode := range []string{"", "all"} {
		got := readFile(t, path, Options{Merged: mode})
		if got.fault != "" || got.detected.HeaderRow != 2 || got.detected.Skipped["band"] != 1 || len(got.rows) != 3 || got.rows[1] != "4/0: A1|x|y" {
			t.Errorf("merged=%s: header %d, %q %s", mode, got.detected.HeaderRow, got.rows, got.fault)
		}
	}
}

func TestRowsOfOneTextThatAreNotMergedOverAllAreRead(t *testing.T) {
	t.Parallel()
	path := bookFile(t, merge("A2:B2", "A3:D4"), "S", [][]any{{"Ref", "Mark", "Class", "Owner"}, {"half"}, {"two rows"}, {}, {"A1", "x", "9", "Acme"}})
	got := readFile(t, path, Options{})
	if diff := cmp.Diff([]string{"2/0: half|||", "3/0: two rows|||", "5/0: A1|x|9|Acme"}, got.rows); diff != "" || !strings.Contains(sourcetest.Codes(got.detected.Warnings), "lone_cell [2 3]") {
		t.Errorf("%s %s", sourcetest.Codes(got.detected.Warnings), diff)
	}
	for _, w := range got.detected.Warnings {
		if w.Code == "lone_cell" && !strings.Contains(w.Message, `"half"`) {
			t.Error(w.Message)
		}
	}
}
