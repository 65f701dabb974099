package importer

import (
	"context"
	"fmt"

	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

// Predecessor is a job that another one comes after. Inbox says that it runs the files that arrive in one, Changes that each of them holds
// changes and not the whole export.
type Predecessor struct {
	Name           string
	Inbox, Changes bool
}

// WaitsError says that a job was not sent, because one that it comes after is not in the service completely.
type WaitsError struct {
	Job, For string
	Why      string // in which state the last run of that job is

	inbox, again, left bool // it has an inbox, which is to be given the same file again; its last run left something
}

func (e *WaitsError) Error() string {
	return fmt.Sprintf("it comes after job %s, %s; nothing was sent", e.For, e.Why)
}

// Advice says what to do.
func (e *WaitsError) Advice() string {
	first, then := "Run both: ", fmt.Sprintf("docketsync run %s %s", e.For, e.Job)
	if e.left {
		again := ""
		if e.again {
			again = ", and put the same file into its inbox again"
		}
		first = "Settle what is in doubt or held with docketsync resolve" + again + ". Then: "
	}
	if e.inbox {
		then = fmt.Sprintf("docketsync inbox %s, then docketsync run %s", e.For, e.Job)
	}
	return first + then
}

// waits returns a WaitsError while the last run of a job that this one comes after has not brought all that it was to send to its end:
// accepted or refused, but not failed, in doubt or held. No run is left behind, so that asking again and again fills no ledger.
func (i *Importer) waits(ctx context.Context, job Job) error {
	for _, before := range job.After {
		runs, err := i.Ledger.Runs(ctx, ledger.RunFilter{Job: before.Name, Kinds: []ledger.Kind{ledger.Push}})
		if err != nil {
			return err
		}
		why, left, err := i.unended(ctx, runs, before.Changes)
		if err != nil {
			return err
		}
		if why != "" {
			return &WaitsError{Job: job.Name, For: before.Name, Why: why, inbox: before.Inbox, again: before.Inbox && !before.Changes, left: left}
		}
	}
	return nil
}

// unended says what keeps a job from having ended by its runs, the newest first, and whether that is something the last one left; "" for
// nothing. Some rows of an export that were sent apart do not stand for the export.
func (i *Importer) unended(ctx context.Context, runs []ledger.Run, changes bool) (why string, left bool, err error) {
	for _, run := range runs {
		switch {
		case run.Phase != ledger.Finished && run.Phase != ledger.Stopped:
			return fmt.Sprintf("whose run %s has not ended", run.Name), false, nil
		case run.Phase == ledger.Stopped:
			return fmt.Sprintf("whose last run %s was stopped", run.Name), false, nil
		case run.Export == nil && !changes:
			continue
		}
		n, err := i.count(ctx, run.ID, func(c ledger.Count) bool {
			return c.State == ledger.Failed || c.State == ledger.InDoubt || c.State == ledger.Held
		})
		if err != nil || n == 0 {
			return "", false, err
		}
		return fmt.Sprintf("whose last run %s left %s failed, in doubt or held", run.Name, wording.Counted(n, "record")), true, nil
	}
	return "which has never been run as a whole", false, nil
}
