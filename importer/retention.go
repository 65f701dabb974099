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
	Runs    int `json:"runs"`          // pruned by this call, or finished to be
	Records int `json:"records"`       // removed with them
	Plans   int `json:"plans"`         // plans and checks that were removed whole
	InDoubt int `json:"left_in_doubt"` // runs that are old enough, and have sent what is still in doubt
}

// Prune takes the runs that ended before a time out of the ledger, as far as nothing needs them any more; see Ledger.Prune for
// what stays of them. Left alone are
//   - runs that are not over: one that may be resumed, however old it is, keeps its plan;
//   - runs that sent what is still in doubt: whoever settles it wants to see what was sent;
//   - of each job and scope the newest finished run that read rows, whose export the next one is compared with; while there is none, the newest
//     that was let through to be sent.
//
// Plans and checks, which send nothing, are removed whole. It may be called while runs go on, of this process or another, and
// again after it was cut off. When several do it at once, all but the first find the ledger busy.
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
	for _, run := range slices.Backward(runs) { // oldest first, so that what was cut off goes on where it was
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

// ErrLeap says that pruning is left alone because the machine's clock may be wrong.
var ErrLeap = errors.New("the clock may have jumped ahead")

// steady is how long runs have been made by the clock as it is, until it is believed in what it says is old.
const steady = 7 * 24 * time.Hour

// ProveClock makes sure that a clock has not leapt ahead, by which everything would be old: of the runs that ended since before,
// one must have ended a while ago. The error is an ErrLeap when there is none, though older ones would be pruned. It is for
// pruning that nobody watches; a machine that was off for so long prunes again after a week.
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

// ended is when a run ended, or began where it has no end.
func ended(run ledger.Run) time.Time {
	if run.Ended.IsZero() {
		return run.Started
	}
	return run.Ended
}

// pruneLock keeps two prunes apart. Runs go on beside one: it changes nothing that they read.
const pruneLock = "prune"

// over tells whether nobody will go on with a push.
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

// removePlan removes a plan or check, unless the job is being planned or checked anew at the moment, which removes it too.
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
