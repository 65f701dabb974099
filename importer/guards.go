package importer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"
	"go.uber.org/zap"

	"docketsync/config/diagnostic"
	"docketsync/importer/guard"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
	"docketsync/importer/rows"
	"docketsync/importer/source/format"
	"docketsync/importer/stop"
	"docketsync/mapping/table"
)

// consent is what lets a run through its guards.
type consent struct {
	// who has seen the guards that stopped the last run, and accepts them; "" for nobody.
	who string
	// stopped is the run that was looked at; "" for the newest one that its guards stopped.
	stopped string
	// seal names the exact plan that somebody has approved and that is carried out, and approve compares a run with it;
	// nil if there is none.
	seal    string
	approve func(context.Context, ledger.Run) error
	// adopting says that nothing is sent: what the service lists is taken over.
	adopting bool
	// cut is a run of the same input that was let through and then interrupted; nil if there is none.
	cut *ledger.Run
}

// pass decides whether a run that fired guards may go on, and records on whose word.
func (i *Importer) pass(ctx context.Context, run *ledger.Run, print fingerprint, c consent) (bool, error) {
	switch {
	case len(run.Guards) == 0:
		return true, nil
	case c.approve != nil || c.adopting:
		run.Passed = &ledger.Passed{By: "the person who approved the plan", At: i.now()}
		return true, nil
	case c.cut != nil && covers(c.cut.Guards, run.Guards):
		run.Passed = c.cut.Passed
		return true, nil
	case c.who == "":
		return false, nil
	}
	stopped, err := i.stoppedByGuard(ctx, run, print)
	if err != nil || stopped == nil || c.stopped != "" && stopped.ID != c.stopped || !print.is(stopped.Fingerprint) || !slices.Equal(stopped.Guards, run.Guards) {
		return false, err
	}
	run.Passed = &ledger.Passed{By: c.who, At: i.now(), Run: stopped.ID}
	return true, nil
}

// covers reports whether all guards that fired now had fired before. Their numbers may be smaller, because a part has
// been sent since.
func covers(before, now []ledger.Guard) bool {
	return !slices.ContainsFunc(now, func(g ledger.Guard) bool {
		return !slices.ContainsFunc(before, func(b ledger.Guard) bool { return b.Name == g.Name && b.Column == g.Column })
	})
}

// stoppedByGuard returns the newest run of the job that its guards stopped, or nil if there is none. For a part of an
// export it must be of the same part, because several may have been stopped.
func (i *Importer) stoppedByGuard(ctx context.Context, run *ledger.Run, print fingerprint) (*ledger.Run, error) {
	runs, err := i.Ledger.Runs(ctx, ledger.RunFilter{Job: run.Job, Scope: run.Scope, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Stopped}, Limit: mostEmptyNights})
	whole := func(r ledger.Run) bool { return r.Export != nil }
	if n := slices.IndexFunc(runs, func(r ledger.Run) bool {
		return r.StopCode == stop.Guard && whole(r) == whole(*run) && (whole(r) || print.is(r.Fingerprint))
	}); n >= 0 {
		return &runs[n], err
	}
	return nil, err
}

// stopByGuard ends a run that may not go on. Its records are held for good: the next run plans again.
func (i *Importer) stopByGuard(ctx context.Context, run *ledger.Run, print fingerprint, c consent) error {
	said := make([]string, len(run.Guards))
	for n, guard := range run.Guards {
		said[n] = guard.Message
	}
	why := strings.Join(said, "; ") + "; nothing was sent"
	if c.who != "" {
		switch before, err := i.stoppedByGuard(ctx, run, print); {
		case err != nil:
			return i.abandon(ctx, run, err)
		case before == nil:
			why += "; no guard has stopped this job before, so nothing was accepted. Review this, then accept it"
		default:
			why += "; this is not what stopped the job before, so it was not let through"
		}
	}
	return i.stop(ctx, run, stop.Guard, why)
}

// CouldNotRun leaves a stopped run that says why a job could not be run. Without it, whoever looks at the runs in the
// morning would see only the last good night. The error is cause, joined with whatever else went wrong.
func (i *Importer) CouldNotRun(ctx context.Context, job Job, cause error) (ledger.Run, error) {
	release, err := i.Ledger.Lock(ctx, job.Mapping.Scope())
	if err != nil {
		return ledger.Run{}, errors.Join(cause, err)
	}
	defer func() { _ = release() }() // the lock dies with the process in any case
	return i.couldNotRun(ctx, job, cause)
}

