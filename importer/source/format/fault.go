package format

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
)

// What to do about a workbook that is damaged, and about one that is made to do harm.
const (
	HintRepair  = "Open the file in a spreadsheet program, let it repair the file, and save it as .xlsx; or export it again."
	HintHostile = "If the file can be trusted, copy its rows into a new workbook and read that; otherwise do not open it."
)

// Harm is a fault of a file that no honest program writes: reading on would take all memory or time. Its text goes on where
// "reading it could do harm:" ends.
type Harm string

func (h Harm) Error() string { return string(h) }

// WorkbookFault turns a fault of a workbook's parts into an Error that says what to do. Of errors that already do, and of
// cancellations, it takes the wrapping off.
func WorkbookFault(err error) error {
	switch known, is := errors.AsType[*Error](err); {
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return context.DeadlineExceeded
	case is:
		return known
	}
	fault := &Error{What: "the workbook is damaged: " + err.Error(), Hint: HintRepair, Err: err}
	if placed, is := errors.AsType[*rowError](err); is {
		fault.Row = placed.row
	}
	switch _, harm := errors.AsType[Harm](err); {
	case harm:
		fault.What, fault.Hint = "the workbook is refused, as reading it could do harm: "+err.Error(), HintHostile
	case errors.Is(err, zip.ErrFormat), errors.Is(err, io.ErrUnexpectedEOF):
		fault.What = "the workbook is damaged or was cut off: its archive cannot be read"
		fault.Hint = "Copy or download the file again, and compare its size; if that does not help: " + HintRepair
	case errors.Is(err, zip.ErrChecksum):
		fault.What = "the workbook is damaged: its content does not match its checksum: " + err.Error()
	}
	return fault
}

// partError is a fault of one part of an archive.
type partError struct {
	part string
	err  error
}

// PartFault names the part of a workbook that a fault is in, unless the fault does.
func PartFault(part string, err error) error {
	if _, named := errors.AsType[*partError](err); named {
		return err
	}
	return &partError{part, err}
}

func (e *partError) Error() string { return fmt.Sprintf("part %s: %v", e.part, e.err) }
func (e *partError) Unwrap() error { return e.err }

// Placed puts a row number on an error that has none.
func Placed(err error, row int) error {
	if e, is := errors.AsType[*Error](err); is {
		if e.Row == 0 {
			e.Row = row
		}
		return err
	}
	return &rowError{row, err}
}

// rowError is a fault in a row; its text leaves the row out, as the Error made of it names it.
type rowError struct {
	row int
	err error
}

func (e *rowError) Error() string { return e.err.Error() }
func (e *rowError) Unwrap() error { return e.err }
