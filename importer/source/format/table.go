package format

import (
	"context"
	"io"
	"iter"

	"docketsync/mapping/table"
)

// Opener opens a file's content from its beginning. What it reads may be unpacked on the way.
type Opener func() (io.ReadCloser, error)

// Table is one sheet of a workbook or one text file.
type Table interface {
	// Rows yields every physical row from the top of the sheet, blank and hidden ones included, with Cells, Number, Line
	// and Hidden set, in ascending order of Number; rows that a workbook does not store may be yielded without cells or left
	// out (the numbers then have a gap). Each call starts again from the top; two iterations never run at the same time.
	// Cells may be reused for the next row, the strings in it must stay valid. An error ends the iteration; it is an *Error
	// whenever there is something to say to a person, whose File and Sheet the caller fills in. A cancelled context ends
	// it with the context's error.
	Rows(ctx context.Context) iter.Seq2[table.Row, error]
	// Warnings are those about the rows read so far; it may be called at any time, the last call coming after the last row.
	Warnings() []Warning
}

// HeadRows is how many rows at the beginning of a table may be looked at to find its header.
const HeadRows = 1000

// Range is a block of cells that a spreadsheet shows as one; rows count from 1 and columns from 0, the last ones included.
type Range struct {
	Top, Bottom, Left, Right int
}

// Book is an opened workbook.
type Book struct {
	Format     string // "xlsx", "xls" or "ods"
	DateSystem string // "1900" or "1904"; "" in an .ods, which has no serial numbers
	Sheets     []Sheet
	Close      func() error // releases what the workbook holds beside its file
}

// Sheet is one tab of a workbook.
type Sheet struct {
	Name   string
	Number int // from 1, all sheets counted
	Hidden bool
	Cells  bool         // it has cells; a chart does not
	Open   func() Table // costs nothing until rows are asked for
}
