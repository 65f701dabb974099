// Package fault has the errors about a ledger as a whole: it is locked, full, damaged, out of reach, or written by a
// newer docketsync. Both engines map their drivers' errors to these kinds, and callers tell them apart with errors.Is.
//
// An *Error says which ledger, what was being done, what the database or the system said, and what to do next. It never
// contains a password. Errors about a single call (no such run, a record in another state) are not faults: package
// ledger has those.
//
// The package imports nothing of docketsync, so that packages beside and above the ledger can use the kinds without
// being able to write to it.
package fault

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"docketsync/importer/moment"
)

// The kinds of fault. They come wrapped in an *Error, which says what to do.
var (
	ErrBusy        = errors.New("the ledger is locked by another run")
	ErrNewer       = errors.New("the ledger was written by a newer docketsync")
	ErrCorrupt     = errors.New("the ledger is damaged, or the file is not a ledger")
	ErrReadOnly    = errors.New("the ledger cannot be written")
	ErrFull        = errors.New("the disk is full")
	ErrLocked      = errors.New("the ledger is locked by another program")
	ErrUnreachable = errors.New("the ledger cannot be reached")
	ErrMoved       = errors.New("the ledger may lack what was sent")
	ErrClosed      = errors.New("the ledger is closed")
	ErrStopped     = errors.New("the ledger does not accept changes after an earlier failure")
	ErrOnServer    = errors.New("the ledger is a PostgreSQL database") // whose server does the upkeep
	ErrDamaged     = errors.New("a check found damage")
)

// Error is trouble with the ledger as a whole instead of with what was asked of it.
type Error struct {
	Ledger string // path or address, never with a password; "" if the trouble is with a file beside it
	Doing  string // what was being done, "commit outcomes"
	Kind   error  // one of the Err… above, or nil
	Hint   string // what to do next, a sentence
	Err    error  // what the database or the system said
}

// Error says which ledger, what happened while doing what, and what to do.
func (e *Error) Error() string {
	what := fmt.Sprint(e.Err)
	if e.Kind != nil && e.Kind != e.Err {
		what = fmt.Sprintf("%v (%v)", e.Kind, e.Err)
	}
	text := fmt.Sprintf("%s: %s", e.Doing, what)
	if e.Ledger != "" {
		text = "ledger " + e.Ledger + ": " + text
	}
	if e.Hint != "" {
		text += ". " + e.Hint
	}
	return text
}

// Unwrap gives both the kind and the cause to errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	return slices.DeleteFunc([]error{e.Kind, e.Err}, func(err error) bool { return err == nil })
}

// BusyError is ErrBusy with what is known about the holder of the lock.
type BusyError struct {
	Name   string
	Holder Holder // zero if not known
}

// Holder is a process that holds a lock.
type Holder struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

// Error names the lock and its holder.
func (e *BusyError) Error() string {
	who := ""
	if e.Holder.PID != 0 {
		who = fmt.Sprintf(": process %d on %s, since %s", e.Holder.PID, e.Holder.Host, moment.Second(e.Holder.Since))
	}
	return fmt.Sprintf("another run of %s is in progress%s. Wait for it to finish, or stop it; everything it has sent is recorded", e.Name, who)
}

// Is makes a BusyError an ErrBusy.
func (e *BusyError) Is(target error) bool { return target == ErrBusy }
