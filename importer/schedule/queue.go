package schedule

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/ledger"
	"docketsync/importer/moment"
)

// queue is the state of a chain.
type queue struct {
	chain *Chain
	// from is the time up to which each job was accounted for when the queue began: a job that joined later has no
	// earlier dues.
	from map[string]time.Time
	// seen is the instant up to which dues have been judged.
	seen time.Time
	// next is the first due after seen, once it has been computed.
	next *Due
	// pending waits for its turn; nil if nothing does.
	pending *pending
}

// pending is a due that will be run.
type pending struct {
	due     Due
	covered []Due                        // earlier dues that its run serves too
	again   bool                         // an earlier process began it; the ledger has its rows
	late    bool                         // no process was there at its time
	rows    map[string]ledger.Occurrence // its rows in the ledger, by job, once there are any
}

// upcoming returns the first due after those seen, or nil if there is none.
func (q *queue) upcoming() *Due {
	if q.next == nil {
		if due, ok := q.chain.Next(q.seen); ok {
			q.next = &due
		}
	}
	return q.next
}

// up returns the dues that have come up since those seen.
func (q *queue) up(now time.Time) (dues []Due) {
	if next := q.upcoming(); next == nil || q.chain.begin(*next).After(now) {
		return nil // without computing anything, which every look would repeat
	}
	for due := range q.chain.Pattern.after(q.seen) {
		if q.chain.begin(due).After(now) {
			break
		}
		dues = append(dues, due)
	}
	return dues
}

// wait returns how long it is until the next due comes up, at most most.
func (q *queue) wait(now time.Time, most time.Duration) time.Duration {
	next := q.upcoming()
	if next == nil {
		return most
	}
	wait := q.chain.begin(*next).Sub(now)
	if wait <= 0 {
		return most // it could not be recorded, and is tried again
	}
	return min(most, wait)
}

// take applies the verdicts to the queue. A due that was waiting is caught up by one that has come up since.
func (q *queue) take(verdicts []verdict, now time.Time) {
	var covered []Due
	for _, v := range verdicts {
		q.seen, q.next = v.due.At, nil
		switch v.state {
		case ledger.CaughtUp:
			covered = append(covered, v.due)
		case ledger.Waiting:
			if q.pending != nil {
				covered = append(append(q.pending.covered, q.pending.due), covered...)
			}
			q.pending = &pending{due: v.due, covered: covered, late: now.Sub(q.chain.begin(v.due)) > onTime}
		}
	}
}

// rows are the ledger's rows for a due of the chain, one for each job that is not accounted for up to it.
func (q *queue) rows(d Due, fill func(*ledger.Occurrence)) (rows []ledger.Occurrence) {
	for _, step := range q.chain.Steps {
		if d.At.After(q.from[step.Job]) {
			row := ledger.Occurrence{Job: step.Job, Schedule: q.chain.Pattern.String(), Local: d.Local, At: d.At}
			fill(&row)
			rows = append(rows, row)
		}
	}
	return rows
}

// through says that each job of the chain is accounted for up to t.
func (q *queue) through(t time.Time) []ledger.Scheduled {
	list := make([]ledger.Scheduled, len(q.chain.Steps))
	for n, step := range q.chain.Steps {
		list[n] = ledger.Scheduled{Job: step.Job, Schedule: q.chain.Pattern.String(), Through: t}
		if from := q.from[step.Job]; from.After(t) {
			list[n].Through = from
		}
	}
	return list
}

// disbelief is how long the clock has to be behind before it is believed. A clock that is set back by less than that
// runs nothing twice: it catches up first.
const disbelief = time.Hour

// believes reports whether to believe a clock that is behind the time up to which dues were judged. before is when an
// earlier look first found it behind, since the same after this look; each is zero if the clock is not behind.
func (q *queue) believes(now, before time.Time) (believed bool, since time.Time) {
	switch {
	case q.seen.Sub(now) <= lookAgain:
		return false, time.Time{}
	case before.IsZero() || now.Before(before):
		return false, now
	}
	return now.Sub(before) >= disbelief, before
}

// ClockError says that no job is due because the clock of the machine is behind.
type ClockError struct {
	Job         string
	Seen, Until time.Time // up to when the job is accounted for, and when the clock is believed
}

func (e *ClockError) Error() string {
	return fmt.Sprintf("the clock of this machine is behind: job %s has run up to %s\nSet the clock right if it is wrong. Jobs run again when it reaches that time, or at %s if it is still behind",
		e.Job, moment.Second(e.Seen), moment.Second(e.Until))
}

// Clock returns a *ClockError if Serve found the clock behind and does not believe it yet; otherwise nil.
func (s *Scheduler) Clock() error {
	for _, q := range s.queues {
		if since, behind := s.Behind[q.chain.Job()]; behind {
			return &ClockError{q.chain.Job(), q.seen, since.Add(disbelief)}
		}
	}
	return nil
}

// setBack sets a queue back to a clock that had been ahead, once that is certain enough and nothing of the queue is
// running.
func (s *Scheduler) setBack(ctx context.Context, q *queue, now time.Time) error {
	job := q.chain.Job()
	before := s.Behind[job]
	believed, since := q.believes(now, before)
	if delete(s.Behind, job); !since.IsZero() {
		s.Behind[job] = since
	}
	if since.After(before) {
		s.Log.Error("the clock of this machine was set back: no job is due until it catches up, or has been behind for an hour",
			zap.String("job", job), zap.Time("clock", now), zap.Time("accounted_for_until", q.seen))
	}
	if !believed || s.running == q || q.pending != nil {
		return nil
	}
	for step, from := range q.from {
		if from.After(since) {
			q.from[step] = since
		}
	}
	if err := s.Ledger.SetBack(ctx, q.through(since)); err != nil {
		return err
	}
	s.Log.Error("the clock of this machine had been ahead: jobs are due by its current time", zap.String("job", job),
		zap.Time("clock", now), zap.Time("accounted_for_until", since))
	q.seen, q.next = since, nil
	delete(s.Behind, job)
	return nil
}
