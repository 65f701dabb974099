package ledger

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/postgres"
	"docketsync/importer/ledger/sqlite"
	"docketsync/importer/ledger/store"
)

// Reader says what a ledger holds, and changes nothing of it. Whoever reports, counts or shows pages holds one. All methods may be
// used by several goroutines at once.
type Reader struct {
	engine  store.Engine
	read    *store.Reader
	numbers sync.Map // run id → its number in the database
	names   sync.Map // and back, of runs in which something was accepted
	// patiently repeats what fails while the database is away, see Outlast.
	patiently func(ctx context.Context, try func() error) error
}

// Ledger is one ledger, open. All methods may be used by several goroutines at once.
type Ledger struct {
	*Reader
	store   *store.Store
	journal *journal
	pushes  *pushes
	now     func() time.Time

	commits chan *commit
	groups  atomic.Int64                // how many groups have been committed
	broken  atomic.Pointer[fault.Error] // the failure after which Commit refuses, until the next Lock
	witness string                      // how the files of KeepWitness begin, "" for none
	outage  time.Duration               // see Outlast, 0 for none
	done    sync.WaitGroup
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
	l := &Ledger{journal: newJournal(), pushes: &pushes{}, now: time.Now, commits: make(chan *commit)}
	var err error
	if l.store, err = store.Open(ctx, engine, l.journal); err != nil {
		return nil, err
	}
	l.Reader = &Reader{engine: engine, read: l.store.Reader, patiently: l.patiently}
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

// Store is the database, for the rooms of the ledger that write what no method here does.
func (l *Ledger) Store() *store.Store { return l.store }

// Store is the database to read from, for the rooms of the ledger.
func (l *Reader) Store() *store.Reader { return l.read }

// LaggingStandbys names the standbys that follow the database's server at this moment though no commit waits for any, see
// postgres.LaggingStandbys. There are none with SQLite.
func (l *Reader) LaggingStandbys(ctx context.Context) ([]string, error) {
	if !l.engine.Remote() {
		return nil, nil
	}
	return postgres.LaggingStandbys(ctx, l.read)
}

// transaction is one transaction of a ledger.
type transaction struct {
	*store.Tx
	journal *journal
	pushes  *pushes
	again   bool // what it does may have been committed before
}

func (l *Ledger) in(tx *store.Tx) *transaction {
	return &transaction{Tx: tx, journal: l.journal, pushes: l.pushes}
}

// do runs one transaction on tables that the journal has been folded into; see store.Writer.Do.
func (l *Ledger) do(ctx context.Context, relaxed bool, change func(*transaction) error) error {
	return l.store.Do(ctx, relaxed, func(tx *store.Tx) error { return change(l.in(tx)) })
}
