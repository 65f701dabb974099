package push

import (
	"context"
	"sync/atomic"
	"time"

	"docketsync/importer/ledger"
)

// A record that is safe to repeat needs no intent of its own: the plan is durable, and so is that its run is being pushed. After a
// crash, every such record without an outcome counts as one that may have been sent, and is sent again. So its worker takes the next
// one at once, and its outcome goes to the disk with those of others.

const (
	// recordEvery is how long an outcome waits for others at the most, and recordMost how many go to the disk together.
	recordEvery = 200 * time.Millisecond
	recordMost  = 1000
	// proofLasts is how long a commit proves that the run is still this process's. One that was frozen for longer commits
	// before it sends anything else, and finds out that another process has taken the run up.
	proofLasts = 2 * time.Second
)

// recorder makes the outcomes of repeatable records durable, in groups that no worker waits for.
type recorder struct {
	outcomes chan ledger.Outcome
	now      func() time.Time
	proof    atomic.Int64 // when the last commit that succeeded began, in nanoseconds by the clock of the wall: the other one stands still while a machine is suspended
}

func newRecorder(now func() time.Time) *recorder {
	return &recorder{outcomes: make(chan ledger.Outcome, 2*recordMost), now: now}
}

// proven notes a commit that succeeded by when it began: a process may be frozen before it gets here.
func (r *recorder) proven(began time.Time) { r.proof.Store(began.UnixNano()) }

func (r *recorder) isProven() bool {
	ago := r.now().UnixNano() - r.proof.Load()
	return ago >= 0 && ago < int64(proofLasts)
}

// group is an outcome and those that come soon after it.
func (r *recorder) group(first ledger.Outcome) []ledger.Outcome {
	list := []ledger.Outcome{first}
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

// record commits outcomes until there will be no more. After an error it takes them without committing any, so that nobody waits
// for it: their records have no outcome, as after a crash.
func (p *pusher) record(ctx context.Context, r *recorder, stopFeeding func()) (err error) {
	for first := range r.outcomes {
		if err != nil {
			continue
		}
		list := r.group(first)
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
