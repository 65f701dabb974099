// Package exit has the exit statuses of the commands, as the guide lists them (scripts.md): what each number means,
// which error gets which number, and how an error is shown to a person.
//
// An error without its own status gets one by its kind: mistakes in the configuration or a mapping are the user's
// (Usage), everything else kept the command from running (CouldNotRun). It imports the types of errors that it tells
// apart, and nothing else of ours.
package exit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"docketsync/config/diagnostic"
	"docketsync/importer/source/format"
)

// The exit statuses.
const (
	AllIn       = 0   // every record is in, or was already
	CouldNotRun = 1   // a file, the ledger or the machine kept the command from running, or the report of a run from being written
	Usage       = 2   // the command line, the configuration or a mapping is wrong
	Rejects     = 3   // some records were rejected or failed, are stored with a different value than was sent, are held because somebody else changed them, or have changed in a way that cannot be sent
	InDoubt     = 4   // some records are in doubt
	Stopped     = 5   // the run was stopped: guard, sign-in, circuit open
	Interrupted = 130 // the run was interrupted
)

// gravity orders the statuses from the least to the gravest.
var gravity = []int{AllIn, Rejects, InDoubt, Stopped, Usage, CouldNotRun, Interrupted}

// Graver returns the graver of two statuses.
func Graver(a, b int) int {
	if slices.Index(gravity, b) > slices.Index(gravity, a) {
		return b
	}
	return a
}

// Status is an error with an exit status; its cause may be nil if everything has been said already.
type Status struct {
	Code  int
	Cause error
}

func (e Status) Error() string {
	if e.Cause == nil {
		return fmt.Sprintf("exit status %d", e.Code)
	}
	return e.Cause.Error()
}

func (e Status) Unwrap() error { return e.Cause }

// As gives an error a status; nil stays nil.
func As(code int, err error) error {
	if err == nil {
		return nil
	}
	return Status{code, err}
}

// Mistakef returns an error of the command line or the configuration.
func Mistakef(format string, args ...any) error {
	return Status{Usage, fmt.Errorf(format, args...)}
}

// With returns the error that ends a command with a status: nil for AllIn, and err itself if there is one.
func With(code int, err error) error {
	if err != nil || code == AllIn {
		return err
	}
	return Status{Code: code}
}

// Cancelled returns the error of an interrupted command. A cancelled context is not a failure that a person could act
// on.
func Cancelled(err error) error {
	if err != nil && errors.Is(err, context.Canceled) && Of(err) == CouldNotRun {
		return Status{Interrupted, errors.New("interrupted before it was done")}
	}
	return err
}

// Of returns the exit status of an error.
func Of(err error) int {
	var status Status
	var faults diagnostic.Faults
	switch {
	case err == nil:
		return AllIn
	case errors.As(err, &status):
		return status.Code
	case errors.As(err, &faults), strings.HasPrefix(err.Error(), "unknown command"):
		return Usage
	}
	return CouldNotRun
}

// Report prints what is left to say about an error, and returns its status.
func Report(err error, stderr io.Writer) int {
	cause := err
	if status, ok := errors.AsType[Status](err); ok {
		cause = status.Cause
	}
	if cause != nil {
		fmt.Fprintf(stderr, "docketsync: %s\n", Explain(cause))
	}
	return Of(err)
}

// Explain puts an error into words for a person: what, where and what to do next, which is the advice of the errors in
// it.
func Explain(err error) string {
	text := err.Error()
	for _, advice := range advices(err) {
		if !strings.Contains(text, advice) {
			text += "\n" + advice
		}
	}
	return text
}

// advices returns the advice of an error and of all that it wraps.
func advices(err error) (list []string) {
	switch e := err.(type) {
	case *format.Error:
		list = append(list, e.Hint)
	case interface{ Advice() string }:
		list = append(list, e.Advice())
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			list = append(list, advices(inner)...)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			list = append(list, advices(inner)...)
		}
	}
	return list
}
