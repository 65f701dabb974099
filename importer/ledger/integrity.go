package ledger

import (
	"context"
	"fmt"
	"os"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/postgres"
	"docketsync/importer/ledger/sqlite"
	"docketsync/importer/ledger/store"
)

// A bit flipped by a disk or by memory may turn what was sent into what was never sent. So a ledger that was not closed
// cleanly is checked when it is next opened (quick_check: every page, but not every index against its table). Backup
// and Damage check all of it. And before a create goes out, what is known is searched without its index
// (CreatesAreNew).

// Damage checks all of an SQLite ledger and returns what is wrong with it, or nothing if it is sound. It changes
// nothing, and works on a ledger that is damaged or not writable. For a PostgreSQL ledger it returns fault.ErrOnServer:
// the server's own pg_amcheck does this.
func Damage(ctx context.Context, dsn string) (damage []string, err error) {
	engine, err := engineFor(dsn, postgres.Trust{Unverified: true}) // the server is not contacted
	if err != nil {
		return nil, err
	}
	const doing = "check the ledger"
	e, ok := engine.(*sqlite.Engine)
	if !ok {
		return nil, &fault.Error{Ledger: engine.Label(), Doing: doing, Kind: fault.ErrOnServer, Err: fault.ErrOnServer, Hint: "Use pg_amcheck --heapallindexed, which checks its tables and indexes."}
	}
	if _, err := os.Stat(e.Path); err != nil {
		return nil, err
	}
	damage, err = e.Damage(ctx, "integrity_check(100)")
	if _, kind := e.Judge(err); err != nil && takesNothing(kind) {
		if e, err = sqlite.CopyOf(ctx, e.Path, err); err != nil {
			return nil, err
		}
		defer e.Close()
		damage, err = e.Damage(ctx, "integrity_check(100)")
	}
	if hint, kind := e.Judge(err); err != nil && kind != fault.ErrCorrupt {
		return nil, &fault.Error{Ledger: e.Path, Doing: doing, Kind: kind, Hint: hint, Err: err}
	}
	if err != nil {
		damage = append(damage, err.Error())
	}
	return damage, nil
}

// selectCreated finds what a run would create although it is known. It reads the rows of known one by one and not
// through an index: the concatenations rule out an index search, run_no, which no index has, rules out reading an index
// instead of the table, and the cross join makes SQLite begin with known.
const selectCreated = `select r.key from known k cross join records r
	where r.scope = k.scope || '' and r.key = k.key || '' and k.run_no <> 0
		and r.run_no = $1 and r.key <> '' and r.state = 'planned' and r.action = 'create' order by r.seq limit 1`

// selectCreatedOnServer is selectCreated for PostgreSQL, where it would read all of known once for each record: reading a
// table counts as so expensive there (see postgres.Engine) that the server prefers any plan that gives the order.
const selectCreatedOnServer = `select key from (select scope || '' as scope, key || '' as key from known where run_no <> 0
	intersect select scope, key from records where run_no = $1 and key <> '' and state = 'planned' and action = 'create') c limit 1`

func (l *Reader) selectCreated() string {
	if l.h.Engine.Dialect().Remote {
		return selectCreatedOnServer
	}
	return selectCreated
}

// CreatesAreNew makes sure that nothing a run is going to create is known to be created already. The plan relies on
// what an index says of what is known; CreatesAreNew reads the table itself. That takes about a second for a million
// keys, and is done only if there is anything to create. If it finds something, the ledger is damaged:
// fault.ErrCorrupt.
func (l *Reader) CreatesAreNew(ctx context.Context, run string) error {
	key, some, err := l.created(ctx, run)
	if err == nil && some {
		err = fmt.Errorf("%w: %s was created before, and an index does not say so", fault.ErrDamaged, store.KeyOf(key))
	}
	return l.h.Wrap("make sure that nothing is created twice", err)
}

// selectOverdue finds what a run is going to send although more is known of its key than when it was planned: something
// of the epoch that the plan began, or of a later one.
const selectOverdue = `select exists (select 1 from records r join runs u on u.number = r.run_no join known k on k.scope = r.scope and k.key = r.key
	where r.run_no = $1 and r.state = 'planned' and r.key <> '' and k.epoch >= u.epoch)`

// PlanOverdue reports whether anything was learnt since a run was planned about what it is going to send: a doubt was
// settled, or ids were adopted. Such a plan is no longer true, because what it creates, or an entry of goods and
// services, may exist already.
func (l *Reader) PlanOverdue(ctx context.Context, run string) (overdue bool, err error) {
	number, err := l.h.Number(ctx, run)
	if err == nil {
		_, overdue, err = l.created(ctx, run)
	}
	if err == nil && !overdue {
		err = l.h.Read.One(ctx, selectOverdue, []any{number}, &overdue)
	}
	return overdue, l.h.Wrap("make sure that a plan is still true", err)
}

// created returns the first key that a run is going to create although it is known to be created already.
func (l *Reader) created(ctx context.Context, run string) (key string, some bool, err error) {
	number, err := l.h.Number(ctx, run)
	if err == nil {
		err = l.h.ForAll("look up what was created")
	}
	if err != nil {
		return "", false, err
	}
	err = l.h.Read.One(ctx, `select exists (select 1 from records where run_no = $1 and state = 'planned' and action = 'create')`, []any{number}, &some)
	if err != nil || !some {
		return "", false, err
	}
	some, err = store.Found(l.h.Read.One(ctx, l.selectCreated(), []any{number}, &key))
	return key, some, err
}

// Writable returns nil if the ledger can be written: a transaction that changes nothing succeeded.
func (l *Ledger) Writable(ctx context.Context) error {
	return l.w.Exec(ctx, "check that it can be written", `delete from notifications where job = '' and channel = ''`)
}

// SchemaVersion returns the version of the ledger's schema, which is the one that this program writes.
func (l *Ledger) SchemaVersion() int64 { return l.w.Store.Version() }

// Doubtful returns how many records of all runs wait for a person to say what became of them.
func (l *Reader) Doubtful(ctx context.Context) (int, error) {
	var n int
	var c store.Clauses
	c.And("state in ('sending', 'in_doubt') and sent_at is not null and state = 'in_doubt'")
	if jobs := l.h.Jobs(&c); jobs != "" {
		c.And("run_no in (select number from runs where job in (" + jobs + "))")
	}
	err := l.h.Read.One(ctx, `select count(*) from records `+c.Text(), c.Args, &n)
	return n, l.h.Wrap("count what is in doubt", err)
}
