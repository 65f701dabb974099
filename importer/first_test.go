package importer_test

import (
	"strings"
	"testing"

	"docketsync/apiclient/sandbox"
	"docketsync/importer/ledger"
	"docketsync/importer/stop"
)

// TestTheFirstRecordsAreSentAndThenTheRest sends a part of a plan, asked for by its number, and then all of it: each record once, in one run.
func TestTheFirstRecordsAreSentAndThenTheRest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	job := w.job("matters", casesMapping, cases(1, 12))
	i := w.importer()
	i.First = 5
	begun := ""
	for n, want := range []string{"accepted 5, held 7", "accepted 10, held 2"} {
		run, err := i.Run(t.Context(), job)
		w.must(err)
		w.expect(run, want)
		if run.Phase != ledger.Stopped || run.StopCode != stop.Part || !strings.HasPrefix(run.Stop, "the first 5 records were sent, as asked") || n > 0 && run.ID != begun {
			t.Errorf("call %d: run %s ended as %s, %s: %s", n+1, run.ID, run.Phase, run.StopCode, run.Stop)
		}
		begun = run.ID
	}
	run, err := i.Run(t.Context(), job) // no more than it has
	w.must(err)
	w.expect(run, "accepted 12")
	if state := w.state(); run.Phase != ledger.Finished || run.StopCode != "" || state.Cases != 12 || len(state.Repeated) > 0 || state.Requests != 12 {
		t.Errorf("the last run ended as %s %s; the service has %+v", run.Phase, run.Stop, state)
	}
}
