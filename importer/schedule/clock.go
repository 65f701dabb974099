package schedule

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// disbelief is how long the clock has to be behind before it is believed. A clock that is set back by less than that runs nothing
// twice: it has caught up before.
const disbelief = time.Hour

// believes decides whether the clock is believed that is behind what dues were judged by. since is since when it has been so, zero
// for not.
func (q *queue) believes(now time.Time) (believed bool, since time.Time) {
	switch {
	case q.seen.Sub(now) <= lookAgain:
		return false, time.Time{}
	case q.behind.IsZero() || now.Before(q.behind):
		return false, now
	}
	return now.Sub(q.behind) >= disbelief, q.behind
}

// setBack brings a queue back to a clock that had been ahead, once that is certain enough and nothing of the queue is going on.
func (s *Scheduler) setBack(ctx context.Context, q *queue, now time.Time) error {
	believed, since := q.believes(now)
	noticed := since.After(q.behind)
	q.behind = since
	if noticed {
		s.Log.Error("the clock of this machine was set back: no job is due until it catches up, or has been behind for an hour",
			zap.String("job", q.chain.Job()), zap.Time("clock", now), zap.Time("accounted_for_until", q.seen))
	}
	if !believed || s.running == q || q.pending != nil {
		return nil
	}
	for job, from := range q.from {
		if from.After(since) {
			q.from[job] = since
		}
	}
	if err := s.Ledger.SetBack(ctx, q.through(since)); err != nil {
		return err
	}
	s.Log.Error("the clock of this machine had been ahead: jobs are due by its current time", zap.String("job", q.chain.Job()),
		zap.Time("clock", now), zap.Time("accounted_for_until", since))
	q.seen, q.next, q.behind = since, nil, time.Time{}
	return nil
}
