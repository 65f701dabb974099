package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// The errors that callers tell apart, with errors.Is. Those that concern the ledger as a whole come wrapped in an
// *Error, which says what to do.
var (
	ErrNotFound    = errors.New("not in the ledger")
	ErrAmbiguous   = errors.New("several runs begin like this")
	ErrBusy        = errors.New("another run holds the ledger")
	ErrNewer       = errors.New("the ledger was written by a newer docketsync")
	ErrCorrupt     = errors.New("the ledger is damaged, or the file is not a ledger")
	ErrReadOnly    = errors.New("the ledger cannot be written")
	ErrFull        = errors.New("the disk is full")
	ErrLocked      = errors.New("another program keeps the ledger locked")
	ErrUnreachable = errors.New("the ledger cannot be reached")
	ErrClosed      = errors.New("the ledger is closed")
	ErrStopped     = errors.New("the ledger stopped taking changes after an earlier failure")
)

// Error is trouble with the ledger as a whole rather than with what was asked of it.
type Error struct {
	Ledger string // path or address, never with a password
	Doing  string // what was being done, "commit outcomes"
	Kind   error  // one of the Err… above, nil when it is none of them
	Hint   string // what to do next, a sentence
	Err    error  // what the database or the system said
}

// Error says which ledger, what happened while doing what, and what to do.
func (e *Error) Error() string {
	what := fmt.Sprint(e.Err)
	if e.Kind != nil && e.Kind != e.Err {
		what = fmt.Sprintf("%v (%v)", e.Kind, e.Err)
	}
	text := fmt.Sprintf("ledger %s: %s: %s", e.Ledger, e.Doing, what)
	if e.Hint != "" {
		text += ". " + e.Hint
	}
	return text
}

// Unwrap gives both the kind and the cause to errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	var list []error
	for _, err := range []error{e.Kind, e.Err} {
		if err != nil {
			list = append(list, err)
		}
	}
	return list
}

// TransitionError tells that a record was to go from a state to one that cannot follow it. Nothing of the call that
// asked for it was done.
type TransitionError struct {
	Run  string
	Seq  int64
	From State
	To   State
}

// Error names the record and both states.
func (e *TransitionError) Error() string {
	return fmt.Sprintf("run %s, record %d: it is %s and cannot become %s", e.Run, e.Seq, e.From, e.To)
}

// BusyError is ErrBusy with what is known about the holder of the lock.
type BusyError struct {
	Name   string
	Holder Holder // zero when not known
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
		who = fmt.Sprintf(": process %d on %s, since %s", e.Holder.PID, e.Holder.Host, e.Holder.Since.UTC().Format("2006-01-02 15:04:05 MST"))
	}
	return fmt.Sprintf("another run of %s is going on%s. Wait for it to end, or stop it; what it has sent is remembered", e.Name, who)
}

// Is makes a BusyError an ErrBusy.
func (e *BusyError) Is(target error) bool { return target == ErrBusy }

// wrap turns what the database said while doing something into an error for people. Errors that already are, and
// those of a context that ended, pass through.
func (l *Reader) wrap(doing string, err error) error {
	var known *Error
	var transition *TransitionError
	var busy *BusyError
	var doubt *DoubtError
	switch {
	case err == nil, errors.As(err, &known), errors.As(err, &transition), errors.As(err, &busy), errors.As(err, &doubt):
		return err
	case errors.Is(err, ErrNotFound), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, errBehind):
		return &Error{Ledger: l.engine.label(), Doing: doing, Err: err,
			Hint: "What is missing was sent and would be sent again, so this run stops. 'docketsync ledger accept-restore --help' says how to find out what it is."}
	case errors.Is(err, errTakenOver):
		return &Error{Ledger: l.engine.label(), Doing: doing, Err: err, Hint: "It goes on with the run, so this one stops."}
	case l.closed():
		return &Error{Ledger: l.engine.label(), Doing: doing, Kind: ErrClosed, Err: ErrClosed}
	}
	hint, kind := l.engine.judge(err)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || errors.Is(err, ErrCorrupt) || errors.Is(err, errDamaged) {
		// All JSON in the ledger was written by the ledger, and so was its journal.
		hint, kind = "'docketsync ledger check' says what is damaged. Put the last backup in its place; 'docketsync ledger accept-restore --help' says what to do then.", ErrCorrupt
	}
	return &Error{Ledger: l.engine.label(), Doing: doing, Kind: kind, Hint: hint, Err: err}
}

// DoubtError tells that a record was to be sent while another one of its key may or may not have been acted on.
type DoubtError struct {
	Run   string
	Seq   int64
	Doubt Doubt
}

// Error names both records.
func (e *DoubtError) Error() string {
	return fmt.Sprintf("run %s, record %d: it cannot be sent, because nobody knows whether record %d of run %s, which has the same key, was acted on: settle that first",
		e.Run, e.Seq, e.Doubt.Seq, e.Doubt.Run)
}
