package records

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/decisions"
	corrections "docketsync/importer/rows"
)

// A row that was corrected before is shown as it was corrected and known as its source has it, and all of its corrections know it by the same mark.
func TestARowIsKnownAsItsSourceHasIt(t *testing.T) {
	t.Parallel()
	header := []string{"Ref", "Name", "Number"}
	run := ledger.Run{Sources: []ledger.Source{{Header: header}}}
	record := ledger.Record{Key: "F", Rows: []ledger.Row{{Cells: json.RawMessage(`["F",null,"1"]`)}, {Cells: json.RawMessage(`["F","Lease","x"]`)}}}
	source := []string{"F", "", "x"}
	lease := ledger.CellCorrection{Nth: decisions.RowMark(header, source, []string{"Name"}, 0, false), Column: "Name", New: "Lease", Who: "Ines"}
	gone := ledger.CellCorrection{Nth: -7, Column: "Name", Old: "?", New: "!", Who: "Ines"}
	rows, left, err := rowsBefore(run, record, []ledger.CellCorrection{gone, lease})
	if err != nil || len(rows[0].corrected) > 0 {
		t.Fatalf("%+v %v", rows, err)
	}
	if diff := cmp.Diff(source, rows[1].texts) + cmp.Diff([]ledger.CellCorrection{lease}, rows[1].corrected) + cmp.Diff([]ledger.CellCorrection{gone}, left); diff != "" {
		t.Error(diff)
	}
	rows[1].corrected = append(rows[1].corrected, ledger.CellCorrection{Column: "Number", Old: "x", New: "2"})
	mark := corrections.Mark(header, source, []string{"Name", "Number"}, 1, false, false) // but for these two, the first row says the same
	if list := rows.marked(1); list[0].Nth != mark || list[1].Nth != mark {
		t.Errorf("%+v, want %d", list, mark)
	}
}

// TestACorrectedColumnIsKnownUnderAnotherSpelling has a header that was respelled since a cell was corrected: the row and its cell are still known, also when
// it is saved again.
func TestACorrectedColumnIsKnownUnderAnotherSpelling(t *testing.T) {
	t.Parallel()
	source := []string{"F", "", "x"}
	lease := ledger.CellCorrection{Nth: corrections.Mark([]string{"Ref", "Name", "Number"}, source, []string{"Name"}, 0, false, false), Column: "Name", New: "Lease", Who: "Ines"}
	run := ledger.Run{Sources: []ledger.Source{{Header: []string{"REF", "NÀME ", "Number"}}}}
	record := ledger.Record{Key: "F", Rows: []ledger.Row{{Cells: json.RawMessage(`["F",null,"1"]`)}, {Cells: json.RawMessage(`["F","Lease","x"]`)}}}
	rows, left, err := rowsBefore(run, record, []ledger.CellCorrection{lease})
	if err != nil || len(left) > 0 || len(rows[0].corrected) > 0 {
		t.Fatalf("%+v, of no row: %+v, %v", rows, left, err)
	}
	if diff := cmp.Diff(source, rows[1].texts) + cmp.Diff([]ledger.CellCorrection{lease}, rows[1].corrected); diff != "" {
		t.Error(diff)
	}
	if list := rows.marked(1); list[0].Nth != lease.Nth {
		t.Errorf("saved again its mark is %d, and was %d", list[0].Nth, lease.Nth)
	}
	// The form shows the corrected cell in its column; taken back, nothing is left of it.
	form := url.Values{"cell-1-1": {""}}
	r := &web.Request{Request: &http.Request{PostForm: form, Form: form}}
	list, cells, err := new(Pages).corrected(r, run, record, []ledger.CellCorrection{lease})
	if err != nil || cells != 1 || len(list) != 0 {
		t.Errorf("taken back, %d cells are left as %+v, %v", cells, list, err)
	}
}

// Browsers write line breaks in their own way; what nobody changed is no correction.
func TestLineBreaksOfAFormChangeNoCell(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ posted, shown, want string }{
		{"9: a\r\n35: b", "9: a\n35: b", "9: a\n35: b"},
		{"a\r\nb", "a\rb", "a\rb"},
		{"a\r\nc", "a\r\nb", "a\r\nc"},
		{"a\r\nc", "a\nb", "a\nc"},
		{"b", "a", "b"},
	} {
		if got := asShown(test.posted, test.shown); got != test.want {
			t.Errorf("%q of %q: %q, want %q", test.posted, test.shown, got, test.want)
		}
	}
}
