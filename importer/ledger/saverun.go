package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/evidence"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// Begin adds a new run. Its records can be added from then on.
func (l *Ledger) Begin(ctx context.Context, run Run) error {
	values, err := runValues(run)
	if err != nil {
		return fmt.Errorf("begin run %s: %w", run.ID, err)
	}
	return l.h.Wrap("begin run "+run.ID, l.do(ctx, false, func(tx *transaction) error {
		if _, err := tx.Exec(`insert into runs (job, kind, operation, scope, phase, stop, stop_code, fingerprint, sources, counts, notes, started_at, ended_at, export, guards, order_by, id)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`, values...); err != nil {
			return err
		}
		if run.Made != nil {
			if err := tx.keepMade(run.ID, run.Made); err != nil {
				return err
			}
		}
		return evidence.NoteRun(tx.Tx, chain.Begun, run, values)
	}))
}

// SaveRun writes the current state of a run, or returns ErrNotFound if the run was never begun. Everything that was
// added to the run before is on disk when SaveRun returns.
//
// Only a process that still holds its locks may write a run that sends, so SaveRun checks the locks: a process that was
// frozen may have lost them without knowing. If another process has taken over or finished the run, the error is
// ErrTakenOver.
func (l *Ledger) SaveRun(ctx context.Context, run Run) error {
	values, err := runValues(run)
	if err != nil {
		return fmt.Errorf("save run %s: %w", run.ID, err)
	}
	err = l.patiently(ctx, func() error {
		if run.Kind == Push {
			if err := l.h.Engine.Hold(ctx, nil); err != nil {
				return err
			}
		}
		return l.do(ctx, false, func(tx *transaction) error {
			if run.Phase == Finished || run.Phase == Stopped {
				if err := tx.endPush(run.ID); err != nil {
					return err
				}
			}
			return tx.saveRun(run, values)
		})
	})
	if err == nil {
		err = l.markRun(ctx, run)
	}
	return l.h.Wrap("save run "+run.ID, err)
}

// saveRun counts the end of a run as a commit, once. A run that has finished is not set back to pushing.
func (tx *transaction) saveRun(run Run, values []any) error {
	changed, err := tx.Exec(`update runs set commits = commits + case
			when cast($5 as text) in ('finished', 'stopped') and phase not in ('finished', 'stopped') then 1 else 0 end,
		job = $1, kind = $2, operation = $3, scope = $4, phase = $5, stop = $6, stop_code = $7,
		fingerprint = $8, sources = $9, counts = $10, notes = $11, started_at = $12, ended_at = $13,
		export = $14, guards = $15, order_by = $16 where id = $17
			and (phase <> 'finished' or cast($5 as text) <> 'pushing')`, values...)
	if err == nil && changed == 0 {
		return tx.whyNotSaved(run.ID)
	}
	if err != nil {
		return err
	}
	return evidence.NoteRun(tx.Tx, chain.Saved, run, values)
}

// whyNotSaved returns why a run could not be written: it was never begun, or another process has finished it.
func (tx *transaction) whyNotSaved(run string) error {
	var number int64
	there, err := store.Found(tx.One(`select number from runs where id = $1`, []any{run}, &number))
	switch {
	case err != nil:
		return err
	case !there:
		return handle.NoRun(run)
	}
	return &lostError{run: run}
}

func runValues(r Run) ([]any, error) {
	sources, unlisted := model.InJSON(r.Sources)
	counts, uncounted := model.InJSON(r.Counts)
	export, guards, err := model.ExportValues(r)
	if err := errors.Join(unlisted, uncounted, err); err != nil {
		return nil, err
	}
	return []any{
		store.Plain(r.Job), string(r.Kind), r.Operation, store.Plain(r.Scope), string(r.Phase), store.Plain(r.Stop), r.StopCode, r.Fingerprint,
		sources, counts, store.Raw(r.Notes), r.Started.UnixMicro(), store.Micros(r.Ended), export, guards, store.Optional(store.Plain(r.Order)), r.ID,
	}, nil
}

// keepMade stores what a run that has just begun is made from.
func (tx *transaction) keepMade(run string, made *Made) error {
	text, err := json.Marshal(made)
	if err == nil && made.Mapping != "" {
		_, err = tx.Exec(`insert into mappings (digest, content) values ($1, $2) on conflict do nothing`, made.Mapping, store.Plain(made.Text))
	}
	if err == nil {
		_, err = tx.Exec(`update runs set made_from = $2 where id = $1`, run, string(text))
	}
	return err
}
