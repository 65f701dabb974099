package table

import (
	"strconv"
	"strings"

	"docketsync/mapping/reason"
)

// Fault is why the source does not vouch for a row, or for one of its cells: a row of another width than its header, a number
// that shows other digits than it has. A row with a fault that is about a column which the mapping reads is rejected, and so is
// the record that it belongs to.
type Fault struct {
	reason.Problem
	Column int `json:"column"` // from 0, or WholeRow, or NoRecord
	// Onward says that the row ends before Column: what is missing may be missing anywhere in the row, so no cell is certain.
	Onward bool `json:"onward,omitempty"`
}

// WholeRow is the column of a fault that leaves no cell of its row certain. Such a row is asked no filter, since what it would
// be left out for may stand in the wrong column.
const WholeRow = -1

// NoRecord is the column of a fault that doubts that the row is a record. Its cells are certain, so a filter may leave it out.
const NoRecord = -2

// Row is one line of a source. Number is the row number as a spreadsheet shows it when the file is opened there (the
// first line of the file is 1, blank lines and header included); Line is the physical line of a text file where the row
// begins, 0 in workbooks. Skip, when not empty, says why the row is no data ("blank", "repeated header"): such a row is
// counted and never mapped. Unended says that no line break ended the row, which is the last of a text file then. Merged says that
// a workbook shows a value over several of its cells and only one has it. Cells are as many as the header has, or more when the row
// is longer; a source may reuse the slice for the next row, while the strings in it stay valid. Faults are nobody's to change.
type Row struct {
	Source  int // index of the file and sheet among the sources of the run
	Number  int
	Line    int
	Hidden  bool
	Merged  bool
	Unended bool
	Skip    string
	Cells   []Cell
	Faults  []Fault
}

// Cell returns the cell in the column (0 is the first), or an empty one where the row is shorter.
func (r Row) Cell(column int) Cell {
	if column < 0 || column >= len(r.Cells) {
		return Cell{}
	}
	return r.Cells[column]
}

// Whole tells that no cell of the row is certain.
func (f Fault) Whole() bool { return f.Column == WholeRow || f.Onward }

// Quoted is what a fault is about, as the row says it.
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

// Header holds the names over the columns, in order and as the file spells them; a column without a name has "".
// Names is never nil: a file without a header row has the columns' letters A, B, C … as names.
type Header struct {
	Names []string
}

// Lettered tells that the columns go by their letters, as they do in a file without a header.
func (h Header) Lettered() bool {
	for i, name := range h.Names {
		if name != ColumnLetter(i) {
			return false
		}
	}
	return len(h.Names) > 0
}

// Origin says which columns of a source one field of the payload is read from.
type Origin struct {
	Field   string            `json:"field"`             // "name", "files.number", "components." and the component's id
	Name    string            `json:"name,omitempty"`    // of a component, as the mapping calls it
	From    string            `json:"from"`              // as in mapping.Step
	Type    string            `json:"type"`              // as in payload.Field, the words of messages
	Columns []int             `json:"columns,omitempty"` // from 0, each once
	Lookup  string            `json:"lookup,omitempty"`
	Names   map[string]string `json:"names,omitempty"` // what ids are called that no cell holds by itself: those of classes
}

// ColumnLetter returns the spreadsheet's letters for a column: 0 is "A", 25 "Z", 26 "AA".
func ColumnLetter(column int) string {
	letters := ""
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		letters = string(rune('A'+(n-1)%26)) + letters
	}
	return letters
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
