package importer_test

import (
	"path/filepath"
	"testing"

	"docketsync/apiclient"
	"docketsync/importer/ledger"
	"docketsync/importer/push"
	"docketsync/importer/stop"
)

// TestARunOfRefusalsThatWasKilledIsHeldWhole kills a run whose path the service does not have, before the run could
// stop for that. The next start stops, and also holds what was refused before the kill.
func TestARunOfRefusalsThatWasKilledIsHeldWhole(t *testing.T) {
	t.Parallel()
	for before, most := range map[string]int64{"request 4 is answered": 3, "request 8 is answered": 0} {
		t.Run(before, func(t *testing.T) {
			t.Parallel()
			w := newStopWorld(t, stopCase{job: "some"})
			right := w.base
			w.base += "/wrong"
			if _, killed := w.live(stopTask{Job: "some", Concurrency: 1, StopBefore: before}); !killed {
				t.Fatal("the child was not killed")
			}
			var err error
			w.book, err = ledger.Open(t.Context(), filepath.Join(w.dir, "ledger.db"))
			w.must(err)
			job, err := w.job.job("some", filepath.Join(w.dir, "input.csv"))
			w.must(err)
			start := func(base string) ledger.Run {
				w.base = base
				w.client = w.connect(func(*apiclient.Options) {})
				i := w.importer()
				i.Concurrency, i.Limits = 1, push.Limits{SameRefusal: 5}
				run, err := i.Run(t.Context(), job)
				w.must(err)
				return run
			}
			asked := w.state().Requests
			run := start(w.base)
			if run.StopCode != stop.SameRefusal || w.state().Requests > asked+most {
				t.Errorf("the second start ended as %s (%s) after %d requests", run.Phase, run.Stop, w.state().Requests-asked)
			}
			w.expect(run, "held 39, in_doubt 1")
			w.expect(start(right), "accepted 39, in_doubt 1")
			w.onceEach()
		})
	}
}
