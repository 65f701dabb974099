package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"docketsync/importer/ledger/store"
)

// Begin enters a new run. Its records can be added from then on.
func (l *Ledger) Begin(ctx context.Context, run Run) error {
	values, err := runValues(run)
	if err != nil {
		return fmt.Errorf("begin run %s: %w", run.ID, err)
	}
	err = l.do(ctx, false, func(tx *transaction) error {
		_, err := tx.Exec(`insert into runs (job, kind, operation, scope, phase, stop, stop_code, fingerprint, sources, counts, notes, started_at, ended_at, export, guards, id)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`, values...)
		return err
	})
	return l.wrap("begin run "+run.ID, err)
}

// SaveRun writes a run as it stands now; ErrNotFound when it was never begun. Everything that was added to the run
// before is on disk when SaveRun returns.
func (l *Ledger) SaveRun(ctx context.Context, run Run) error {
	values, err := runValues(run)
	if err != nil {
		return fmt.Errorf("save run %s: %w", run.ID, err)
	}
	err = l.patiently(ctx, func() error { return l.do(ctx, false, saveRun(run.ID, values)) })
	if err == nil {
		err = l.testify(ctx, run)
	}
	return l.wrap("save run "+run.ID, err)
}

// saveRun counts the end of a run as a commit, once.
func saveRun(id string, values []any) func(*transaction) error {
	return func(tx *transaction) error {
		changed, err := tx.Exec(`update runs set commits = commits + case
				when cast($5 as text) in ('finished', 'stopped') and phase not in ('finished', 'stopped') then 1 else 0 end,
			job = $1, kind = $2, operation = $3, scope = $4, phase = $5, stop = $6, stop_code = $7,
			fingerprint = $8, sources = $9, counts = $10, notes = $11, started_at = $12, ended_at = $13,
			export = $14, guards = $15 where id = $16`, values...)
		if err == nil && changed == 0 {
			return noRun(id)
		}
		return err
	}
}

func noRun(id string) error { return fmt.Errorf("run %s: %w", id, ErrNotFound) }

func runValues(r Run) ([]any, error) {
	sources, err := json.Marshal(r.Sources)
	if err != nil {
		return nil, err
	}
	counts, err := json.Marshal(r.Counts)
	if err != nil {
		return nil, err
	}
	export, guards, err := exportValues(r)
	if err != nil {
		return nil, err
	}
	return []any{
		store.Plain(r.Job), string(r.Kind), r.Operation, store.Plain(r.Scope), string(r.Phase), store.Plain(r.Stop), r.StopCode, r.Fingerprint,
		string(sources), string(counts), store.Raw(r.Notes), r.Started.UnixMicro(), store.Micros(r.Ended), export, guards, r.ID,
	}, nil
}

const selectRuns = `select number, id, job, kind, operation, scope, phase, stop, stop_code, fingerprint, sources, counts, notes, started_at, ended_at, export, guards, pruned_at from runs `

func scanRun(rows *sql.Rows) (r Run, err error) {
	var sources, counts, export, guards []byte
	var started, ended, pruned *int64
	var number int64
	err = rows.Scan(&number, &r.ID, &r.Job, &r.Kind, &r.Operation, &r.Scope, &r.Phase, &r.Stop, &r.StopCode, &r.Fingerprint,
		&sources, &counts, (*[]byte)(&r.Notes), &started, &ended, &export, &guards, &pruned)
	if err != nil {
		return r, err
	}
	r.Name = fmt.Sprintf("%s-%d", r.Job, number)
	r.Started, r.Ended, r.Pruned = store.TimeOf(started), store.TimeOf(ended), store.TimeOf(pruned)
	return r, errors.Join(json.Unmarshal(sources, &r.Sources), json.Unmarshal(counts, &r.Counts), r.readExport(export, guards))
}

