package schedule

import (
	"cmp"
	"context"
	"slices"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/ledger"
)

// adopt switches to a timetable. Chains that the ledger knows are judged from where they were accounted for; a job that
// is new, or has another schedule than before, begins now.
func (s *Scheduler) adopt(ctx context.Context, t Timetable) error {
	kept, err := s.Ledger.Scheduled(ctx)
	if err != nil {
		return err
	}
	open, err := s.Ledger.Occurrences(ctx, ledger.OccurrenceFilter{States: ledger.Unfinished})
	if err != nil {
		return err
	}
	now := s.now()
	queues, anchors := enqueue(t, kept, now)
	rows := giveUp(t, kept, now)
	for _, q := range queues {
		if err := s.resume(ctx, q, open, now); err != nil {
			return err
		}
	}
	for _, row := range open {
		var of *queue
		if n := slices.IndexFunc(queues, func(q *queue) bool { return q.chain.runs(row.Job, row.Schedule) }); n >= 0 {
			of = queues[n]
		}
		if of == nil || !of.pending.holds(row) {
			rows = append(rows, cutOff(row, of, now))
		}
	}
	if err := s.Ledger.SaveOccurrences(ctx, anchors, rows); err != nil {
		return err
	}
	if err := s.Ledger.Unschedule(ctx, gone(t, kept)); err != nil {
		return err
	}
	for _, row := range rows {
		s.Log.Warn("a scheduled run did not finish", zap.String("job", row.Job), zap.String("due", row.Local), zap.String("state", string(row.State)), zap.String("why", row.Note))
	}
	s.tell(rows)
	s.table, s.queues = t, queues
	return nil
}

// enqueue makes the queues of a timetable. anchors are the jobs that begin now.
func enqueue(t Timetable, kept []ledger.Scheduled, now time.Time) (queues []*queue, anchors []ledger.Scheduled) {
	for _, c := range t.Chains {
		q := &queue{chain: c, from: map[string]time.Time{}}
		for _, step := range c.Steps {
			job := ledger.Scheduled{Job: step.Job, Schedule: c.Pattern.String(), Through: now}
			at := slices.IndexFunc(kept, func(k ledger.Scheduled) bool { return k.Job == job.Job && k.Schedule == job.Schedule })
			if at >= 0 {
				job = kept[at]
			} else {
				anchors = append(anchors, job)
			}
			q.from[step.Job] = job.Through
		}
		q.seen = q.from[c.Job()]
		queues = append(queues, q)
	}
	return queues, anchors
}

// resume gives a queue the due that an earlier process did not finish, if it should be taken up again.
func (s *Scheduler) resume(ctx context.Context, q *queue, open []ledger.Occurrence, now time.Time) error {
	at := slices.IndexFunc(open, func(row ledger.Occurrence) bool { return q.chain.runs(row.Job, row.Schedule) })
	if at < 0 {
		return nil
	}
	due := Due{Local: open[at].Local, At: open[at].At}
	taken, putOff := 0, false
	for _, row := range open {
		if q.chain.runs(row.Job, row.Schedule) {
			taken = max(taken, row.Taken)
			putOff = putOff || row.Local == due.Local && waitsAgain(row)
		}
	}
	if again, _ := resumption(q.chain, taken, len(q.up(now)) > 0, putOff); !again {
		return nil
	}
	p := &pending{due: due, again: true, rows: map[string]ledger.Occurrence{}}
	for _, step := range q.chain.Steps {
		rows, err := s.Ledger.Occurrences(ctx, ledger.OccurrenceFilter{Job: step.Job, Local: due.Local})
		if err != nil {
			return err
		}
		for _, row := range rows {
			if row.Schedule == q.chain.Pattern.String() {
				p.rows[step.Job] = row
			}
		}
	}
	q.pending = p
	return nil
}

// holds reports whether a row is one of those that are taken up again.
func (p *pending) holds(row ledger.Occurrence) bool {
	if p == nil {
		return false
	}
	held, ok := p.rows[row.Job]
	return ok && held.Schedule == row.Schedule && held.Local == row.Local
}

// cutOff is how a due ends that was not finished and is not taken up again.
func cutOff(row ledger.Occurrence, q *queue, now time.Time) ledger.Occurrence {
	var c *Chain
	later := false
	if q != nil {
		c, later = q.chain, len(q.up(now)) > 0
	}
	_, why := resumption(c, row.Taken, later, waitsAgain(row))
	row.Note = cmp.Or(why, laterResumes) // otherwise another due of the chain is taken up
	row.State, row.Ended = ledger.CutOff, now
	return row
}

// giveUp accounts for the dues of schedules that no longer exist which came up while nobody was there.
func giveUp(t Timetable, kept []ledger.Scheduled, now time.Time) (rows []ledger.Occurrence) {
	for _, job := range kept {
		if slices.ContainsFunc(t.Chains, func(c *Chain) bool { return c.runs(job.Job, job.Schedule) }) {
			continue
		}
		pattern, err := parseString(job.Schedule)
		if err != nil {
			continue // written by a newer docketsync; nothing can be said about it
		}
		for due := range pattern.after(job.Through) {
			if due.At.After(now) {
				break
			}
			rows = append(rows, ledger.Occurrence{Job: job.Job, Schedule: job.Schedule, Local: due.Local, At: due.At, State: ledger.Missed,
				Note: "docketsync was not running, and the job's schedule was changed before it ran again"})
		}
	}
	return rows
}

// gone lists the jobs that are no longer scheduled.
func gone(t Timetable, kept []ledger.Scheduled) (jobs []string) {
	for _, job := range kept {
		if !slices.ContainsFunc(t.Chains, func(c *Chain) bool { return c.runs(job.Job, c.Pattern.String()) }) {
			jobs = append(jobs, job.Job)
		}
	}
	return jobs
}
