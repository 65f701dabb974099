package importer_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/push"
)

// TestLedgerLookupOfManyKeys plans so many updates that the ids are taken from the ledger at once: they are those of their
// own keys, and what has no id says why, as with few keys.
func TestLedgerLookupOfManyKeys(t *testing.T) {
	t.Parallel()
	const rows = 700
	w := newWorld(t, sandbox.Faults{})
	i := &importer.Importer{Ledger: w.book, Service: push.Service{Concurrency: 8, Send: func(_ context.Context, p payload.Payload, _ bool) apiclient.Result {
		number := payload.Text(p.Body, "number")
		switch number {
		case "M-00300":
			return apiclient.Result{Verdict: apiclient.InDoubt, Message: "the connection broke"}
		case "M-00400":
			return apiclient.Result{Verdict: apiclient.Accepted, Status: 201, ID: "four hundred"}
		}
		return apiclient.Result{Verdict: apiclient.Accepted, Status: 201, ID: "0b5e4c5a-7f11-4b7e-9a55-0000000" + strings.TrimPrefix(number, "M-")}
	}}}
	_, err := i.Run(t.Context(), w.job("cases", casesMapping, cases(0, rows)))
	w.must(err)
	csv := "Ref,Title\n"
	for n := range rows {
		csv += fmt.Sprintf("M-%05d,T\n", n)
	}
	run, err := w.importer().Plan(t.Context(), w.job("updates", benchCaseUpdates, csv+"M-99999,T\n"))
	w.must(err)
	odd := map[string]string{"M-00300": "in doubt since run", "M-00400": "is not a GUID", "M-99999": "no earlier run received its id"}
	for _, r := range w.records(run) {
		want, isOdd := odd[r.Key]
		switch {
		case isOdd && (r.State != ledger.Rejected || !strings.Contains(r.Reasons[0].Message, want)):
			t.Errorf("%s is %s: %+v", r.Key, r.State, r.Reasons)
		case !isOdd && !strings.Contains(string(r.Payload), `"id":"0b5e4c5a-7f11-4b7e-9a55-0000000`+strings.TrimPrefix(r.Key, "M-")+`"`):
			t.Errorf("%s has the payload %s, %+v", r.Key, r.Payload, r.Reasons)
		}
	}
}

// An update that still names a record by its former key says which key it has now.
func TestLedgerLookupOfARenamedKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	w.run(w.job("cases", casesMapping, cases(0, 3)))
	renamed := strings.Replace(cases(0, 3), "M-00001", "N-1", 1)
	w.run(w.job("cases", casesMapping, renamed))
	open, err := w.book.OpenRenames(t.Context())
	w.must(err)
	w.must(w.book.DecideRename(t.Context(), open[0], ledger.SameRecord, "ada"))
	w.run(w.job("cases", casesMapping, renamed))
	run, err := w.importer().Plan(t.Context(), w.job("updates", benchCaseUpdates, "Ref,Title\nM-00001,T\nN-1,T\n"))
	w.must(err)
	w.expect(run, "planned 1, rejected 1")
	if r := w.records(run)[0]; r.Key != "M-00001" || !strings.Contains(r.Reasons[0].Message, `its key is "N-1" now`) {
		t.Errorf("%s: %+v", r.Key, r.Reasons)
	}
}
