package sourcetest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"docketsync/importer/source/format"
	"docketsync/mapping/table"
)

// Rows reads the physical rows of a table.
func Rows(t format.Table) ([]table.Row, error) {
	var all []table.Row
	for row, err := range t.Rows(context.Background()) {
		if err != nil {
			return all, err
		}
		row.Cells = slices.Clone(row.Cells)
		all = append(all, row)
	}
	return all, nil
}

// MustRows reads the physical rows of a table that can be read.
func MustRows(tb testing.TB, t format.Table) []table.Row {
	tb.Helper()
	rows, err := Rows(t)
	if err != nil {
		tb.Fatalf("the rows cannot be read: %v", err)
	}
	return rows
}

// First returns the first sheet of a workbook that must have been opened; it is closed with the test.
func First(tb testing.TB, b *format.Book, err error) format.Table {
	tb.Helper()
	if err != nil {
		tb.Fatalf("the workbook does not open: %v (%s)", err, Hint(err))
	}
	tb.Cleanup(func() {
		if err := b.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return b.Sheets[0].Open()
}

// ReadFirst reads the first sheet of a workbook, and says why it cannot be opened or read.
func ReadFirst(b *format.Book, err error) ([]table.Row, error) {
	if err != nil {
		return nil, err
	}
	rows, err := Rows(b.Sheets[0].Open())
	return rows, errors.Join(err, b.Close())
}

// Show writes rows compactly: the number, H if hidden, and each cell as the letter of its kind and its text.
func Show(rows []table.Row) []string {
	var lines []string
	for _, row := range rows {
		line := fmt.Sprint(row.Number)
		if row.Hidden {
			line += "H"
		}
		for _, c := range row.Cells {
			line += "|" + showCell(c)
		}
		lines = append(lines, line)
	}
	return lines
}

func showCell(c table.Cell) string {
	if c.Kind == table.Empty {
		return ""
	}
	if seen := c.Seen(); seen != c.Text {
		return string("-TNDCBE"[c.Kind]) + " " + c.Text + " shown " + seen
	}
	return string("-TNDCBE"[c.Kind]) + " " + c.Text
}

// Hint returns what an error says to do, or "" if it is not a *format.Error.
func Hint(err error) string {
	if e, ok := errors.AsType[*format.Error](err); ok {
		return e.Hint
	}
	return ""
}

// WantRefusal checks that the error is meant for a person: an Error with a hint whose text contains the words.
func WantRefusal(tb testing.TB, err error, words string) {
	tb.Helper()
	var e *format.Error
	if !errors.As(err, &e) {
		tb.Fatalf("got error %v, want an Error that says %q", err, words)
	}
	if !strings.Contains(err.Error(), words) {
		tb.Errorf("the error says %q, want it to say %q", err, words)
	}
	if e.Hint == "" {
		tb.Errorf("the error %q does not say what to do", err)
	}
}

// Codes writes warnings as their codes and rows.
func Codes(warnings []format.Warning) string {
	var all []string
	for _, w := range warnings {
		all = append(all, fmt.Sprintf("%s %v", w.Code, w.Rows))
	}
	return strings.Join(all, ", ")
}

// CheckReading checks what holds for any workbook: reading it ends in rows of the documented form or in an Error with a
// hint.
func CheckReading(tb testing.TB, rows []table.Row, err error) {
	tb.Helper()
	if err != nil {
		var e *format.Error
		if !errors.As(err, &e) || e.Hint == "" || e.What == "" {
			tb.Errorf("the error %v (%T) is not for a person", err, err)
		}
		return
	}
	for _, row := range rows {
		if row.Number < 1 || row.Number > format.SheetRows || len(row.Cells) > format.SheetColumns {
			tb.Fatalf("row %d has %d cells", row.Number, len(row.Cells))
		}
		for column, cell := range row.Cells {
			if !wellFormed(cell) {
				tb.Errorf("cell %s is %+v", table.CellName(column, row.Number), cell)
			}
		}
	}
}

var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// wellFormed reports whether a cell is as table.Kind documents it.
func wellFormed(c table.Cell) bool {
	switch c.Kind {
	case table.Empty:
		return c.Text == ""
	case table.Number:
		return number.MatchString(c.Text)
	case table.Date:
		day, clock, timed := strings.Cut(c.Text, "T")
		_, err := time.Parse(time.DateOnly, day)
		return err == nil && (!timed || wellFormed(table.Cell{Kind: table.Clock, Text: clock}))
	case table.Clock:
		_, err := time.Parse("15:04:05", c.Text)
		return err == nil
	case table.Bool:
		return c.Text == "TRUE" || c.Text == "FALSE"
	}
	return c.Text != ""
}
