package source

import (
	"fmt"
	"slices"

	"docketsync/mapping/table"
)

// rowCells are the cells of a sheet's current row, and what is counted over all of its rows.
type rowCells struct {
	sheet  *sheet
	number int
	cells  []table.Cell
	merges mergeFill
	bytes  int // text held by the current row
	stored int // cells with content that the current row stores
	spread spread
}

func (r *rowCells) begin(number int) {
	r.number, r.cells, r.bytes, r.stored = number, r.cells[:0], 0, 0
}

// finish returns the row with its cells.
func (r *rowCells) finish(row table.Row) (table.Row, error) {
	if row.Faults = r.merges.apply(row.Number, &r.cells); len(r.merges.active) > 0 {
		r.bytes = textOf(r.cells)
	}
	row.Cells = trimEmpty(r.cells)
	if err := r.spread.add(len(r.cells)+len(r.merges.active), r.stored, r.bytes); err != nil {
		return row, placed(err, row.Number)
	}
	return row, nil
}

// textOf counts the bytes of the text of cells.
func textOf(cells []table.Cell) int {
	bytes := 0
	for i := range cells {
		bytes += len(cells[i].Text)
	}
	return bytes
}

// put places a cell; two of them in one place are a damage that spreadsheet programs refuse as well.
func (r *rowCells) put(column int, cell table.Cell) error {
	if column >= len(r.cells) {
		n := len(r.cells)
		r.cells = slices.Grow(r.cells, column+1-n)[:column+1]
		clear(r.cells[n:])
	} else if r.cells[column].Kind != table.Empty {
		return &Error{What: "the cell " + table.CellName(column, r.number) + " is there twice", Column: column + 1, Hint: hintRepair}
	}
	r.bytes += len(cell.Text)
	if r.bytes > r.sheet.limits.Record {
		return &Error{What: fmt.Sprintf("the row holds more than %s of text", byteSize(uint64(r.sheet.limits.Record))), Hint: hintHostile}
	}
	cell = limited(cell)
	r.cells[column] = cell
	r.stored++
	r.sheet.notes.cell(r.number, column, 1, cell)
	return nil
}

func trimEmpty(cells []table.Cell) []table.Cell {
	for len(cells) > 0 && cells[len(cells)-1].Kind == table.Empty && cells[len(cells)-1].Note == "" {
		cells = cells[:len(cells)-1]
	}
	return cells
}
