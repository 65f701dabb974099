package importer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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

// CouldNotRun leaves behind a stopped run that says why a job could not be run, for whoever looks at the runs in the morning:
// without it, the newest they see is that of the last good night. The error is cause, with what else went wrong.
func (i *Importer) CouldNotRun(ctx context.Context, job Job, cause error) (ledger.Run, error) {
	release, err := i.Ledger.Lock(ctx, job.Mapping.Scope())
	if err != nil {
		return ledger.Run{}, errors.Join(cause, err)
	}
	defer func() { _ = release() }() // the lock dies with the process in any case
	return i.couldNotRun(ctx, job, cause)
}

func (i *Importer) couldNotRun(ctx context.Context, job Job, cause error) (ledger.Run, error) {
	run, err := i.open(ctx, job, ledger.Push, "")
	if err != nil {
		return ledger.Run{}, errors.Join(cause, err)
	}
	return run, i.abandon(ctx, &run, cause)
}

// open begins a run in the ledger.
func (i *Importer) open(ctx context.Context, job Job, kind ledger.Kind, print string) (ledger.Run, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return ledger.Run{}, fmt.Errorf("make a run id: %w", err)
	}
	run := ledger.Run{
		ID: id.String(), Job: job.Name, Kind: kind, Operation: string(job.Mapping.Operation()), Scope: job.Mapping.Scope(),
		Phase: ledger.Reading, Fingerprint: print, Started: i.now(),
	}
	if err := i.Ledger.Begin(ctx, run); err != nil {
		return run, err
	}
	i.began(run)
	i.log().Info("run began", zap.String("run", run.ID), zap.String("job", run.Job), zap.String("kind", string(kind)))
	return run, nil
}

// unusable is the guard that an export fires of which no plan can be made, because of cause, although one could be made of the
// last one; nil where the export is not to blame: it is the first, it is not there, or the mapping asks for what it never had.
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
		return &ledger.Guard{Name: guard.Empty, Message: fmt.Sprintf("%v; the last export had %s rows", broken, wording.Thousands(last.Export.Rows))}, nil
	}
	return i.headerLost(ctx, job, *last.Export)
}

// headerLost is the guard of an export that the mapping cannot be bound to, though it could to the last one; nil where it could
// not to that either, so that the mapping is to be mended, or where a lookup is.
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

// stopUnusable ends a run of which no plan can be made. It cannot be let through.
func (i *Importer) stopUnusable(ctx context.Context, run *ledger.Run, guard ledger.Guard, cause error) error {
	if _, err := i.Ledger.Hold(ctx, run.ID); err != nil {
		return errors.Join(cause, err)
	}
	run.Guards, run.Fingerprint = []ledger.Guard{guard}, "" // what was planned of it is not whole
	advice := "The mapping needs what is gone: have it exported again as it was, or change the mapping"
	var broken *format.Error
	if errors.As(cause, &broken) {
		advice = broken.Hint
	}
	return i.end(ctx, run, ledger.Stopped, stop.Guard, strings.TrimSpace(guard.Message+"; nothing was sent. "+advice))
}