func (l *Reader) runs(ctx context.Context, where string, args ...any) ([]Run, error) {
	rows, err := l.read.QueryContext(ctx, selectRuns+where, args...)
	if err != nil {
		return nil, err
	}
	return store.Collect(rows, scanRun)
}

// Run returns the run of that name, or of that number, or whose id begins with prefix. The error is ErrNotFound when there is
// none, and ErrAmbiguous, which names the runs, when there are several.
func (l *Reader) Run(ctx context.Context, prefix string) (Run, error) {
	prefix = strings.ToLower(strings.TrimSpace(prefix))
	if prefix == "" {
		return Run{}, fmt.Errorf("find a run: its name or id is missing")
	}
	// Ids are hexadecimal digits and dashes, all of which come before "g".
	list, err := l.runs(ctx, `where id >= $1 and id < $2 order by id limit 5`, store.Plain(prefix), store.Plain(prefix)+"g")
	switch {
	case err != nil:
		return Run{}, l.wrap("find run "+prefix, err)
	case len(list) == 0:
		return l.named(ctx, prefix)
	case len(list) > 1 && list[0].ID != prefix:
		ids := make([]string, len(list))
		for n, run := range list {
			ids[n] = run.ID
		}
		return Run{}, fmt.Errorf("run %s: %w, give more of the id: %s", prefix, ErrAmbiguous, strings.Join(ids, ", "))
	}
	return list[0], nil
}

// named finds a run by its name, or by the number in it, which no id begins with: ids begin with a zero until the year 2527.
func (l *Reader) named(ctx context.Context, name string) (Run, error) {
	at := strings.LastIndexByte(name, '-')
	number, err := strconv.ParseUint(name[at+1:], 10, 63)
	if err != nil || name[at+1] == '0' {
		return Run{}, noRun(name)
	}
	list, err := l.runs(ctx, `where number = $1`, int64(number))
	if err != nil {
		return Run{}, l.wrap("find run "+name, err)
	}
	if len(list) == 0 || at >= 0 && name[:at] != strings.ToLower(list[0].Job) {
		return Run{}, noRun(name)
	}
	return list[0], nil
}

// Runs lists the runs that the filter asks for, newest first.
func (l *Reader) Runs(ctx context.Context, f RunFilter) ([]Run, error) {
	var c store.Clauses
	if f.Job != "" {
		c.Where("job = %s", store.Plain(f.Job))
	}
	if f.Scope != "" {
		c.Where("scope = %s", store.Plain(f.Scope))
	}
	c.Among("kind", store.Words(f.Kinds))
	c.Among("phase", store.Words(f.Phases))
	if f.Exports {
		c.And("export is not null")
	}
	if !f.Before.IsZero() {
		c.Where("coalesce(ended_at, started_at) < %s", f.Before.UnixMicro())
	}
	if f.Unpruned {
		c.And("(pruned_at is null or prune_seq is not null)")
	}
	text := c.Text() + " order by number desc"
	if f.Limit > 0 {
		text += " limit " + c.Param(f.Limit)
	}
	list, err := l.runs(ctx, text, c.Args...)
	return list, l.wrap("list runs", err)
}

// number is what the database calls a run; ErrNotFound when it does not know it.
func (l *Reader) number(ctx context.Context, id string) (int64, error) {
	if known, ok := l.numbers.Load(id); ok {
		return known.(int64), nil
	}
	var number int64
	err := l.read.QueryRowContext(ctx, `select number from runs where id = $1`, id).Scan(&number)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, noRun(id)
	}
	if err == nil {
		l.numbers.Store(id, number)
	}
	return number, err
}

// name is the id of a run by what the database calls it.
func (l *Reader) name(ctx context.Context, number int64) (id string, err error) {
	if known, ok := l.names.Load(number); ok {
		return known.(string), nil
	}
	if err = l.read.QueryRowContext(ctx, `select id from runs where number = $1`, number).Scan(&id); err == nil {
		l.names.Store(number, id)
	}
	return id, err
}
