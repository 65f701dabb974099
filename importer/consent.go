package importer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/stop"
)

// consent is what lets a run through its guards.
type consent struct {
	// who has seen the guards that stopped the last run, and takes it on them; "" for nobody.
	who string
	// stopped is the run that was looked at, "" for the newest one that its guards stopped.
	stopped string
	// approved says that somebody approved the very plan that is carried out.
	approved bool
	// adopting says that nothing is sent: what the service lists is taken over.
	adopting bool
	// cut is a run of the same input that was let through and then cut off; nil for none.
	cut *ledger.Run
}

// pass decides whether a run that fired guards may go on, and writes down on whose word.
func (i *Importer) pass(ctx context.Context, run *ledger.Run, print fingerprint, c consent) (bool, error) {
	switch {
	case len(run.Guards) == 0:
		return true, nil
	case c.approved:
		run.Passed = &ledger.Passed{By: "whoever approved the plan", At: i.now()}
		return true, nil
	case c.cut != nil && covers(c.cut.Guards, run.Guards):
		run.Passed = c.cut.Passed
		return true, nil
	case c.who == "":
		return false, nil
	}
	stopped, err := i.stoppedByGuard(ctx, run)
	if err != nil || stopped == nil || c.stopped != "" && stopped.ID != c.stopped || !print.is(stopped.Fingerprint) || !slices.Equal(stopped.Guards, run.Guards) {
		return false, err
	}
	run.Passed = &ledger.Passed{By: c.who, At: i.now(), Run: stopped.ID}
	return true, nil
}

// covers tells whether all guards that fired now had fired before. What they count may be less, as a part has been sent.
func covers(before, now []ledger.Guard) bool {
	for _, g := range now {
		if !slices.ContainsFunc(before, func(b ledger.Guard) bool { return b.Name == g.Name && b.Column == g.Column }) {
			return false
		}
	}
	return true
}

// stoppedByGuard is the newest run of the job that its guards stopped, nil for none.
func (i *Importer) stoppedByGuard(ctx context.Context, run *ledger.Run) (*ledger.Run, error) {
	runs, err := i.Ledger.Runs(ctx, ledger.RunFilter{
		Job: run.Job, Scope: run.Scope, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Stopped}, Exports: true, Limit: mostEmptyNights,
	})
	for _, earlier := range runs {
		if earlier.StopCode == stop.Guard {
			return &earlier, err
		}
	}
	return nil, err
}

// stopByGuard ends a run that may not go on. Its records are held for good: the next run plans anew.
func (i *Importer) stopByGuard(ctx context.Context, run *ledger.Run, c consent) error {
	if _, err := i.Ledger.Hold(ctx, run.ID); err != nil {
		return err
	}
	said := make([]string, len(run.Guards))
	for n, guard := range run.Guards {
		said[n] = guard.Message
	}
	advice := "if it is right, let it through with: docketsync run %s --accept-guard"
	if c.who != "" {
		advice = "this is not what stopped the job before, so it was not let through; if it is right, say once more: docketsync run %s --accept-guard"
	}
	why := fmt.Sprintf("%s; nothing was sent. Look at the export; "+advice, strings.Join(said, "; "), run.Job)
	return i.end(ctx, run, ledger.Stopped, stop.Guard, why)
}
