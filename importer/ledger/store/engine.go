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
	// Label is how messages name the ledger: its path or address, without a password.
	Label() string
	// Connect opens the pool that writes (one connection at a time is used of it) and the pool that reads.
	Connect(ctx context.Context) (write, read *sql.DB, err error)
	Dialect() Dialect
	// Locked tells that a transaction could not begin because another process is writing.
	Locked(err error) bool
	// Repeated tells that something would have been in a unique index twice.
	Repeated(err error) bool
	// Judge says which kind of trouble an error of the driver is, and what to do about it.
	Judge(err error) (hint string, kind error)
	// Lock takes the named lock, which dies with the process. It is a *fault.BusyError where another process has it and nobody waits for it.
	// lost, where not nil, is closed when the lock is lost before it is released.
	Lock(ctx context.Context, name string, how Locking) (release func() error, lost <-chan struct{}, err error)
	// Outlast says for how long lost locks are tried to be held again, and again is told the name of each that is; Hold does so at once, for these; Held is an error while one of them is
	// known to be lost, a *LostLock as is that of Hold. One that another process is found to have is lost for good; that it was another's in between is noticed of one that is kept (KeepLock).
	Outlast(outage time.Duration, again func(name string))
	Hold(ctx context.Context, which Locks) error
	Held(which Locks) error
	// Reserve makes room for what is going to be committed, where that makes a flush faster. It is called in a transaction
	// that has written nothing yet.
	Reserve()
	Close() error
}

// Locks tells of the locks that this process has taken, by their names, on which of them something relies; nil is all of them.
type Locks func(name string) bool

// NoLocks are for what relies on the database alone: it compares a lease, an epoch or a time with what it has, in the transaction itself.
func NoLocks(string) bool { return false }

// LostLock tells which lock is not held, and why.
type LostLock struct {
	Name string
	Err  error
}

func (e *LostLock) Error() string { return e.Err.Error() }
func (e *LostLock) Unwrap() error { return e.Err }

// Dialect is what the SQL of an engine and its transactions have of their own.
type Dialect struct {
	Goose database.Dialect
	// Words are the engine's own spelling of the words in braces of a schema text. {clock} is the time by its clock, in microseconds.
	Words *strings.Replacer
	// Numbered tells that the parameters of a statement in which they stand in order are $1, $2, …; ? otherwise.
	Numbered bool
	// Begin begins a transaction that writes.
	Begin string
	// Durable and Relaxed make the transactions behind them wait for the disk or not, RelaxedWithin the one it stands in alone.
	Durable, Relaxed, RelaxedWithin string
	// KeepForAll stands behind a select so that the rows it finds stay as they are until the transaction ends, for others to refer to
	// them too; KeepMine so that they may be removed: rows that somebody else refers to at the moment are left out then.
	KeepForAll, KeepMine string
	// Pipeline sends all statements at once and says how many rows each changed, up to the first that failed; nil where that is no faster.
	Pipeline func(ctx context.Context, conn *sql.Conn, list []Statement) (changed []int64, err error)
	// Remote tells that the database may stop answering without an error, so that a limit of time is needed.
	Remote bool
}

// Locking is how a lock is taken.
type Locking int

// The ways to take one. A lock that is kept is lost for good as soon as another process has kept it too, though this one might have it again: who
// wakes up from being frozen may find it free after that.
const (
	TryLock Locking = iota
	KeepLock
	AwaitLock
)
