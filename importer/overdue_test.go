package importer_test

import (
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/ledger"
)

// TestAResumedRunCreatesNothingThatWasFoundMeanwhile stops a run while a create of it is unsent, has a person say that the service
// holds that record, and starts the same job again.
func TestAResumedRunCreatesNothingThatWasFoundMeanwhile(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]bool{"in doubt when it was planned": true, "in doubt since": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sandbox.Faults{})
			job := w.job("matters", casesMapping, "Ref,Title,Status\nAB-7,Seven,Open\nAB-8,Eight,Open\n")
			if before {
				w.leaveInDoubt("AB-7")
			}
			stopped, err := w.with(func(o *apiclient.Options) { o.BaseURL, o.Retry.Total = "http://127.0.0.1:1", 50*time.Millisecond }).Run(t.Context(), job)
			w.must(err)
			if stopped.StopCode != importer.StopServiceDown {
				t.Fatalf("the first run ended as %s (%s)", stopped.Phase, stopped.StopCode)
			}
			if !before {
				w.leaveInDoubt("AB-7")
			}
			doubts, err := w.book.Doubts(t.Context(), "")
			w.must(err)
			for _, d := range doubts {
				w.must(w.book.Resolve(t.Context(), d.Run, d.Seq, ledger.Exists, "", "Ada", ""))
			}
			w.run(job)
			w.expect(w.run(job), "unchanged 2")
			if state := w.state(); state.Cases != 1 {
				t.Errorf("%d cases were created, want AB-8 alone", state.Cases)
			}
		})
	}
}
