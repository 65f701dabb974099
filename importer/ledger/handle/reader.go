package handle

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// VanishedPart is how many records of the earlier run are compared at once. They are held in memory, and for each part
// all that is new in the later run is read.
const VanishedPart = 50_000

// Reader is what all packages of the ledger read through: the database, the numbers of runs, and the wall that says who
// may see which jobs. Its methods may be used by several goroutines at once.
type Reader struct {
	Engine  store.Engine
	Read    *store.Reader
	Numbers sync.Map // run id → its number in the database
	names   sync.Map // run number → id, for runs in which something was accepted
	// VanishedPart is how many keys Vanished compares at once.
	VanishedPart int
	// Only are the jobs whose runs this reader sees, nil for all; see Within.
	Only *[]string
	// Patiently repeats what fails while the database is away; see Outlast.
	Patiently func(ctx context.Context, try func() error) error
}

// Number returns the database's number of a run, or ErrNotFound if there is no such run.
func (l *Reader) Number(ctx context.Context, id string) (int64, error) {
	if known, ok := l.Numbers.Load(id); ok {
		return known.(int64), nil
	}
	var number int64
	var job string
	there, err := store.Found(l.Read.QueryRowContext(ctx, `select number, job from runs where id = $1`, id).Scan(&number, &job))
	if there && !l.Sees(job) {
		there = false
	}
	if there {
		l.Numbers.Store(id, number)
	} else if err == nil {
		err = NoRun(id)
	}
	return number, err
}

// Name returns the id of a run by its number.
func (l *Reader) Name(ctx context.Context, number int64) (id string, err error) {
	if known, ok := l.names.Load(number); ok {
		return known.(string), nil
	}
	if err = l.Read.QueryRowContext(ctx, `select id from runs where number = $1`, number).Scan(&id); err == nil {
		l.names.Store(number, id)
	}
	return id, err
}

// Of returns what read finds of a run. doing says in an error what was being done.
func Of[T any](ctx context.Context, l *Reader, doing, run string, read func(number int64) (T, error)) (found T, err error) {
	number, err := l.Number(ctx, run)
	if err == nil {
		found, err = read(number)
	}
	return found, l.Wrap(doing, err)
}

