package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

const selectRuns = `select number, id, job, kind, operation, scope, phase, stop, stop_code, fingerprint, sources, counts, notes, started_at, ended_at, export, guards, pruned_at, coalesce(order_by, '') from runs `

func scanRun(rows *sql.Rows) (r model.Run, err error) {
	var guards model.Guarded
	var number int64
	err = rows.Scan(&number, &r.ID, &r.Job, &r.Kind, &r.Operation, &r.Scope, &r.Phase, &r.Stop, &r.StopCode, &r.Fingerprint,
		store.JSON(&r.Sources), store.JSON(&r.Counts), (*[]byte)(&r.Notes), (*store.Time)(&r.Started), (*store.Time)(&r.Ended),
		store.JSON(&r.Export), store.JSON(&guards), (*store.Time)(&r.Pruned), &r.Order)
	r.Name, r.Guards, r.Passed = fmt.Sprintf("%s-%d", r.Job, number), guards.Fired, guards.Passed
	return r, err
}

func (l *Reader) runs(ctx context.Context, where string, args ...any) ([]model.Run, error) {
	list, err := store.List(ctx, l.h.Read, scanRun, selectRuns+where, args...)
	return slices.DeleteFunc(list, func(r model.Run) bool { return !l.h.Sees(r.Job) }), err
}

// Run returns the run with that name or number, or whose id begins with prefix. The error is ErrNotFound if there is
// none, and ErrAmbiguous, which names the runs, if there are several.
func (l *Reader) Run(ctx context.Context, prefix string) (model.Run, error) {
	prefix = strings.ToLower(strings.TrimSpace(prefix))
	if prefix == "" {
		return model.Run{}, fmt.Errorf("find a run: its name or id is missing")
	}
	// Ids are hexadecimal digits and dashes, all of which come before "g".
	list, err := l.runs(ctx, `where id >= $1 and id < $2 order by id limit 5`, store.Plain(prefix), store.Plain(prefix)+"g")
	switch {
	case err != nil:
		return model.Run{}, l.h.Wrap("find run "+prefix, err)
	case len(list) == 0:
		return l.named(ctx, prefix)
	case len(list) > 1 && list[0].ID != prefix:
		ids := make([]string, len(list))
		for n, run := range list {
			ids[n] = run.ID
		}
		return model.Run{}, fmt.Errorf("run %s: %w, use more of the id: %s", prefix, handle.ErrAmbiguous, strings.Join(ids, ", "))
	}
	return list[0], nil
}

// named finds a run by its name, or by the number in it. No id begins with such a number: ids begin with a zero until
// the year 2527.
func (l *Reader) named(ctx context.Context, name string) (model.Run, error) {
	at := strings.LastIndexByte(name, '-')
	number, err := strconv.ParseUint(name[at+1:], 10, 63)
	if err != nil || name[at+1] == '0' {
		return model.Run{}, handle.NoRun(name)
	}
	list, err := l.runs(ctx, `where number = $1`, int64(number))
	if err != nil {
		return model.Run{}, l.h.Wrap("find run "+name, err)
	}
	if len(list) == 0 || at >= 0 && name[:at] != strings.ToLower(list[0].Job) {
		return model.Run{}, handle.NoRun(name)
	}
	return list[0], nil
}

// Runs lists the runs that the filter asks for, newest first.
func (l *Reader) Runs(ctx context.Context, f model.RunFilter) ([]model.Run, error) {
	var c store.Clauses
	c.Named("job", f.Job)
	l.h.Inside(&c, "job")
	for _, job := range f.NotJobs {
		c.Where("job <> %s", store.Plain(job))
	}
	c.Named("scope", f.Scope)
	c.Named("operation", f.Operation)
	store.Among(&c, "kind", f.Kinds)
	store.Among(&c, "phase", f.Phases)
	if f.Exports {
		c.And("export is not null")
	}
	if !f.Before.IsZero() {
		c.Where("coalesce(ended_at, started_at) < %s", f.Before.UnixMicro())
	}
	if f.Unpruned {
		c.And("(pruned_at is null or prune_seq is not null)")
	}
	list, err := l.runs(ctx, c.Text()+" order by number desc"+c.Limit(f.Limit), c.Args...)
	return list, l.h.Wrap("list runs", err)
}

// Made returns what the plan of a run was made from, or nothing if the run began before that was stored.
func (l *Reader) Made(ctx context.Context, run string) (made model.Made, err error) {
	var stored, text *string
	some, err := store.Found(l.h.Read.One(ctx, `select r.made_from from runs r where r.id = $1`, []any{run}, &stored))
	if err == nil && !some {
		err = handle.NoRun(run)
	}
	if err != nil || stored == nil {
		return made, l.h.Wrap("read what a plan was made from", err)
	}
	if err := json.Unmarshal([]byte(*stored), &made); err != nil {
		return made, fmt.Errorf("read what the plan of run %s was made from: %w", run, err)
	}
	_, err = store.Found(l.h.Read.One(ctx, `select content from mappings where digest = $1`, []any{made.Mapping}, &text))
	if text != nil {
		made.Text = *text
	}
	return made, l.h.Wrap("read what a plan was made from", err)
}
