package ledger

import (
	"errors"
	"fmt"

	"docketsync/importer/ledger/fault"
)

// The errors that callers tell apart, with errors.Is. What is wrong with the ledger as a whole is in package fault.
var (
	ErrNotFound  = errors.New("not in the ledger")
	ErrAmbiguous = errors.New("several runs begin like this")
)

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

// wrap turns what the database said while doing something into an error for people. Errors that already are, and
// those of a context that ended, pass through.
func (l *Reader) wrap(doing string, err error) error {
	var transition *TransitionError
	var doubt *DoubtError
	switch {
	case err == nil, errors.As(err, &transition), errors.As(err, &doubt), errors.Is(err, ErrNotFound):
		return err
	case errors.Is(err, errBehind):
		return &fault.Error{Ledger: l.read.Label(), Doing: doing, Err: err,
			Hint: "What is missing was sent and would be sent again, so this run stops. 'docketsync ledger accept-restore --help' says how to find out what it is."}
	case errors.Is(err, errTakenOver):
		return &fault.Error{Ledger: l.read.Label(), Doing: doing, Err: err, Hint: "It goes on with the run, so this one stops."}
	}
	return l.read.Wrap(doing, err)
}
