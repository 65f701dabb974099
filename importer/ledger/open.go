package ledger

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/decisions"
	"docketsync/importer/ledger/forget"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/history"
	"docketsync/importer/ledger/occurrences"
	"docketsync/importer/ledger/planning"
	"docketsync/importer/ledger/postgres"
	"docketsync/importer/ledger/prune"
	"docketsync/importer/ledger/search"
	"docketsync/importer/ledger/sqlite"
	"docketsync/importer/ledger/store"
)

// Ledger is an open ledger: a Reader that also writes. Its methods may be used by several goroutines at once.
type Ledger struct {
	*Reader
	queue
	planner
	decide
	searchable
	eraser
	calendar
	pruner

	w      *handle.Writer
	pushes *pushes
	node   string // the name by which other processes know this one

	locked   lane          // calls held under a lock of this process; a lane that refuses does so until the next Lock
	leased   lane          // parts of runs; a lane that refuses does so until the next Take
	groups   atomic.Int64  // how many groups with intents have been committed
	markPath string        // the prefix of the files of KeepHighWaterMark, "" for none
	markJobs []string      // jobs whose marks count whichever ledger left them
	outage   time.Duration // see Outlast; 0 for none
	lagging  bool          // see AcceptLagging
	done     sync.WaitGroup
}

// The writers of the packages below are embedded in Ledger.
type (
	queue      = *history.Queue
	planner    = *planning.Writer
	decide     = *decisions.Writer
	searchable = *search.Writer
	eraser     = *forget.Writer
	calendar   = *occurrences.Writer
	pruner     = *prune.Writer
)

// Open opens the ledger that dsn names and brings its schema up to date. A DSN that begins with postgres:// or
// postgresql:// is a PostgreSQL database. Everything else is the path of an SQLite file (with or without "file:"),
// which is created, with its folder, if it does not exist. The file must not be on a network share.
//
// A ledger that a newer docketsync has written is not touched: the error is fault.ErrNewer. If a newer docketsync opens
// the ledger later, Lock returns fault.ErrNewer.
func Open(ctx context.Context, dsn string) (*Ledger, error) {
	return OpenTrusting(ctx, dsn, postgres.Trust{})
}

// OpenTrusting is Open with settings that say which PostgreSQL servers to trust.
func OpenTrusting(ctx context.Context, dsn string, trust postgres.Trust) (*Ledger, error) {
	engine, err := engineFor(dsn, trust)
	if err != nil {
		return nil, err
	}
	return openOn(ctx, engine)
}

func openOn(ctx context.Context, engine store.Engine) (*Ledger, error) {
	l := &Ledger{pushes: &pushes{runs: map[int64]*push{}, locks: map[string]int{}, lease: lease{usualRequest + LeaseSlack, usualRequest}}, node: nodeName()}
	l.locked.calls, l.leased.calls = make(chan *commit), make(chan *commit)
	stored, err := store.Open(ctx, engine, noneUnderWay(engine))
	if err != nil {
		return nil, err
	}
	h := &handle.Reader{Engine: engine, Read: stored.Reader, VanishedPart: handle.VanishedPart, Patiently: l.patiently}
	l.w = &handle.Writer{Reader: h, Store: stored, Now: time.Now}
	l.Reader = newReader(h)
	l.queue, l.planner = history.NewQueue(l.h), planning.NewWriter(l.w)
	l.decide = decisions.NewWriter(l.w)
	l.searchable = search.NewWriter(l.w, l.index)
	l.eraser = forget.NewWriter(l.w, l.traces, l.lockScopes)
	l.calendar = occurrences.NewWriter(l.w)
	l.pruner = prune.NewWriter(l.w, l.past)
	if err := errors.Join(l.w.OpenEvidence(ctx), l.foldFormer(ctx), l.beginOnServer(ctx)); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	l.done.Go(func() { l.commitGroups(&l.locked) })
	l.done.Go(func() { l.commitGroups(&l.leased) })
	return l, nil
}

func engineFor(dsn string, trust postgres.Trust) (store.Engine, error) {
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		return postgres.New(dsn, trust)
	}
	return sqlite.New(dsn)
}

// Close waits for a commit that is under way and closes the database. Locks are released by their own release
// functions. Calling it again does nothing.
func (l *Ledger) Close() error { return l.w.Store.Close(l.done.Wait) }

// ServerOf returns the PostgreSQL server of the ledger that dsn names, without opening the ledger, or nil if it is a
// file.
func ServerOf(dsn string, trust postgres.Trust) (*postgres.Engine, error) {
	engine, err := engineFor(dsn, trust)
	server, _ := engine.(*postgres.Engine)
	return server, err
}

