package schedule

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/ledger"
)

// carry runs the jobs of a chain for one due, in order. When ctx ends, what was not begun is left waiting, for the next
// start to find. recording outlives ctx; once it ends too, nothing more is written.
func (s *Scheduler) carry(ctx, recording context.Context, c *Chain, p *pending) {
	for _, step := range c.Steps {
		row, known := p.rows[step.Job]
		if !known || !slices.Contains(ledger.Unfinished, row.State) {
			continue // it had ended in an earlier process
		}
		if state := p.rows[step.After].State; step.After != "" && state != ledger.Ran {
			row.State, row.Ended = ledger.Blocked, s.now()
			row.Note = "it runs after " + step.After + ", which failed; the next scheduled run tries again"
			if s.persist(recording, row) != nil {
				return
			}
			p.rows[step.Job] = row
			continue
		}
		if ctx.Err() != nil {
			return
		}
		row, err := s.runStep(ctx, recording, row, p.late)
		if err != nil || row.State == ledger.Interrupted || row.State == ledger.Waiting {
			return
		}
		p.rows[step.Job] = row
	}
}

// runStep runs one job, between two entries in the ledger.
func (s *Scheduler) runStep(ctx, recording context.Context, row ledger.Occurrence, late bool) (ledger.Occurrence, error) {
	cause := Cause{Local: row.Local, Late: late, Again: row.Taken > 0}
	row.State, row.Taken, row.Began = ledger.Running, row.Taken+1, s.now()
	if err := s.persist(recording, row); err != nil {
		return row, err
	}
	result := s.Run(ctx, row.Job, cause)
	row.Run, row.State, row.Note, row.Ended = result.Run, result.State, result.Message, s.now()
	if row.State == ledger.Waiting {
		row.Taken, row.Ended = row.Taken-1, time.Time{}
	}
	return row, s.persist(recording, row)
}

// persist writes a due to the ledger, and keeps trying until that succeeds: a run without a recorded end would be taken
// for one that was cut off. It gives up when ctx ends or another process has the due.
func (s *Scheduler) persist(ctx context.Context, row ledger.Occurrence) error {
	for {
		err := s.Ledger.SaveOccurrences(ctx, nil, []ledger.Occurrence{row})
		if err == nil {
			s.tell([]ledger.Occurrence{row})
			return nil
		}
		s.Log.Error("the state of a scheduled run could not be recorded", zap.String("job", row.Job), zap.String("due", row.Local), zap.Error(err))
		if ctx.Err() != nil || errors.Is(err, ledger.ErrOccurrenceTaken) {
			return err
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// onTime is how late somebody may come to a due and still be in time: a machine that slept a little, a slow start.
const onTime = 5 * time.Minute

// takes is how often the run of one due is begun at most. A run that brings the process down each time must not do so
// for ever.
const takes = 3

// verdict is what happens to a due that has come up. State is ledger.Waiting for the one to run, which is the last of
// them.
type verdict struct {
	due   Due
	state ledger.OccurrenceState
}

// situation is what there is to know about a chain when dues come up.
type situation struct {
	now     time.Time
	running bool // the chain's previous run is still in progress
	waiting bool // an earlier due waits its turn, and will be run
}

// judge decides what happens to the dues of a chain that have come up, in their order. If one of them is run, it is the
// last one, and its run catches up those before it.
func judge(c *Chain, dues []Due, s situation) []verdict {
	verdicts := make([]verdict, len(dues))
	if len(dues) == 0 {
		return verdicts
	}
	timely := func(d Due) bool { return s.now.Sub(c.begin(d)) <= onTime }
	last := len(dues) - 1
	run := c.CatchUp == Once || s.waiting || timely(dues[last])
	for n, due := range dues {
		verdicts[n] = verdict{due, ledger.Missed}
		switch {
		case s.running:
			verdicts[n].state = ledger.Overlapped
		case run && n == last:
			verdicts[n].state = ledger.Waiting
		case run && (c.CatchUp == Once || s.waiting || timely(due)):
			verdicts[n].state = ledger.CaughtUp
		}
	}
	return verdicts
}

const laterResumes = "docketsync ended during the run; a later scheduled run resumes it"

// waitsAgain reports whether a run was begun and put off; see Result.State.
func waitsAgain(row ledger.Occurrence) bool {
	return row.State == ledger.Waiting && !row.Began.IsZero()
}

// resumption decides whether a due that an earlier process did not finish is taken up again; if not, why says so. later
// says that dues have come up since. A run that was putOff was no accident, so it is taken up whatever the job's
// catch_up says.
func resumption(c *Chain, taken int, later, putOff bool) (again bool, why string) {
	switch {
	case c == nil && putOff:
		return false, "the run waited, and the job's schedule has changed since"
	case putOff:
		return true, ""
	case c == nil:
		return false, "docketsync ended during the run, and the job's schedule has changed since"
	case c.CatchUp == Never:
		return false, "docketsync ended during the run; catch_up is never, so the next scheduled run resumes it"
	case later:
		return false, laterResumes
	case taken >= takes:
		return false, "docketsync ended during the run three times; the next scheduled run resumes it"
	}
	return true, ""
}
