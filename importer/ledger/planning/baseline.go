package planning

import (
	"context"

	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/history"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
	"docketsync/importer/ledger/unchanged"
)

// mostLearnt is the most keys of which something may have been learnt since the last run. They are held in memory; if
// there are more, everything is looked up.
const mostLearnt = 100_000

// Baseline is what the last run of a job found unchanged, as far as that is still true, and the profile of its export.
//
// It is true for this reason: a run that plans begins a new epoch of its scope before it looks anything up, and
// triggers of the database (package store) stamp every row of what is known with the epoch in which it is written. That
// holds for every writer: another job, a decision about a doubt, another process, a person with the database's own
// tools. So only the keys that have a stamp of that run's epoch or a later one, those in doubt and those unsettled may
// have changed; one statement reads them all. They are looked up, as is everything else that is not found where it was
// expected; that only costs time. Epochs go with known into every copy of the ledger.
type Baseline struct {
	*unchanged.Baseline
	export *model.Export
}

// Export returns the profile of the last run's export, or nil if nothing is compared with it.
func (b *Baseline) Export() *model.Export { return b.export }

// Baseline begins the planning of a run and reads the last finished run of its job and scope that read a whole export.
// The run must have begun, and lookups for its plan must come after this call. Close ends it.
func (l *Writer) Baseline(ctx context.Context, run model.Run) (*Baseline, error) {
	b, err := l.baseline(ctx, run)
	return b, l.w.Wrap("compare with the last run", err)
}

func (l *Writer) baseline(ctx context.Context, run model.Run) (*Baseline, error) {
	none := &Baseline{Baseline: unchanged.NewBaseline(ctx, l.w.Read, 0, nil)}
	number, err := l.w.Number(ctx, run.ID)
	if err != nil {
		return none, err
	}
	if err := l.w.Do(ctx, true, func(tx *handle.Tx) error { return beginEpoch(tx, number, run.Scope) }); err != nil {
		return none, err
	}
	var last, epoch int64
	var export *model.Export
	some, err := store.Found(l.w.Read.QueryRowContext(ctx, `select r.number, r.epoch, r.export from runs r join epochs e on e.scope = r.scope
		where r.job = $1 and r.scope = $2 and r.operation = $3 and r.kind = 'run' and r.phase = 'finished' and r.export is not null
			and r.epoch >= e.floor and r.number <> $4 and exists (select 1 from ranges s where s.run_no = r.number)
		order by r.number desc limit 1`, store.Plain(run.Job), store.Plain(run.Scope), run.Operation, number).Scan(&last, &epoch, store.JSON(&export)))
	if err != nil || !some || export == nil {
		return none, err
	}
	learnt, err := l.learnt(ctx, run.Scope, epoch)
	if err != nil || learnt == nil {
		return none, err
	}
	return &Baseline{Baseline: unchanged.NewBaseline(ctx, l.w.Read, last, learnt), export: export}, nil
}

func beginEpoch(tx *handle.Tx, run int64, scope string) error {
	var epoch int64
	if err := tx.One(`insert into epochs (scope, epoch) values ($1, 1) on conflict (scope) do update set epoch = epochs.epoch + 1 returning epoch`,
		[]any{store.Plain(scope)}, &epoch); err != nil {
		return err
	}
	_, err := tx.Exec(`update runs set epoch = $2 where number = $1`, run, epoch)
	return err
}

// SelectLearnt finds, in one statement and so at one instant, the keys of a scope that cannot be recognised: those in
// doubt; those that were sent after they were last accepted; those of which something is known of an epoch or a later
// one; those that share their id in the service with such a key, because what was sent under another name of a record
// is learnt of the record; and those that the service stored differently, because the settings of each run decide
// whether that is reported.
const SelectLearnt = `select key from records where scope = $1 and state in ('sending', 'in_doubt') and sent_at is not null
	union all select r.key from records r join known k on k.scope = r.scope and k.key = r.key
		where r.scope = $1 and ` + history.UnsettledStates + ` and r.sent_at is not null and r.run_no > k.run_no
	union all select key from known where scope = $1 and epoch >= $2
	union all select o.key from known k join known o on o.service_id = k.service_id and o.scope = k.scope and o.key <> k.key
		where k.scope = $1 and k.epoch >= $2 and o.service_id <> ''
	union all select key from known where scope = $1 and differs is not null
	limit $3`

// learnt returns the keys of a scope that cannot be recognised, or nil if they are too many to hold.
func (l *Writer) learnt(ctx context.Context, scope string, since int64) (map[string]struct{}, error) {
	keys, err := store.List(ctx, l.w.Read, store.Column[string], SelectLearnt, store.Plain(scope), since, mostLearnt+1)
	if err != nil || len(keys) > mostLearnt {
		return nil, err
	}
	learnt := make(map[string]struct{}, len(keys))
	for _, key := range keys {
		learnt[store.KeyOf(key)] = struct{}{}
	}
	return learnt, nil
}

// UnchangedWriter returns the writer of the unremarkable records of a run that has begun. Unlike Add it does not notice
// a key that the run has already: the planner does, and calls Unite. As with Add, what it writes may be lost until
// SaveRun has returned.
func (l *Writer) UnchangedWriter(ctx context.Context, run model.Run) (*unchanged.Writer, error) {
	number, err := l.w.Number(ctx, run.ID)
	if err != nil {
		return nil, l.w.Wrap("write unchanged records", err)
	}
	return unchanged.NewWriter(l.w.Store, number, run.Scope), nil
}