func (i *Importer) couldNotRun(ctx context.Context, job Job, cause error) (ledger.Run, error) {
	run, err := i.open(ctx, job, ledger.Push, fingerprint{})
	if err != nil {
		return ledger.Run{}, errors.Join(cause, err)
	}
	return run, i.abandon(ctx, &run, cause)
}

// open begins a run in the ledger.
func (i *Importer) open(ctx context.Context, job Job, kind ledger.Kind, print fingerprint) (ledger.Run, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return ledger.Run{}, fmt.Errorf("make a run id: %w", err)
	}
	run := ledger.Run{
		ID: id.String(), Job: job.Name, Kind: kind, Operation: string(job.Mapping.Operation()), Scope: job.Mapping.Scope(),
		Phase: ledger.Reading, Order: job.Mapping.Order(), Fingerprint: print.sum, Started: i.now(), Made: &print.made,
	}
	run.Made.Version = i.Version
	if err := i.Ledger.Begin(ctx, run); err != nil {
		return run, err
	}
	i.began(run)
	i.log().Info("run began", zap.String("run", run.ID), zap.String("job", run.Job), zap.String("kind", string(kind)))
	return run, nil
}

// unusable returns the guard to fire if no plan can be made of an export because of cause, although one could be made
// of the last. It returns nil if the export is not to blame: it is the first, it is not there, or the mapping asks for
// what it never had.
func (i *Importer) unusable(ctx context.Context, job Job, run *ledger.Run, cause error) (*ledger.Guard, error) {
	if run.Kind != ledger.Push || job.Partial || ctx.Err() != nil {
		return nil, nil
	}
	var broken *format.Error
	var place *fs.PathError
	var faults diagnostic.Faults
	unread := job.Guards.Empty && errors.As(cause, &broken) && !errors.As(cause, &place)
	if !unread && !(job.Guards.Header && errors.As(cause, &faults)) {
		return nil, nil
	}
	last, err := i.lastExport(ctx, run)
	if err != nil || last == nil {
		return nil, err
	}
	if unread {
		named := *broken
		named.File = filepath.Base(broken.File) // the full path is no use: an inbox moves the file away after this
		return &ledger.Guard{Name: guard.Empty, Message: fmt.Sprintf("%v; the last export had %s", &named, wording.Counted(last.Export.Rows, "row"))}, nil
	}
	return i.headerLost(ctx, job, *last.Export)
}

// headerLost returns the guard of an export that the mapping cannot be bound to, although it could to the last one. It
// returns nil if the mapping could not be bound to that one either: then the mapping, or a lookup, has to be corrected.
func (i *Importer) headerLost(ctx context.Context, job Job, last ledger.Export) (*ledger.Guard, error) {
	lookups, err := i.Lookups(ctx, job)
	if err != nil {
		return nil, nil //nolint:nilerr // it is the cause, and told
	}
	if _, err := job.Mapping.Bind(table.Header{Names: guard.ColumnNames(last.Columns)}, lookups); err != nil {
		return nil, nil //nolint:nilerr // told of the header as it is now
	}
	var seen guard.ColumnProfile
	if err := (rows.Walk{Inputs: job.Inputs}).Each(ctx, func(t *rows.Table) error { seen.Begin(t.Header()); return nil }); err != nil {
		return nil, err
	}
	return guard.HeaderChange(last.Columns, seen.Columns), nil
}

// stopUnusable ends a run that cannot be planned. It cannot be let through.
func (i *Importer) stopUnusable(ctx context.Context, run *ledger.Run, guard ledger.Guard, cause error) error {
	run.Guards, run.Fingerprint = []ledger.Guard{guard}, "" // its plan is not complete
	advice := "The mapping requires what is missing: have it exported again as before, or change the mapping"
	if broken, ok := errors.AsType[*format.Error](cause); ok {
		advice = broken.Hint
	}
	return i.stop(ctx, run, stop.Guard, strings.TrimSpace(guard.Message+"; nothing was sent. "+advice))
}
