package push

import (
	"context"
	"sync/atomic"
	"time"

	"docketsync/importer/ledger"
)

// A record that is safe to repeat needs no intent of its own: the plan is durable, and so is the fact that its run is
// being pushed. After a crash, every such record without an outcome may have been sent, and is sent again. So its
// worker takes the next record at once, and its outcome goes to the disk with others.

const (
	// recordEvery is how long an outcome waits for others, and recordMost how many go to the disk together, at most.
	recordEvery = 200 * time.Millisecond
	recordMost  = 1000
	// proofLasts is how long a commit proves that this process still owns the run. A process that was frozen for longer
	// commits before it sends anything else, and so finds out if another process has taken the run over.
	proofLasts = 2 * time.Second
)

// recorder makes the outcomes of repeatable records durable, in groups that no worker waits for.
type recorder struct {
	outcomes chan ledger.Outcome
	now      func() time.Time
	proof    atomic.Int64 // when the last successful commit began, in nanoseconds of the wall clock: the monotonic clock stands still while a machine is suspended
}

func newRecorder(now func() time.Time) *recorder {
	return &recorder{outcomes: make(chan ledger.Outcome, 2*recordMost), now: now}
}

// proven notes a successful commit by the time it began, because a process may be frozen before it gets here.
func (r *recorder) proven(began time.Time) { r.proof.Store(began.UnixNano()) }

func (r *recorder) isProven() bool {
	ago := r.now().UnixNano() - r.proof.Load()
	return ago >= 0 && ago < int64(proofLasts)
}

// group appends an outcome and those that come soon after it to a list.
func (r *recorder) group(list []ledger.Outcome, first ledger.Outcome) []ledger.Outcome {
	list = append(list, first)
	enough := time.NewTimer(recordEvery)
	defer enough.Stop()
	for len(list) < recordMost {
		select {
		case next, more := <-r.outcomes:
			if !more {
				return list
			}
			list = append(list, next)
		case <-enough.C:
			return list
		}
	}
	return list
}

// record commits outcomes until there are no more. After an error it receives the rest without committing them, so that
// nobody waits: their records have no outcome, as after a crash.
func (p *pusher) record(ctx context.Context, r *recorder, stopFeeding func()) (err error) {
	var list []ledger.Outcome
	for first := range r.outcomes {
		if err != nil {
			continue
		}
		list = r.group(list[:0], first)
		began := r.now()
		if err = p.Ledger.Commit(ctx, list, nil); err != nil {
			stopFeeding()
			continue
		}
		r.proven(began)
		p.count(list)
	}
	return err
}
