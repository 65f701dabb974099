package format

import (
	"cmp"
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
	// Cells may be reused for the next row, or by a text file for the one after that; the strings in it must stay valid. An error ends the iteration; it is an *Error
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

// Warning is a doubt that did not stop the reading. Code is a stable word for grouping; Rows are the first rows it is
// about (at most WarningRows), Count how many there are in all.
type Warning struct {
	Code    string `json:"code"`
	Sheet   string `json:"sheet,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Rows    []int  `json:"rows,omitempty"`
	Count   int    `json:"count,omitempty"`
	Column  int    `json:"-"` // from 0, of dates_turned, zeros_lost and row_numbers; -1 where nothing in it is probably wrong
	Setting string `json:"-"` // of a guess about how the whole table is written, that which settles it: "delimiter"
}

// WarningRows is how many rows a warning names.
const WarningRows = 10

// AddRow counts one more row under the warning.
func (w *Warning) AddRow(row int) {
	w.Count++
	if len(w.Rows) < WarningRows {
		w.Rows = append(w.Rows, row)
	}
}

// Counted is the warning about the rows that were counted, in a list of its own; none where none were.
func (w Warning) Counted(code, sheet, message, hint string) []Warning {
	if w.Count == 0 {
		return nil
	}
	w.Code, w.Sheet, w.Message, w.Hint = code, sheet, message, hint
	return []Warning{w}
}

// Limits bound what a file may make the reader hold. A zero field takes the default named beside it. A text file is read
// within three times Record (the buffer, the cells being put together, and the string they end in) and half a MiB for
// finding its dialect. Cell is not asked of workbooks: a text there of more than LongestText characters is an error of its
// cell. A text file is not held to that, as exports of databases have longer notes and none of it is there twice.
type Limits struct {
	Cell     int   // bytes of one cell: 4 MiB
	Record   int   // bytes of one row: 16 MiB
	Columns  int   // cells of one row: 16,384, as many as a spreadsheet has
	Unpacked int64 // bytes that a compressed file may unpack to: 4 GiB for text; workbooks take at most this, see there
}

// The size of a sheet, and of a text in one of its cells, in every spreadsheet program.
const (
	SheetRows    = 1_048_576
	SheetColumns = 16_384
	LongestText  = 32_767 // characters as spreadsheet programs count: in UTF-16
	// LongestBytes is more than any such text takes in UTF-8.
	LongestBytes = 3 * LongestText
)

// WithDefaults fills in the fields that are not set.
func (l Limits) WithDefaults() Limits {
	return Limits{Cell: cmp.Or(l.Cell, 4<<20), Record: cmp.Or(l.Record, 16<<20), Columns: cmp.Or(l.Columns, SheetColumns), Unpacked: cmp.Or(l.Unpacked, 4<<30)}
}
