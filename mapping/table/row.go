package table

import (
	"strconv"
	"strings"

	"docketsync/mapping/reason"
)

// Fault says why the source does not vouch for a row or one of its cells: a row of another width than its header, or a
// number that shows other digits than it has. If the fault concerns a column that the mapping reads, the row is
// rejected, and with it its record.
type Fault struct {
	reason.Problem
	Column int `json:"column"` // from 0, or WholeRow, or NoRecord
	// Onward is set if the row ends before Column. Something is missing, possibly anywhere in the row, so no cell is
	// certain.
	Onward bool `json:"onward,omitempty"`
}

// WholeRow is the column of a fault that leaves no cell of its row certain. Filters are not run on such a row, because
// what they would match may be in the wrong column.
const WholeRow = -1

// NoRecord is the column of a fault that doubts whether the row is a record. Its cells are certain, so a filter may
// leave the row out.
const NoRecord = -2

// Row is one line of a source.
//
// Number is the row number that a spreadsheet program shows for the file: the first line is 1, and blank lines and the
// header count. Line is the physical line of a text file where the row begins, 0 in workbooks. Skip, if not empty, says
// why the row is not data ("blank", "repeated header"); such a row is counted and never mapped. Unended says that no
// line break ended the row, which is then the last of a text file. Merged says that a workbook shows one value across
// several cells of the row and only one of them has it. Total says that the workbook calls the row the total of a
// table.
//
// Cells has as many cells as the header, or more if the row is longer. A source may reuse the slice for the next row;
// the strings in it stay valid. Nobody may change Faults.
type Row struct {
	Source  int // index of the file and sheet among the sources of the run
	Number  int
	Line    int
	Hidden  bool
	Merged  bool
	Total   bool
	Unended bool
	Skip    string
	Cells   []Cell
	Faults  []Fault
}

// Cell returns the cell in the column (0 is the first), or an empty one if the row is shorter.
func (r Row) Cell(column int) Cell {
	if column < 0 || column >= len(r.Cells) {
		return Cell{}
	}
	return r.Cells[column]
}

// Whole reports whether the fault leaves no cell of the row certain.
func (f Fault) Whole() bool { return f.Column == WholeRow || f.Onward }

// Quoted returns the text of the row that a fault is about.
func (r Row) Quoted(f Fault) string {
	if !f.Whole() && f.Column != NoRecord {
		return r.Cell(f.Column).Text
	}
	cells := r.Cells
	if f.Onward {
		cells = cells[:min(f.Column, len(cells))]
	}
	texts := make([]string, len(cells))
	for n, cell := range cells {
		texts[n] = cell.Text
	}
	return strings.Join(texts, " | ")
}

// Header holds the names of the columns, in order and in the file's spelling; a column without a name has "". Names is
// never nil: in a file without a header row the names are the letters A, B, C ….
type Header struct {
	Names []string
}

// Lettered reports whether the columns are named by their letters, as in a file without a header.
func (h Header) Lettered() bool {
	for i, name := range h.Names {
		if name != ColumnLetter(i) {
			return false
		}
	}
	return len(h.Names) > 0
}

// Origin says from which columns of a source one field of the payload is read.
type Origin struct {
	Field   string            `json:"field"`             // "name", "files.number", or "components." and the component's id
	Name    string            `json:"name,omitempty"`    // for a component: its name in the mapping
	From    string            `json:"from"`              // as in mapping.Step
	Type    string            `json:"type"`              // as in payload.Field, the words of messages
	Columns []int             `json:"columns,omitempty"` // from 0, each once
	Lookup  string            `json:"lookup,omitempty"`
	Names   map[string]string `json:"names,omitempty"` // the names of ids that no single cell holds: those of classes
}

// ColumnLetter returns the spreadsheet's letters for a column: 0 is "A", 25 "Z", 26 "AA".
func ColumnLetter(column int) string {
	letters := ""
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		letters = string(rune('A'+(n-1)%26)) + letters
	}
	return letters
}

// Count writes a number of things, in the singular or plural.
func Count(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + several
}

// RowList names rows, of which there may be more than those given: "row 7", "rows 2, 3 and 5 more".
func RowList(numbers []int, all int) string {
	texts := make([]string, len(numbers))
	for n, number := range numbers {
		texts[n] = strconv.Itoa(number)
	}
	list := strings.Join(texts, ", ")
	switch more := all - len(numbers); {
	case more > 0:
		list += " and " + strconv.Itoa(more) + " more"
	case len(numbers) == 1:
		return "row " + list
	}
	return "rows " + list
}

// CellName returns the address of a cell as a spreadsheet shows it: column 2, row 17 is "C17".
func CellName(column, row int) string { return ColumnLetter(column) + strconv.Itoa(row) }
