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

// A disk or a memory that flips a bit may turn what was sent into what was never sent. So a ledger that was not closed cleanly is
// looked through when it is opened next (quick_check: every page, though not every index against its table); Backup and Damage do
// so in full; and before a create goes out, what is known is looked through without its index (CreatesAreNew).

// Damage looks through all of an SQLite ledger and returns what is wrong with it, nothing when it is sound. It changes nothing, and
// needs the ledger neither whole nor writable. A PostgreSQL ledger is fault.ErrOnServer: its own pg_amcheck looks through it.
func Damage(ctx context.Context, dsn string) (damage []string, err error) {
	engine, err := engineFor(dsn, postgres.Trust{Unverified: true}) // a server is not spoken to
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

// selectCreated finds what a run would create though it is known. It reads the rows of known one by one, and not through an index:
// the concatenations rule out a search in one, run_no, which no index has, rules out reading a copy there, and the cross join has
// SQLite begin with them.
const selectCreated = `select r.key from known k cross join records r
	where r.scope = k.scope || '' and r.key = k.key || '' and k.run_no <> 0
		and r.run_no = $1 and r.key <> '' and r.state = 'planned' and r.action = 'create' order by r.seq limit 1`

// CreatesAreNew makes sure that nothing a run is going to create is known to be created already. It is planned by what an index
// says of what is known; this reads the table itself, which takes about a second for a million keys, and only where anything is
// to be created. What it finds is damage: fault.ErrCorrupt.
func (l *Reader) CreatesAreNew(ctx context.Context, run string) error {
	key, some, err := l.created(ctx, run)
	if err == nil && some {
		err = fmt.Errorf("%w: %s was created before, and an index does not say so", fault.ErrDamaged, store.KeyOf(key))
	}
	return l.h.Wrap("make sure that nothing is created twice", err)
}

// selectOverdue finds what a run is going to send though more is known of its key than when it was planned: that is of the epoch
// that the plan began, or a later one.
const selectOverdue = `select exists (select 1 from records r join runs u on u.number = r.run_no join known k on k.scope = r.scope and k.key = r.key
	where r.run_no = $1 and r.state = 'planned' and r.key <> '' and k.epoch >= u.epoch)`

// PlanOverdue tells whether anything was learnt about what a run is going to send since it was planned: a doubt was settled, or ids
// were taken over. Such a plan is not true any more: what is created, or an entry of goods and services, may be there.
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

// created is the first key that a run is going to create and that is known to be created already.
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
	some, err = store.Found(l.h.Read.One(ctx, selectCreated, []any{number}, &key))
	return key, some, err
}

// Writable tells whether the ledger takes changes: nil when a transaction that changes nothing went through.
func (l *Ledger) Writable(ctx context.Context) error {
	err := l.do(ctx, true, func(tx *transaction) error {
		_, err := tx.Exec(`delete from notifications where job = '' and channel = ''`)
		return err
	})
	return l.h.Wrap("check that it can be written", err)
}

// SchemaVersion is the version of the schema that the ledger has, which is the one that this program writes.
func (l *Ledger) SchemaVersion() int64 { return l.w.Store.Version() }

// Doubtful is how many records wait for a person who says what became of them, over all runs.
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
