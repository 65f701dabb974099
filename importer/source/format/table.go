package format

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"

	"docketsync/mapping/table"
)

// Opener opens a file's content from its beginning. The content may be unpacked while it is read.
type Opener func() (io.ReadCloser, error)

// Table is one sheet of a workbook or one text file.
type Table interface {
	// Rows yields every physical row from the top of the sheet, including blank and hidden ones, with Cells, Number,
	// Line and Hidden set, in ascending order of Number. Rows that a workbook does not store may be yielded without
	// cells or left out, which leaves a gap in the numbers. Each call starts again from the top; two iterations never
	// run at the same time.
	//
	// Cells may be reused for the next row, or by a text file for the row after that; the strings in them must stay
	// valid. An error ends the iteration. It is an *Error whenever a person can act on it; the caller fills in its File
	// and Sheet. A cancelled context ends the iteration with the context's error.
	Rows(ctx context.Context) iter.Seq2[table.Row, error]
	// Warnings returns the warnings about the rows read so far. It may be called at any time; the last call comes after
	// the last row.
	Warnings() []Warning
}

// ReadHead reads the first bytes, as many as there are.
func ReadHead(in io.Reader, most int) ([]byte, error) {
	head := make([]byte, most)
	n, err := io.ReadFull(in, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return head[:n], err
}

// HeadRows is how many rows at the beginning of a table may be read to find its header.
const HeadRows = 1000

// Range is a block of cells that a spreadsheet shows as one. Rows count from 1 and columns from 0; the last ones are
// included.
type Range struct {
	Top, Bottom, Left, Right int
}

// Book is an opened workbook.
type Book struct {
	Format     string // "xlsx", "xls" or "ods"
	DateSystem string // "1900" or "1904"; "" in an .ods, which has no serial numbers
	Sheets     []Sheet
	Close      func() error // releases what the workbook holds besides its file
}

// Sheet is one tab of a workbook.
type Sheet struct {
	Name   string
	Number int // from 1, counting all sheets
	Hidden bool
	Cells  bool         // it has cells; a chart does not
	Open   func() Table // costs nothing until rows are read
}

// Warning is a doubt that did not stop the reading. Code is a stable word for grouping. Rows are the first rows
// concerned (at most WarningRows); Count is the number of all of them.
type Warning struct {
	Code    string `json:"code"`
	Sheet   string `json:"sheet,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Rows    []int  `json:"rows,omitempty"`
	Count   int    `json:"count,omitempty"`
	Column  int    `json:"-"` // from 0, for dates_turned, zeros_lost and row_numbers; -1 if probably nothing in it is wrong
	Setting string `json:"-"` // for a guess about how the whole table is written: the setting that decides it, such as "delimiter"
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

// Counted returns the warning about the counted rows, as a list; the list is empty if no rows were counted.
func (w Warning) Counted(code, sheet, message, hint string) []Warning {
	if w.Count == 0 {
		return nil
	}
	w.Code, w.Sheet, w.Message, w.Hint = code, sheet, message, hint
	return []Warning{w}
}

// Limits are how much a file may make the reader hold. A zero field means the default named beside it. A text file is
// read within three times Record (the buffer, the cells being assembled, and the string that they become) plus half a
// MiB for finding its dialect. Cell does not apply to workbooks: there, a text of more than LongestText characters is
// an error of its cell. LongestText does not apply to text files, because database exports have longer notes, and text
// files hold no text twice.
type Limits struct {
	Cell     int   // bytes of one cell: 4 MiB
	Record   int   // bytes of one row: 16 MiB
	Columns  int   // cells of one row: 16,384, as many as a spreadsheet has
	Unpacked int64 // bytes that a compressed file may unpack to: 4 GiB for text; the parts of a workbook have limits of their own below this
}

// The size of a sheet, and of a text in one of its cells, in every spreadsheet program.
const (
	SheetRows    = 1_048_576
	SheetColumns = 16_384
	LongestText  = 32_767 // characters as spreadsheet programs count them: in UTF-16
	// LongestBytes is the maximum size of such a text in UTF-8.
	LongestBytes = 3 * LongestText
)

// WithDefaults fills in the fields that are not set.
func (l Limits) WithDefaults() Limits {
	return Limits{Cell: cmp.Or(l.Cell, 4<<20), Record: cmp.Or(l.Record, 16<<20), Columns: cmp.Or(l.Columns, SheetColumns), Unpacked: cmp.Or(l.Unpacked, 4<<30)}
}