// List returns the rows that a query finds. doing says in an error what was being done.
func List[T any](ctx context.Context, l *Reader, doing string, scan func(*sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	list, err := store.List(ctx, l.Read, scan, text, args...)
	return list, l.Wrap(doing, err)
}

// ListForAll is List for readers of all jobs.
func ListForAll[T any](ctx context.Context, l *Reader, doing string, scan func(*sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	if err := l.ForAll(doing); err != nil {
		return nil, err
	}
	return List(ctx, l, doing, scan, text, args...)
}

// OneForAll reads a single row, for readers of all jobs.
func (l *Reader) OneForAll(ctx context.Context, doing, text string, args []any, into ...any) error {
	err := l.ForAll(doing)
	if err == nil {
		err = l.Read.One(ctx, text, args, into...)
	}
	return l.Wrap(doing, err)
}

// NoRun returns the error for a run that does not exist, or that the reader does not see.
func NoRun(id string) error { return fmt.Errorf("run %s: %w", id, ErrNotFound) }

// ScopeOf returns the scope of a run by its number.
func (l *Reader) ScopeOf(ctx context.Context, run int64) (scope string, err error) {
	err = l.Read.QueryRowContext(ctx, `select scope from runs where number = $1`, run).Scan(&scope)
	return scope, err
}

// The errors that callers tell apart with errors.Is. Errors about the ledger as a whole are in package fault.
var (
	ErrNotFound  = errors.New("not in the ledger")
	ErrAmbiguous = errors.New("several runs match")
	// ErrTakenOver says that this process may no longer send a run, or a range of it.
	ErrTakenOver = errors.New("another process has written to the run")
)

var (
	ErrBehind    = errors.New("it has lost acknowledged records")
	ErrCommitted = errors.New("it was committed before")
)

// TransitionError says that a record cannot go from one state to another. Nothing of the call that asked for it was
// done.
type TransitionError struct {
	Run  string
	Seq  int64
	From model.State
	To   model.State
}

// Error names the record and both states.
func (e *TransitionError) Error() string {
	return fmt.Sprintf("run %s, record %d: it is %s and cannot become %s", e.Run, e.Seq, e.From, e.To)
}

// DoubtError says that a record cannot be sent, because the service may have acted on another one of its key.
type DoubtError struct {
	Run   string
	Seq   int64
	Doubt model.Doubt
}

// Error names both records.
func (e *DoubtError) Error() string {
	return fmt.Sprintf("run %s, record %d: it cannot be sent, because it is not known whether record %d of run %s, which has the same key, was acted on: settle that first",
		e.Run, e.Seq, e.Doubt.Seq, e.Doubt.Run)
}

// Wrap turns what the database said while doing something into an error for people. It passes on errors that already
// are, and those of a context that ended.
func (l *Reader) Wrap(doing string, err error) error {
	var transition *TransitionError
	var doubt *DoubtError
	switch {
	case err == nil, errors.As(err, &transition), errors.As(err, &doubt), errors.Is(err, ErrNotFound):
		return err
	case errors.Is(err, ErrBehind):
		return &fault.Error{Ledger: l.Read.Label(), Doing: doing, Err: err,
			Hint: "The missing records were sent and would be sent again, so this run stops. 'docketsync ledger accept-restore --help' says how to identify them."}
	case errors.Is(err, ErrTakenOver):
		return &fault.Error{Ledger: l.Read.Label(), Doing: doing, Err: err, Hint: "That process continues the run, so this one stops."}
	}
	return l.Read.Wrap(doing, err)
}

// Some reports whether a query about a scope, which is its first parameter, finds anything.
func (l *Reader) Some(ctx context.Context, text, scope string) (bool, error) {
	list, err := store.All(l.Read.Prepared(ctx), store.Column[int], text, store.Plain(scope))
	return len(list) > 0, err
}

// A reader of some jobs is behind a wall: to it, the runs of all other jobs do not exist, nor does anything that only
// they hold. Each method is one of three kinds. A method about one run finds the run by number, or among runs, and so
// finds no other. A method over all runs leaves the others out. A method about the ledger as a whole is not available
// (ForAll). A test checks every method.

// Within returns a reader of the runs of these jobs alone. To it, everything else does not exist.
func (l *Reader) Within(jobs []string) *Reader {
	only := append([]string{}, jobs...)
	return &Reader{Engine: l.Engine, Read: l.Read, VanishedPart: l.VanishedPart, Patiently: l.Patiently, Only: &only}
}

// Sees reports whether this reader sees the runs of a job.
func (l *Reader) Sees(job string) bool { return l.Only == nil || slices.Contains(*l.Only, job) }

// ForAll returns an error if a reader of some jobs asks for something about the ledger as a whole.
func (l *Reader) ForAll(doing string) error {
	if l.Only == nil {
		return nil
	}
	return fmt.Errorf("%s: only for readers of all jobs: %w", doing, ErrNotFound)
}

// Inside restricts a query to the runs that this reader sees, by the column that holds their jobs.
func (l *Reader) Inside(c *store.Clauses, column string) {
	if jobs := l.Jobs(c); jobs != "" {
		c.And(column + " in (" + jobs + ")")
	}
}

// Jobs adds the jobs of this reader to the parameters of a query and returns their placeholders, or "" for a reader of
// all jobs.
func (l *Reader) Jobs(c *store.Clauses) string {
	if l.Only == nil {
		return ""
	}
	list := []string{"null"} // nothing equals null, so an empty list of jobs matches none
	for _, job := range *l.Only {
		list = append(list, c.Param(job))
	}
	return strings.Join(list, ", ")
}

// SeenRun reports whether this reader sees the run with that id.
func (l *Reader) SeenRun(ctx context.Context, id string) bool {
	if l.Only == nil {
		return true
	}
	_, err := l.Number(ctx, id)
	return err == nil
}
