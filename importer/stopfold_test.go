package importer_test

import "testing"

// foldCommit is the step at which what stands in the ledger's journal is written into its tables.
const foldCommit = "commit of runs records attempts known journal"

// TestStopAroundAFold kills a child in the middle of a push, when the journal is about to be folded into the tables for the
// first time, and right behind that; what the journal held is in the ledger either way, and nothing is sent twice.
func TestStopAroundAFold(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{"before": foldCommit, "behind": "request 131 is answered"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newStopWorld(t, stopCase{job: "many"})
			steps, killed := w.live(stopTask{Job: "many", Concurrency: 1, StopBefore: before})
			folds := 0
			for _, step := range steps {
				if step == foldCommit {
					folds++
				}
			}
			if !killed || folds != 1 {
				t.Fatalf("the child was killed: %v, after %d folds", killed, folds)
			}
			w.account()
		})
	}
}
