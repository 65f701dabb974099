package jobs

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/remedy"
)

// memory caches results by what they were computed from.
type memory[T any] struct {
	mu    sync.Mutex
	order []string // the oldest first
	known map[string]T
}

// of returns what is known by a key, or what make makes of it now. make says whether to keep that; the newest ones are
// kept, at most as many as most.
func (m *memory[T]) of(key string, most int, make func() (made T, keep bool, err error)) (T, error) {
	m.mu.Lock()
	made, known := m.known[key]
	m.mu.Unlock()
	if known {
		return made, nil
	}
	made, keep, err := make()
	if err != nil || !keep {
		return made, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[string]T{}
	}
	if _, known := m.known[key]; !known {
		m.order = append(m.order, key)
	}
	m.known[key] = made
	if len(m.order) > most {
		delete(m.known, m.order[0])
		m.order = m.order[1:]
	}
	return made, nil
}

// How many runs' summaries and counts are cached. The size of a summary is limited, however long the run was; counts
// are a few hundred bytes.
const (
	summariesKept = 32
	talliesKept   = 2000
)

// summary returns the summary of a run that is over. Making one reads all records of the run. Settling a doubt changes
// the counts, so they are part of the key, as the acknowledgements are.
func (p *Pages) summary(ctx context.Context, book *ledger.Reader, run runLine) (*report.Summary, error) {
	key := fmt.Sprint(run.ID, run.Phase, run.Ended, run.Pruned, run.Outcomes, run.accepted, run.StillInDoubt, run.State)
	return p.summaries.of(key, summariesKept, func() (*report.Summary, bool, error) {
		made, err := report.Build(ctx, book, run.ID)
		return made, true, err
	})
}

// tally counts the records of a run by action and state. Counting reads all records of a run, a tenth of a second for
// 100,000, and a list shows many runs. Counts are cached once nothing can change them. A run with anything in doubt or
// held is counted each time, because any process may settle that.
func (p *Pages) tally(ctx context.Context, book *ledger.Reader, run ledger.Run) ([]ledger.Count, error) {
	key := fmt.Sprint(run.ID, run.Phase, run.Ended.UnixMicro())
	return p.tallies.of(key, talliesKept, func() ([]ledger.Count, bool, error) {
		counts, err := book.Tally(ctx, run.ID)
		return counts, final(run, counts), err
	})
}

// waitingMost limits the rejected records that are searched for what they lack, for one line in a list.
const waitingMost = 5000

// left returns the facts about a finished run that only its records show, without what somebody has acknowledged. It
// reads all records of the run but the unchanged ones. Settling a doubt adds a record that the service holds. accepted
// tells the acknowledgements apart from others.
func (p *Pages) left(ctx context.Context, book *ledger.Reader, run ledger.Run, counts outcomes, acknowledged map[int64]ledger.Acknowledged, accepted string) (remedy.Facts, error) {
	states := ledger.Holding
	if counts[outcome.Rejected] <= waitingMost {
		states = slices.Concat(states, outcome.RejectedStates)
	}
	key := fmt.Sprint(run.ID, run.Phase, run.Ended.UnixMicro(), run.Pruned, counts, accepted)
	return p.lefts.of(key, talliesKept, func() (f remedy.Facts, keep bool, err error) {
		var waiting *cause.Waiting
		for r, err := range book.Records(ctx, run.ID, ledger.RecordFilter{States: states, Remarkable: true, Brief: true}) {
			if err != nil {
				return f, false, err
			}
			if _, is := acknowledged[r.Seq]; is {
				continue
			}
			stale := r.Stale()
			if f.Differs += stale.Differs; stale.Unsent {
				f.Unsent++
			}
			if outcome.Of(r) != outcome.Rejected {
				continue
			}
			if !cause.RefusedByService(r) {
				waiting = waiting.Add(r)
			}
			if len(r.Rows) == 0 && run.Pruned.IsZero() {
				f.Rowless++
			}
		}
		if waiting != nil {
			f.Waits, f.Waiting = waiting.Records, "for "+waiting.Ids()
		}
		return f, true, nil
	})
}

// final reports whether the counts of a run stay the same as long as its phase and its end do.
func final(run ledger.Run, counts []ledger.Count) bool {
	open := []ledger.State{ledger.InDoubt, ledger.Sending, ledger.Planned, ledger.Held}
	return over(run) && (run.Kind != ledger.Push || !slices.ContainsFunc(counts, func(c ledger.Count) bool { return slices.Contains(open, c.State) }))
}
