package format

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"docketsync/mapping/table"
)

// Error says why a file can't be read. Error() says what and where; Hint says what to do about it.
type Error struct {
	What   string
	File   string
	Sheet  string
	Row    int // as a spreadsheet shows it, 0 when no row is to blame
	Line   int // physical line of a text file, 0 in workbooks
	Column int // from 1, 0 when no column is to blame
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

// Unwrap returns the cause, when there is one beneath.
func (e *Error) Unwrap() error { return e.Err }

// At fills in the file and sheet of an error that does not have them, and makes an Error of anything else but a
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
	placed.File = file
	if placed.Sheet == "" {
		placed.Sheet = sheet
	}
	return &placed
}

// Unopened says why a file does not open; other errors come back as they are.
func Unopened(err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return &Error{What: "the file does not exist", Hint: "Check the path. Relative paths in the configuration file start at its folder.", Err: err}
	case errors.Is(err, os.ErrPermission):
		return &Error{What: "the file may not be read", Hint: "Check its permissions, and that no other program holds it open.", Err: err}
	}
	return err
}
