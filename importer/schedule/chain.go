package schedule

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"time"

	"docketsync/importer/ledger"
)

// CatchUp says what becomes of dues for which nobody was there.
type CatchUp string

// The ways to catch up.
const (
	Once  CatchUp = "once"  // one run for all of them, as soon as somebody is there
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
	// Steps are the jobs, the one with the pattern first, each behind the one it comes after.
	Steps []Step
}

// Step is one job of a chain.
type Step struct {
	Job string
	// After is the job that has to end well before this one begins, "" for the first.
	After string
}

// Job is the first job of the chain.
func (c *Chain) Job() string { return c.Steps[0].Job }

// runs tells whether a job is one of the chain's, by its schedule.
func (c *Chain) runs(job, schedule string) bool {
	return schedule == c.Pattern.String() && slices.ContainsFunc(c.Steps, func(step Step) bool { return step.Job == job })
}

// begin is when a due is begun: its time and its delay, which is the same whenever it is asked for. Dues of one instant have
// the same delay.
func (c *Chain) begin(d Due) time.Time {
	if c.Delay <= 0 {
		return d.At
	}
	sum := fnv.New64a()
	sum.Write([]byte(c.Seed + "\x00" + c.Job() + "\x00"))
	_ = binary.Write(sum, binary.BigEndian, d.At.Unix())
	// The low bits of this sum are good, the high ones are not; the remainder uses all of them.
	return d.At.Add(time.Duration(sum.Sum64()%uint64(c.Delay/time.Second+1)) * time.Second)
}

// Next is the first due later than t; ok is false when there is none.
func (c *Chain) Next(t time.Time) (due Due, ok bool) {
	for due := range c.Pattern.after(t) {
		return due, true
	}
	return Due{}, false
}

// Dues tells when each job of a timetable begins next, by what the ledger has accounted for: in the past where a due has come up and was not begun,
// whichever process is to begin it. A job that is not due any more is left out.
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

// Timetable is what a scheduler goes by. A job is in one chain only, behind the one that it comes after: whoever makes a timetable of a
// configuration has made sure of that.
type Timetable struct {
	Chains []*Chain
	// StopWithin is how long a run that is asked to stop may take to finish what is in flight.
	StopWithin time.Duration
}

// Next is when the first due is begun after t, zero for never.
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
