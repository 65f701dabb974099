package importer

import (
	"context"
	"fmt"
	"slices"

	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

// WaitsError says that a job was not sent, because one that it comes after is not in the service completely.
type WaitsError struct {
	Job, For string
	Why      string // in which state the last run of that job is
}

func (e *WaitsError) Error() string {
	return fmt.Sprintf("job %s comes after job %s, %s; nothing was sent", e.Job, e.For, e.Why)
}

// Advice says what to do.
func (e *WaitsError) Advice() string {
	return fmt.Sprintf("Run docketsync run %s, and then docketsync run %s", e.For, e.Job)
}

// waits returns a WaitsError while the last run of a job that this one comes after has not brought all that it was to send to its end:
// accepted or refused, but not failed, in doubt or held. No run is left behind, so that asking again and again fills no ledger.
func (i *Importer) waits(ctx context.Context, job Job) error {
	for _, name := range job.After {
		runs, err := i.Ledger.Runs(ctx, ledger.RunFilter{Job: name, Kinds: []ledger.Kind{ledger.Push}})
		if err != nil {
			return err
		}
		why, err := i.unended(ctx, runs)
		if err != nil {
			return err
		}
		if why != "" {
			return &WaitsError{Job: job.Name, For: name, Why: why}
		}
	}
	return nil
}

// unended says what keeps a job from having ended by its runs, the newest first; "" for nothing. Where a job sends exports, some corrected
// rows that were sent apart do not stand for the export.
func (i *Importer) unended(ctx context.Context, runs []ledger.Run) (string, error) {
	exports := slices.ContainsFunc(runs, func(run ledger.Run) bool { return run.Export != nil })
	for _, run := range runs {
		switch {
		case run.Phase != ledger.Finished && run.Phase != ledger.Stopped:
			return fmt.Sprintf("whose run %s has not ended", run.Name), nil
		case run.Phase == ledger.Stopped:
			return fmt.Sprintf("whose last run %s was stopped", run.Name), nil
		case run.Export == nil && exports:
			continue
		}
		counts, err := i.Ledger.Tally(ctx, run.ID)
		left := 0
		for _, c := range counts {
			switch c.State {
			case ledger.Failed, ledger.InDoubt, ledger.Held:
				left += c.N
			}
		}
		if err != nil || left == 0 {
			return "", err
		}
		return fmt.Sprintf("whose last run %s left %s failed, in doubt or held", run.Name, wording.Counted(left, "record")), nil
	}
	return "which was never run", nil
}
