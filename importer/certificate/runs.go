package certificate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"docketsync/importer/ledger"
)

// RunError tells that a run cannot be certified, why, and what to do.
type RunError struct {
	Run  string
	What string
	Hint string
}

func (e *RunError) Error() string { return fmt.Sprintf("run %s %s\n%s", e.Run, e.What, e.Hint) }

// chooseRuns finds the runs by their ids or the beginnings of them, each once, in the order in which they began. What is wrong
// with any of them is told of all at once.
func chooseRuns(ctx context.Context, led *ledger.Reader, ids []string) ([]ledger.Run, error) {
	var runs []ledger.Run
	var faults []error
	for _, id := range ids {
		run, err := led.Run(ctx, id)
		if errors.Is(err, ledger.ErrNotFound) {
			err = &RunError{id, "is not in this ledger", "List the runs with 'docketsync runs'. Each firm and service has its own ledger."}
		}
		if err == nil {
			err = certifiable(run)
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if !slices.ContainsFunc(runs, func(r ledger.Run) bool { return r.ID == run.ID }) {
			runs = append(runs, run)
		}
	}
	slices.SortFunc(runs, func(a, b ledger.Run) int {
		return cmp.Or(a.Started.Compare(b.Started), strings.Compare(a.ID, b.ID))
	})
	return runs, errors.Join(faults...)
}

// certifiable says why a run cannot be certified, nil when it can.
func certifiable(run ledger.Run) error {
	switch {
	case run.Kind != ledger.Push:
		return &RunError{run.ID, fmt.Sprintf("is a %s: it sent nothing, so there is nothing to sign off", run.Kind), "Name runs that 'docketsync runs' lists without --all."}
	case run.Phase == ledger.Stopped && run.Fingerprint == "":
		return &RunError{run.ID, "ended before its plan was complete and sent nothing: " + strings.TrimRight(run.Stop, ". "), "Leave it out."}
	case run.Phase != ledger.Finished && run.Phase != ledger.Stopped:
		return &RunError{run.ID, fmt.Sprintf("has not ended (it is %s)", run.Phase), fmt.Sprintf("Wait until it ends, or resume an interrupted run with 'docketsync run %s'.", run.Job)}
	}
	return nil
}
