package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"docketsync/apiclient/sandbox"
	"docketsync/importer/ledger"
)

// crowdedRows counts the rows of the rejects with too many rows for their key, and how many of those rejects have the
// key.
func (w *world) crowdedRows(run ledger.Run) (rows, keyed int) {
	w.t.Helper()
	for _, r := range w.records(run) {
		if r.State != ledger.Rejected || r.Reasons[0].Code != "key_crowded" {
			continue
		}
		if rows += len(r.Rows); r.Key != "" {
			keyed++
		}
		for _, row := range r.Rows {
			if row.Cells == nil {
				w.t.Errorf("row %d is kept without its cells", row.Number)
			}
		}
	}
	return rows, keyed
}

// TestKeyThatTooManyRowsHave has more rows with one key than a record may have, beside a valid record.
func TestKeyThatTooManyRowsHave(t *testing.T) {
	t.Parallel()
	const n = 4_000

	for name, c := range map[string]struct{ mapping, head, right, row string }{
		"rows of a folder":    {foldersMapping + "rows: {max_per_record: 1000}\n", foldersHead, "G,Other," + company + ",a,1\n", "F,One," + company + ",File %[1]d,%[1]d\n"},
		"rows that differ":    {strings.Replace(casesMapping, "rows:\n", "rows:\n  max_per_record: 1000\n", 1), "Ref,Title,Status\n", "G,Other,Open\n", "F,Title %d,Open\n"},
		"rows that are equal": {strings.Replace(casesMapping, "rows:\n", "rows:\n  max_per_record: 1000\n", 1), "Ref,Title,Status\n", "G,Other,Open\n", "F,Title,Open%.0d\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{})
			var b strings.Builder
			b.WriteString(c.head + c.right)
			for i := range n {
				fmt.Fprintf(&b, c.row, i)
			}
			run := w.run(w.job("crowded", c.mapping, b.String()))
			if rows, keyed := w.crowdedRows(run); rows != n || keyed != 1 {
				t.Errorf("%d rows are in such rejects, %d of which have the key", rows, keyed)
			}
			if states := w.states(run); !strings.HasPrefix(states, "accepted 1, rejected ") {
				t.Error(states)
			}
			w.addsUp(run)
			if again := w.run(w.job("crowded", c.mapping, b.String())); !strings.HasPrefix(w.states(again), "rejected ") {
				t.Error(w.states(again))
			}
		})
	}
}
