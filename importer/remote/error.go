package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// Error says why a file of a remote cannot be had. Error() says what and where; Hint says what to do. No secret is in it.
type Error struct {
	Address string // as the configuration writes it: bank:/out/matters.csv
	What    string
	Hint    string
	Err     error // the cause, nil where What says it all
}

// Error says where, what, and what to do.
func (e *Error) Error() string {
	text := e.What
	if e.Address != "" {
		text = e.Address + ": " + text
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		text += "\n" + e.Hint
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// at fills in the address of an error, and makes an Error of anything else.
func at(err error, address string) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e, is := errors.AsType[*Error](err)
	if !is {
		return &Error{Address: address, What: "the server could not be reached, or the connection was lost", Err: err,
			Hint: "Check that the server is up and can be reached from this machine, and try again."}
	}
	placed := *e
	placed.Address = address
	return &placed
}

// lasting makes of an error of a server the one that says why trying again cannot help; others come back as they are.
func lasting(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Error{What: "there is no such file", Err: err, Hint: "Check the path, and that whoever writes the file has done so."}
	case errors.Is(err, fs.ErrPermission):
		return &Error{What: "the server denied permission", Err: err, Hint: "Ask the server's operator for the permission."}
	}
	return err
}

// disagreement is an error of a file that was fetched and is not what the server says it is.
func disagreement(format string, args ...any) error {
	return fmt.Errorf("the fetched file differs from the one on the server: "+format, args...)
}
