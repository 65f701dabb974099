package importer_test

import (
	"strings"
	"testing"

	"docketsync/apiclient/sandbox"
)

// TestRowsOfAnotherWidthRejectTheirRecords gives folders rows that are too wide and too short. The whole folder is
// rejected, with all its rows and cells, and the missing cells of the short row are an error that must be corrected.
func TestRowsOfAnotherWidthRejectTheirRecords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	run := w.run(w.job("folders", foldersMapping, foldersHead+
		"F1,One,"+company+",a,1\nF1,One,"+company+",Miller, Smith & Co,2\n"+
		"F2,Two,"+company+",b,3\nF2,Two,"+company+",c,4\nF3,Three,"+company+",d,5\n"))
	w.expect(run, "accepted 2, rejected 1")
	r := w.reject(run)
	if len(r.Rows) != 2 || len(r.Reasons) != 1 || r.Reasons[0].Code != "row_wide" || r.Reasons[0].Row != 3 ||
		!strings.HasSuffix(r.Reasons[0].Value, " | Miller |  Smith & Co | 2") {
		t.Errorf("%d rows, reasons %+v", len(r.Rows), r.Reasons)
	}
	short := w.run(w.job("short", strings.Replace(foldersMapping, "key:", "scope: short\nkey:", 1), foldersHead+
		"F1,One,"+company+",a\nF2,Two,"+company+",b,3\nF3,Three,"+company+",d,5\n"))
	w.expect(short, "accepted 2, rejected 1")
	if r = w.reject(short); !strings.HasSuffix(string(r.Rows[0].Cells), `,"a",{"e":"#N/A"}]`) || r.Reasons[0].Cell != "E2" {
		t.Errorf("kept as %s for %+v", r.Rows[0].Cells, r.Reasons)
	}
}

// TestRowThatMayBeCutOffIsHeldBack gives a job a file that ends with a line break, and then one that does not.
func TestRowThatMayBeCutOffIsHeldBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	const head = foldersHead + "F1,One," + company + ",a,1\n"
	w.expect(w.run(w.job("folders", foldersMapping, head)), "accepted 1")
	cut := w.job("folders", foldersMapping, head+"F2,Matt,"+company+",b,2")
	run := w.run(cut)
	w.expect(run, "rejected 1, unchanged 1")
	if r := w.reject(run); r.Reasons[0].Code != "cut_off" || !strings.Contains(r.Reasons[0].Message, "earlier files") {
		t.Errorf("rejected for %+v", r.Reasons)
	}
	cut.Inputs[0].Options.Cut = "keep"
	w.expect(w.run(cut), "accepted 1, unchanged 1")
	w.expect(w.run(w.job("folders", foldersMapping, head+"F2,Matt,"+company+",b,2\nF3,Ann,"+company+",c,3")), "accepted 1, unchanged 2") // two files did without
}
