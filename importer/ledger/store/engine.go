package store

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/pressly/goose/v3/database"
)

// Engine is what SQLite and PostgreSQL do differently. All other SQL is one text for both.
type Engine interface {
	// Label returns how messages name the ledger: its path or address, without a password.
	Label() string
	// Connect opens the pool that writes, of which one connection at a time is used, and the pool that reads.
	Connect(ctx context.Context) (write, read *sql.DB, err error)
	Dialect() Dialect
	// Locked reports whether a transaction could not begin because another process is writing.
	Locked(err error) bool
	// Repeated reports whether a unique index would have had something twice.
	Repeated(err error) bool
	// Judge returns which kind of trouble an error of the driver is, and what to do about it.
	Judge(err error) (hint string, kind error)
	// Lock takes the named lock, which dies with the process. The error is a *fault.BusyError if another process has
	// the lock and how does not wait for it. lost, if not nil, is closed when the lock is lost before it is released.
	Lock(ctx context.Context, name string, how Locking) (release func() error, lost <-chan struct{}, err error)
	// Outlast sets for how long lost locks are retried; again is called with the name of each that is held again. Hold
	// retries the given locks at once. Held returns an error while one of them is known to be lost. Its error and that
	// of Hold are a *LostLock. A lock that another process is found to have is lost for good. That another process had
	// it in between is noticed only for a lock that is kept (KeepLock).
	Outlast(outage time.Duration, again func(name string))
	Hold(ctx context.Context, which Locks) error
	Held(which Locks) error
	// Reserve makes room for what is going to be committed, if that makes a flush faster. It is called in a transaction
	// that has written nothing yet.
	Reserve()
	Close() error
}

// Locks says, by name, on which of the locks that this process has taken something relies. nil means all of them.
type Locks func(name string) bool

// NoLocks is for transactions that rely on the database alone: they compare a lease, an epoch or a time themselves.
func NoLocks(string) bool { return false }

// LostLock says which lock is not held, and why.
type LostLock struct {
	Name string
	Err  error
}

func (e *LostLock) Error() string { return e.Err.Error() }
func (e *LostLock) Unwrap() error { return e.Err }

// Dialect is what is particular to an engine's SQL and transactions.
type Dialect struct {
	Goose database.Dialect
	// Words spells the words in braces of a schema text for the engine. {clock} is the time by its clock, in
	// microseconds.
	Words *strings.Replacer
	// Numbered says that the parameters of a statement that uses them in order are $1, $2, …; otherwise they are ?.
	Numbered bool
	// Begin begins a transaction that writes.
	Begin string
	// Durable and Relaxed make the following transactions wait for the disk or not. RelaxedWithin applies to the
	// transaction it is in.
	Durable, Relaxed, RelaxedWithin string
	// KeepForAll after a select keeps the rows that it finds as they are until the transaction ends, so that others can
	// refer to them too. KeepMine keeps them so that they may be removed, and leaves out rows that somebody else refers
	// to at the moment.
	KeepForAll, KeepMine string
	// Pipeline sends all statements at once and returns how many rows each changed, up to the first that failed; nil if
	// that is no faster.
	Pipeline func(ctx context.Context, conn *sql.Conn, list []Statement) (changed []int64, err error)
	// Remote says that the database may stop answering without an error, so that a time limit is needed.
	Remote bool
}

// Locking is how a lock is taken.
type Locking int

// The ways to take a lock. A lock that is kept is lost for good as soon as another process has kept it too, even if
// this one could have it again: a process that wakes up from being frozen may find it free after that.
const (
	TryLock Locking = iota
	KeepLock
	AwaitLock
)
