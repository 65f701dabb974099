package jobs

import (
	"context"
	"fmt"
	"sync"

	"docketsync/importer/ledger"
)

// talliesKept is how many runs' counts are remembered, a few hundred bytes each.
const talliesKept = 2000

// tallies are the counts of runs that are over. Counting goes through all records of a run, a tenth of a second for 100,000, and a
// list shows many runs. Counts are remembered when nothing can change them any more: a run that has something in doubt, which is
// settled some day by whatever process, is counted anew each time.
type tallies struct {
	mu    sync.Mutex
	known map[string][]ledger.Count
}

// of counts the records of a run by action and state.
func (t *tallies) of(ctx context.Context, led *ledger.Reader, run ledger.Run) ([]ledger.Count, error) {
	key := fmt.Sprint(run.ID, run.Phase, run.Ended.UnixMicro())
	t.mu.Lock()
	counts, ok := t.known[key]
	t.mu.Unlock()
	if ok {
		return counts, nil
	}
	counts, err := led.Tally(ctx, run.ID)
	if err != nil || !final(run, counts) {
		return counts, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.known) >= talliesKept || t.known == nil {
		t.known = map[string][]ledger.Count{}
	}
	t.known[key] = counts
	return counts, nil
}

// final tells whether the counts of a run stay as they are for as long as its phase and its end do.
func final(run ledger.Run, counts []ledger.Count) bool {
	if run.Phase != ledger.Finished && run.Phase != ledger.Stopped {
		return false
	}
	for _, count := range counts {
		switch count.State {
		case ledger.InDoubt, ledger.Sending, ledger.Planned, ledger.Held:
			if run.Kind == ledger.Push {
				return false
			}
		}
	}
	return true
}
