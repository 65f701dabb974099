package format

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"docketsync/mapping/table"
)

// Error says why a file cannot be read. Error() says what and where; Hint says what to do about it.
type Error struct {
	What   string
	File   string
	Sheet  string
	Row    int // as a spreadsheet shows it, 0 if no row is to blame
	Line   int // physical line of a text file, 0 in workbooks
	Column int // from 1, 0 if no column is to blame
	Hint   string
	Err    error
}

// Error says where first, as compilers do: `matters.csv, row 17 (line 21), column C: what`.
func (e *Error) Error() string {
	var where []string
	if e.File != "" {
		where = append(where, e.File)
	}
	if e.Sheet != "" {
		where = append(where, fmt.Sprintf("sheet %q", e.Sheet))
	}
	switch {
	case e.Row > 0 && e.Line > 0 && e.Line != e.Row:
		where = append(where, fmt.Sprintf("row %d (line %d)", e.Row, e.Line))
	case e.Row > 0:
		where = append(where, fmt.Sprintf("row %d", e.Row))
	case e.Line > 0:
		where = append(where, fmt.Sprintf("line %d", e.Line))
	}
	if e.Column > 0 {
		where = append(where, "column "+table.ColumnLetter(e.Column-1))
	}
	if len(where) == 0 {
		return e.What
	}
	return strings.Join(where, ", ") + ": " + e.What
}

// Unwrap returns the cause, if there is one.
func (e *Error) Unwrap() error { return e.Err }

// At fills in the file and sheet of an error that lacks them. It turns any other error into an Error, except a
// cancellation.
func At(err error, file, sheet string) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e, is := errors.AsType[*Error](err)
	if !is {
		return &Error{What: err.Error(), File: file, Sheet: sheet, Err: err}
	}
	placed := *e
	placed.File, placed.Sheet = file, cmp.Or(placed.Sheet, sheet)
	return &placed
}

// ErrFolder is the error for a folder that is named instead of a file.
var ErrFolder = &Error{What: "this is a folder", Hint: "Name a file in it. A job that takes files as they arrive in a folder has inbox: in its source instead of file:."}

// Unopened says why a file does not open. It returns other errors unchanged.
func Unopened(err error) error {
	path, _ := errors.AsType[*os.PathError](err)
	switch {
	case errors.Is(err, os.ErrNotExist) && path != nil && strings.ContainsAny(path.Path, "*?"):
		return &Error{What: "no file has this name, and * and ? do not stand for others here",
			Hint: "Name the file, or each of several under file: in the source. A job that takes files as they arrive in a folder has inbox: instead.", Err: err}
	case errors.Is(err, os.ErrNotExist):
		return &Error{What: "the file does not exist", Hint: "Check the path. Relative paths in the configuration file start at its folder.", Err: err}
	case errors.Is(err, os.ErrPermission):
		return &Error{What: "permission to read the file was denied", Hint: "Check its permissions, and that no other program holds it open.", Err: err}
	}
	return err
}

// What to do about a damaged workbook, and about one made to do harm.
const (
	HintRepair  = "Open the file in a spreadsheet program, let it repair the file, and save it as .xlsx; or export it again."
	HintHostile = "If the file can be trusted, copy its rows into a new workbook and read that; otherwise do not open it."
)

// Harm is a fault of a file that no honest program writes: reading on would take all memory or time. Its text continues
// "reading it could do harm:".
type Harm string

func (h Harm) Error() string { return string(h) }

// WorkbookFault turns a fault of a workbook's parts into an Error that says what to do. It unwraps errors that already
// say so, and cancellations.
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

// PartFault names the part of a workbook that a fault is in, unless the fault already does.
func PartFault(part string, err error) error {
	if _, named := errors.AsType[*partError](err); named {
		return err
	}
	return &partError{part, err}
}

func (e *partError) Error() string { return fmt.Sprintf("part %s: %v", e.part, e.err) }
func (e *partError) Unwrap() error { return e.err }

// Placed adds a row number to an error that has none.
func Placed(err error, row int) error {
	if e, is := errors.AsType[*Error](err); is {
		e.Row = cmp.Or(e.Row, row)
		return err
	}
	return &rowError{row, err}
}

// rowError is a fault in a row. Its text leaves out the row, which the Error made of it names.
type rowError struct {
	row int
	err error
}

func (e *rowError) Error() string { return e.err.Error() }
func (e *rowError) Unwrap() error { return e.err }
