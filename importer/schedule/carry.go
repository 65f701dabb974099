package schedule

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/ledger"
)

// carry runs the jobs of a chain for one due, in order. When ctx ends, what was not begun is left waiting, for the next start
// to find. recording outlives ctx; once it ends too, nothing more is written.
func (s *Scheduler) carry(ctx, recording context.Context, c *Chain, p *pending) {
	for _, step := range c.Steps {
		row, known := p.rows[step.Job]
		if !known || !slices.Contains(ledger.Unfinished, row.State) {
			continue // it had ended before an earlier process did
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
		if err != nil || row.State == ledger.Interrupted {
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
	return row, s.persist(recording, row)
}

// persist writes a due down, and tries until that succeeds: a run whose end nobody wrote down would be taken for one that was
// cut off. It gives up when ctx ends or another process has the due.
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