// Server returns the PostgreSQL server of the ledger, or nil if it is a file.
func (l *Ledger) Server() *postgres.Engine {
	server, _ := l.h.Engine.(*postgres.Engine)
	return server
}

// LaggingStandbys names the standbys that follow the database's server at this moment although not every commit waits
// for them; see postgres.LaggingStandbys. It returns none for SQLite.
func (l *Reader) LaggingStandbys(ctx context.Context) ([]string, error) {
	if !l.h.Engine.Dialect().Remote {
		return nil, nil
	}
	return postgres.LaggingStandbys(ctx, l.h.Read)
}

// Service returns the name of the service that the ledger is about, or "" if nothing has been sent yet. What the ledger
// knows is true of that service alone.
func (l *Reader) Service(ctx context.Context) (string, error) {
	var name string
	_, err := store.Found(l.h.Read.QueryRowContext(ctx, `select name from service`).Scan(&name))
	return name, l.h.Wrap("read which service the ledger is about", err)
}

// SetService sets the service that the ledger is about from now on.
func (l *Ledger) SetService(ctx context.Context, name string) error {
	err := l.do(ctx, false, func(tx *transaction) error {
		if _, err := tx.Exec(`delete from service`); err != nil {
			return err
		}
		tx.Note(chain.Ledger, chain.Op{What: chain.Service}, store.Plain(name))
		_, err := tx.Exec(`insert into service (name) values ($1)`, store.Plain(name))
		return err
	})
	return l.h.Wrap("write which service the ledger is about", err)
}

// BelongTo assigns a ledger that belongs to no firm yet to this one, and returns whose it is. What it knows is true of
// that firm alone.
func (l *Ledger) BelongTo(ctx context.Context, firm string) (owner string, err error) {
	owner, err = l.Firm(ctx)
	if err != nil || owner != "" {
		return owner, err
	}
	if err := l.w.Exec(ctx, "have the ledger belong to a firm", `insert into accounts (name, kept) values ('firm', $1) on conflict (name) do nothing`, []byte(firm)); err != nil {
		return "", err
	}
	return l.Firm(ctx)
}

// Firm returns the firm that the ledger belongs to, or "" if there is none.
func (l *Ledger) Firm(ctx context.Context) (string, error) {
	var kept []byte
	_, err := store.Found(l.h.Read.One(ctx, `select kept from accounts where name = 'firm'`, nil, &kept))
	return string(kept), l.h.Wrap("find out which firm the ledger belongs to", err)
}

// BelongToAny lets the ledger belong to the firm that uses it next.
func (l *Ledger) BelongToAny(ctx context.Context) error {
	return l.w.Exec(ctx, "have the ledger belong to another firm", `delete from accounts where name = 'firm'`)
}

// Account returns what identifies the service's account in which the ledger's records are, as passed to SetAccount, or
// nil if it was not set.
func (l *Reader) Account(ctx context.Context) (kept []byte, err error) {
	_, err = store.Found(l.h.Read.One(ctx, `select kept from accounts where name = 'account'`, nil, &kept))
	return kept, l.h.Wrap("find out which account the ledger is about", err)
}

// SetAccount sets the account of the service that the ledger is about from now on.
func (l *Ledger) SetAccount(ctx context.Context, kept []byte) error {
	return l.w.Exec(ctx, "write which account the ledger is about", `insert into accounts (name, kept) values ('account', $1) on conflict (name) do update set kept = excluded.kept`, kept)
}

// Sent reports whether the service is known to hold any record.
func (l *Reader) Sent(ctx context.Context) (is bool, err error) {
	_, err = store.Found(l.h.Read.One(ctx, `select exists (select 1 from known)`, nil, &is))
	return is, l.h.Wrap("find out whether anything was sent", err)
}

// transaction is one transaction of the code that sends.
type transaction struct {
	*handle.Tx
	pushes *pushes
	again  bool // what it does may have been committed before
}

// do runs one transaction; see handle.Writer.Do.
func (l *Ledger) do(ctx context.Context, relaxed bool, change func(*transaction) error) error {
	return l.doUnder(ctx, nil, relaxed, change)
}

// doUnder runs one transaction that relies only on the given locks; see handle.Writer.DoUnder.
func (l *Ledger) doUnder(ctx context.Context, under store.Locks, relaxed bool, change func(*transaction) error) error {
	return l.w.DoUnder(ctx, under, relaxed, func(tx *handle.Tx) error { return change(&transaction{Tx: tx, pushes: l.pushes}) })
}
