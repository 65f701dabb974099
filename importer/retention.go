package importer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/moment"
)

// Pruned is what Prune has done.
type Pruned struct {
	Runs    int `json:"runs"`          // pruned by this call, or finished by it
	Records int `json:"records"`       // removed with them
	Plans   int `json:"plans"`         // plans and checks that were removed whole
	InDoubt int `json:"left_in_doubt"` // old runs that are kept because some of what they sent is in doubt
}

// Prune removes from the ledger the runs that ended before a time, as far as nothing needs them any more; Ledger.Prune
// says what stays of them. It keeps
//   - runs that are not over: one that may be resumed, however old it is, keeps its plan;
//   - runs with records in doubt: whoever settles them wants to see what was sent;
//   - of each job and scope the newest finished run that read rows, because the next export is compared with it; if
//     there is none, the newest that was let through to be sent.
//
// Plans and checks, which send nothing, are removed whole. Prune may be called while runs go on, in this process or
// another, and again after an interruption. If several processes call it at once, all but the first find the ledger
// busy.
func Prune(ctx context.Context, book *ledger.Ledger, before time.Time) (done Pruned, err error) {
	release, err := book.Lock(ctx, pruneLock)
	if err != nil {
		return done, err
	}
	defer func() { _ = release() }() // the lock dies with the process in any case
	runs, err := book.Runs(ctx, ledger.RunFilter{Before: before, Unpruned: true})
	if err != nil {
		return done, err
	}
	newest := map[string]string{}
	for _, run := range slices.Backward(runs) { // oldest first, so that an interrupted prune goes on where it was
		switch {
		case run.Kind != ledger.Push:
			err = removePlan(ctx, book, run, &done)
		case !over(run):
		default:
			err = pruneRun(ctx, book, run, newest, &done)
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// ErrLeap says that nothing was pruned because the machine's clock may be wrong.
var ErrLeap = errors.New("the clock may have jumped ahead")

// steady is how long there must have been runs before ProveClock believes the clock.
const steady = 7 * 24 * time.Hour

// ProveClock makes sure that the clock has not jumped ahead, which would make every run look old. One of the runs that
// ended since before must have ended a while ago: a week, or half the time since before if that is shorter. If there is
// none, although older runs would be pruned, it returns an ErrLeap. It is for pruning that nobody watches; a machine
// that was off that long prunes again after a week.
func ProveClock(ctx context.Context, book *ledger.Ledger, before, now time.Time) error {
	pushes := ledger.RunFilter{Kinds: []ledger.Kind{ledger.Push}, Unpruned: true, Before: before, Limit: 1}
	old, err := book.Runs(ctx, pushes)
	if err != nil || len(old) == 0 {
		return err
	}
	pushes.Before = now.Add(-min(steady, now.Sub(before)/2))
	newest, err := book.Runs(ctx, pushes)
	if err != nil || len(newest) > 0 && !ended(newest[0]).Before(before) {
		return err
	}
	return fmt.Errorf("%w: it shows %s, but the last run before this week ended on %s. Nothing is pruned until there have been runs for a week; "+
		"if the clock is right, run docketsync ledger prune", ErrLeap, moment.Day(now), moment.Day(ended(old[0])))
}

// ended returns when a run ended, or when it began if it has no end.
func ended(run ledger.Run) time.Time {
	if run.Ended.IsZero() {
		return run.Started
	}
	return run.Ended
}

// pruneLock keeps two prunes apart. Runs may go on beside a prune, which changes nothing that they read.
const pruneLock = "prune"

// over reports whether a push will never be resumed.
func over(run ledger.Run) bool {
	return run.Phase == ledger.Finished || run.Phase == ledger.Stopped && !resumable(run)
}

func pruneRun(ctx context.Context, book *ledger.Ledger, run ledger.Run, newest map[string]string, done *Pruned) error {
	of := run.Job + "\x00" + run.Scope
	if _, asked := newest[of]; !asked {
		last, err := lastExported(ctx, book.Reader, run, 0)
		if err != nil {
			return err
		}
		newest[of] = ""
		if last != nil {
			newest[of] = last.ID
		}
	}
	if newest[of] == run.ID {
		return nil
	}
	removed, err := book.Prune(ctx, run.ID)
	done.Records += removed
	switch {
	case errors.Is(err, ledger.ErrOpen):
		done.InDoubt++
		return nil
	case err != nil:
		return err
	}
	done.Runs++
	return nil
}

// removePlan removes a plan or check, unless the job is being planned or checked at the moment, which removes it too.
func removePlan(ctx context.Context, book *ledger.Ledger, run ledger.Run, done *Pruned) error {
	release, err := book.Lock(ctx, dryLock(run.Kind, run.Job))
	if errors.Is(err, fault.ErrBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = release() }()
	err = book.RemoveRun(ctx, run.ID)
	if errors.Is(err, ledger.ErrNotFound) {
		return nil
	}
	if err == nil {
		done.Plans++
	}
	return err
}
