package ledger

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/postgres"
	"docketsync/importer/ledger/sqlite"
	"docketsync/importer/ledger/store"
)

// Ledger is one ledger, open. All methods may be used by several goroutines at once.
type Ledger struct {
	*Reader
	store  *store.Store
	pushes *pushes
	now    func() time.Time
	node   string // what other processes know this one by

	commits  chan *commit
	groups   atomic.Int64                // how many groups with intents have been committed
	broken   atomic.Pointer[fault.Error] // the failure after which Commit refuses, until the next Lock
	markPath string                      // how the files of KeepHighWaterMark begin, "" for none
	outage   time.Duration               // see Outlast, 0 for none
	chains   sync.Map                    // run number → whether it has a chain of evidence
	done     sync.WaitGroup
}

// Open opens the ledger that dsn names and brings its schema up to date. A DSN that begins with postgres:// or
// postgresql:// is a PostgreSQL database; everything else is the path of an SQLite file (with or without "file:"), which
// is made, with its folder, when it is not there. The file must not lie on a network share.
//
// A ledger that a newer docketsync has written is not touched: the error is fault.ErrNewer. One that a newer docketsync opens later
// is fault.ErrNewer to Lock.
func Open(ctx context.Context, dsn string) (*Ledger, error) {
	return OpenTrusting(ctx, dsn, postgres.Trust{})
}

// OpenTrusting is Open with what is said about the servers of PostgreSQL databases.
func OpenTrusting(ctx context.Context, dsn string, trust postgres.Trust) (*Ledger, error) {
	engine, err := engineFor(dsn, trust)
	if err != nil {
		return nil, err
	}
	return openOn(ctx, engine)
}

func openOn(ctx context.Context, engine store.Engine) (*Ledger, error) {
	l := &Ledger{pushes: &pushes{runs: map[int64]*push{}, locks: map[string]int{}, lease: lease{usualRequest + LeaseSlack, usualRequest}}, now: time.Now, node: nodeName(), commits: make(chan *commit)}
	var err error
	if l.store, err = store.Open(ctx, engine, noneUnderWay(engine)); err != nil {
		return nil, err
	}
	l.Reader = &Reader{engine: engine, read: l.store.Reader, vanishedPart: vanishedPart, patiently: l.patiently}
	if err := errors.Join(l.openEvidence(ctx), l.foldFormer(ctx)); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	l.done.Add(1)
	go l.commitGroups()
	return l, nil
}

func engineFor(dsn string, trust postgres.Trust) (store.Engine, error) {
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		return postgres.New(dsn, trust)
	}
	return sqlite.New(dsn)
}

// Close waits for the commit that is under way, if there is one, and lets go of the database. Locks are released by
// their own release functions. Calling it again does nothing.
func (l *Ledger) Close() error { return l.store.Close(l.done.Wait) }

// Server is the PostgreSQL server of the ledger, nil where it is a file.
func (l *Ledger) Server() *postgres.Engine {
	server, _ := l.engine.(*postgres.Engine)
	return server
}

// LaggingStandbys names the standbys that follow the database's server at this moment though no commit waits for any, see
// postgres.LaggingStandbys. There are none with SQLite.
func (l *Reader) LaggingStandbys(ctx context.Context) ([]string, error) {
	if !l.engine.Dialect().Remote {
		return nil, nil
	}
	return postgres.LaggingStandbys(ctx, l.read)
}

// exec runs one statement in a transaction of its own, which is on disk when it returns. doing says what for, in an error.
func (l *Ledger) exec(ctx context.Context, doing, text string, args ...any) error {
	return l.wrap(doing, l.do(ctx, false, func(tx *transaction) error {
		_, err := tx.Exec(text, args...)
		return err
	}))
}

// transaction is one transaction of a ledger.
type transaction struct {
	*store.Tx
	pushes   *pushes
	again    bool // what it does may have been committed before
	now      func() time.Time
	chains   *sync.Map
	evidence evidence
	heads    map[*holding]chain.Head // what it leaves the chains of runs with that are sent whole
}

func (l *Ledger) in(tx *store.Tx) *transaction {
	return &transaction{Tx: tx, pushes: l.pushes, now: l.now, chains: &l.chains, heads: map[*holding]chain.Head{}}
}

// do runs one transaction, and puts down what it did; see store.Writer.Do.
func (l *Ledger) do(ctx context.Context, relaxed bool, change func(*transaction) error) error {
	var tx *transaction
	err := l.store.Do(ctx, relaxed, func(stored *store.Tx) error {
		tx = l.in(stored)
		if err := change(tx); err != nil {
			return err
		}
		return tx.seal()
	})
	if err == nil {
		for h, head := range tx.heads {
			h.head.Store(&head)
		}
	}
	return err
}

// Service is the name of the service that the ledger is about, "" while nothing has been sent yet. What the ledger knows is
// true of that service alone.
func (l *Reader) Service(ctx context.Context) (string, error) {
	var name string
	_, err := store.Found(l.read.QueryRowContext(ctx, `select name from service`).Scan(&name))
	return name, l.wrap("read which service the ledger is about", err)
}

// SetService says which service the ledger is about from now on.
func (l *Ledger) SetService(ctx context.Context, name string) error {
	err := l.do(ctx, false, func(tx *transaction) error {
		if _, err := tx.Exec(`delete from service`); err != nil {
			return err
		}
		tx.note(chain.Ledger, chain.Op{What: chain.Service}, store.Plain(name))
		_, err := tx.Exec(`insert into service (name) values ($1)`, store.Plain(name))
		return err
	})
	return l.wrap("write which service the ledger is about", err)
}
