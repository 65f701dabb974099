package schedule

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"time"

	"docketsync/importer/ledger"
)

// CatchUp says what happens to dues for which no process was there.
type CatchUp string

// The ways to catch up.
const (
	Once  CatchUp = "once"  // one run for all of them, as soon as a process is there
	Never CatchUp = "never" // none; they are missed
)

// Chain is a job that is due by a pattern, and the jobs that come after it at the same due.
type Chain struct {
	Pattern Pattern
	CatchUp CatchUp
	// Delay is the longest random delay; each due has its own.
	Delay time.Duration
	// Seed makes the delays of two installations differ.
	Seed string
	// Steps are the jobs: first the one with the pattern, then each after the job that it follows.
	Steps []Step
}

// Step is one job of a chain.
type Step struct {
	Job string
	// After is the job that must end well before this one begins, "" for the first.
	After string
}

// Job is the first job of the chain.
func (c *Chain) Job() string { return c.Steps[0].Job }

// runs reports whether a job with this schedule is one of the chain's.
func (c *Chain) runs(job, schedule string) bool {
	return schedule == c.Pattern.String() && slices.ContainsFunc(c.Steps, func(step Step) bool { return step.Job == job })
}

// begin returns when a due begins: its time plus its delay, which is the same on every call. Dues of one instant have
// the same delay.
func (c *Chain) begin(d Due) time.Time {
	if c.Delay <= 0 {
		return d.At
	}
	sum := fnv.New64a()
	sum.Write([]byte(c.Seed + "\x00" + c.Job() + "\x00"))
	_ = binary.Write(sum, binary.BigEndian, d.At.Unix())
	// The low bits of this sum are well mixed, the high ones are not; the remainder uses all of them.
	return d.At.Add(time.Duration(sum.Sum64()%uint64(c.Delay/time.Second+1)) * time.Second)
}

// Next returns the first due later than t; ok is false if there is none.
func (c *Chain) Next(t time.Time) (due Due, ok bool) {
	for due := range c.Pattern.after(t) {
		return due, true
	}
	return Due{}, false
}

// Dues returns when each job of a timetable begins next, by what the ledger has accounted for. The time is in the past
// if a due has come up and was not begun, whichever process will begin it. A job that is no longer due is left out.
func Dues(ctx context.Context, book *ledger.Reader, t Timetable, now time.Time) (map[string]time.Time, error) {
	kept, err := book.Scheduled(ctx)
	if err != nil {
		return nil, err
	}
	waiting, err := book.Occurrences(ctx, ledger.OccurrenceFilter{States: []ledger.OccurrenceState{ledger.Waiting}})
	if err != nil {
		return nil, err
	}
	dues := map[string]time.Time{}
	queues, _ := enqueue(t, kept, now)
	for _, q := range queues {
		for _, step := range q.chain.Steps {
			if due, ok := q.chain.Next(q.from[step.Job]); ok {
				dues[step.Job] = q.chain.begin(due)
			}
			for _, row := range waiting {
				if row.Job == step.Job && row.Schedule == q.chain.Pattern.String() {
					dues[step.Job] = q.chain.begin(Due{At: row.At})
				}
			}
		}
	}
	return dues, nil
}

// Timetable is what a scheduler runs. Whoever makes a timetable must make sure that a job is in only one chain, after
// the job that it follows.
type Timetable struct {
	Chains []*Chain
	// StopWithin is how long a run that is asked to stop may take to finish what is in flight.
	StopWithin time.Duration
}

// Next returns when the first due after a time begins, zero for never.
func (t Timetable) Next(after time.Time) (next time.Time) {
	for _, c := range t.Chains {
		for due := range c.Pattern.after(after.Add(-c.Delay)) { // one that came up before may be delayed until later
			if !next.IsZero() && due.At.After(next) {
				break
			}
			if begin := c.begin(due); begin.After(after) && (next.IsZero() || begin.Before(next)) {
				next = begin
			}
		}
	}
	return next
}
