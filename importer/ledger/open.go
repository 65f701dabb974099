package ledger

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pressly/goose/v3"
)

// Reader says what a ledger holds, and changes nothing of it. Whoever reports, counts or shows pages holds one. All methods may be
// used by several goroutines at once.
type Reader struct {
	engine  engine
	read    *reader
	numbers sync.Map // run id → its number in the database
	names   sync.Map // and back, of runs in which something was accepted
	closing chan struct{}
	// patiently repeats what fails while the database is away, see Outlast.
	patiently func(ctx context.Context, try func() error) error
}

// Ledger is one ledger, open. All methods may be used by several goroutines at once.
type Ledger struct {
	*Reader
	writer *writer
	now    func() time.Time

	commits chan *commit
	groups  atomic.Int64          // how many groups have been committed
	broken  atomic.Pointer[Error] // the failure after which Commit refuses, until the next Lock
	version int64                 // of the schema, as this docketsync knows it
	witness string                // how the files of KeepWitness begin, "" for none
	outage  time.Duration         // see Outlast, 0 for none
	once    sync.Once
	done    sync.WaitGroup
}

// engine is what SQLite and PostgreSQL do differently. All other SQL is one text for both.
type engine interface {
	// label is how messages name the ledger: its path or address, without a password.
	label() string
	// connect opens the pool that writes (one connection at a time is used of it) and the pool that reads.
	connect(ctx context.Context) (write, read *sql.DB, err error)
	// dialect is the engine's name in goose.
	dialect() goose.Dialect
	// spell puts the engine's own spelling into the words in braces of a schema text.
	spell(schema string) string
	// param is the placeholder of the nth parameter of a statement whose parameters all stand in order.
	param(n int) string
	// relax are statements that make the transactions that follow wait for the disk (false) or not (true): before is
	// run ahead of begin, within behind it.
	relax(relaxed bool) (before, within string)
	// begin is the statement that begins a transaction that writes.
	begin() string
	// keep is what stands behind a select so that the rows it finds stay as they are until the transaction ends: for others
	// to refer to them too, or mine, so that they may be removed; rows that somebody else refers to at the moment are left out then.
	keep(mine bool) string
	// remote tells that the database may stop answering without an error, so that a limit of time is needed.
	remote() bool
	// changes is a query whose answer differs as soon as anybody else has changed the database, asked in a transaction that
	// keeps others from doing so. "" where there is none: then nothing is put down in the journal.
	changes() string
	// locked tells that a transaction could not begin because another process is writing.
	locked(err error) bool
	// repeated tells that something would have been in a unique index twice.
	repeated(err error) bool
	// judge says which kind of trouble an error of the driver is, and what to do about it.
	judge(err error) (hint string, kind error)
	// lock takes the named lock, which dies with the process. It waits for it if asked to, and otherwise returns a
	// *BusyError. lost, where not nil, is closed when the lock is lost before it is released.
	lock(ctx context.Context, name string, wait bool) (release func() error, lost <-chan struct{}, err error)
	// outlast says for how long lost locks are tried to be held again; hold does so at once, for all of them; held is an error
	// while one is lost.
	outlast(outage time.Duration)
	hold(ctx context.Context) error
	held() error
	// reserve makes room for what is going to be committed, where that makes a flush faster. It is called in a transaction
	// that has written nothing yet.
	reserve()
	close() error
}

// Open opens the ledger that dsn names and brings its schema up to date. A DSN that begins with postgres:// or
// postgresql:// is a PostgreSQL database; everything else is the path of an SQLite file (with or without "file:"), which
// is made, with its folder, when it is not there. The file must not lie on a network share.
//
// A ledger that a newer docketsync has written is not touched: the error is ErrNewer. One that a newer docketsync opens later
// is ErrNewer to Lock.
func Open(ctx context.Context, dsn string) (*Ledger, error) { return OpenTrusting(ctx, dsn, Trust{}) }

// OpenTrusting is Open with what is said about the servers of PostgreSQL databases.
func OpenTrusting(ctx context.Context, dsn string, trust Trust) (*Ledger, error) {
	engine, err := engineFor(dsn, trust)
	if err != nil {
		return nil, err
	}
	return openOn(ctx, engine)
}

func openOn(ctx context.Context, engine engine) (*Ledger, error) {
	l := &Ledger{Reader: &Reader{engine: engine, closing: make(chan struct{})}, now: time.Now, commits: make(chan *commit)}
	l.Reader.patiently = l.patiently
	if err := l.open(ctx); err != nil {
		return nil, errors.Join(l.wrap("open", err), l.shut())
	}
	l.done.Add(1)
	go l.commitGroups()
	return l, nil
}

func engineFor(dsn string, trust Trust) (engine, error) {
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		return newPostgres(dsn, trust)
	}
	return newSQLite(dsn)
}

func (l *Ledger) open(ctx context.Context) error {
	write, read, err := l.engine.connect(ctx)
	if err != nil {
		return err
	}
	l.writer = newWriter(write, l.engine)
	l.read = &reader{DB: read}
	if l.engine.changes() != "" {
		l.read.fold = l.writer.fold
	}
	return l.migrate(ctx, write)
}

// Close waits for the commit that is under way, if there is one, and lets go of the database. Locks are released by
// their own release functions. Calling it again does nothing.
func (l *Ledger) Close() error {
	var err error
	l.once.Do(func() {
		close(l.closing)
		l.done.Wait()
		err = l.shut()
	})
	return err
}

func (l *Ledger) shut() error {
	var errs []error
	if l.read != nil {
		errs = append(errs, l.read.close())
	}
	if l.writer != nil {
		errs = append(errs, l.writer.close())
	}
	return errors.Join(append(errs, l.engine.close())...)
}

func (l *Reader) closed() bool {
	select {
	case <-l.closing:
		return true
	default:
		return false
	}
}
