package sheet

import (
	"fmt"
	"slices"

	"docketsync/importer/source/format"
	"docketsync/mapping/table"
)

// Cells are the cells of a sheet's current row, and the counts over all of its rows.
type Cells struct {
	Number int // of the current row, from 1

	table  *Table
	cells  []table.Cell
	merges mergeFill
	bytes  int // text held by the current row
	stored int // cells with content that the current row stores
	spread spread
	held   heldRows
}

// Begin starts the row of that number.
func (c *Cells) Begin(number int) {
	c.Number, c.cells, c.bytes, c.stored = number, c.cells[:0], 0, 0
}

// columns returns the maximum number of columns in a row.
func (c *Cells) columns() int { return min(format.SheetColumns, c.table.Limits.Columns) }

// HideColumns records hidden columns, counted from 1.
func (c *Cells) HideColumns(first, last int) {
	if n := &c.table.notes; len(n.hiddenColumns) < format.SheetColumns {
		n.hiddenColumns = append(n.hiddenColumns, columnRange{first, last})
	}
}

// Merge records a range whose top left cell is in the current row.
func (c *Cells) Merge(m format.Range) {
	t := c.table
	t.latest = m
	if m.Top <= format.HeadRows && len(t.noted) < MostMerges {
		t.noted = append(t.noted, m)
	}
	if t.Merged == "" {
		c.merges.until = max(c.merges.until, m.Bottom)
	}
	if t.Merged != "" || !t.KeepCovered {
		c.merges.waiting = append(c.merges.waiting, m)
	}
}

// PutNumber adds a stored number as its style shows it.
func (c *Cells) PutNumber(column int, raw []byte, style int) error {
	cell := c.table.Styles.Cell(raw, style)
	if dates := c.table.notes.dates; cell.Kind == table.Date && !cell.Partial() && dates[column] == "" {
		if code := c.table.Styles.Code(style); code != "" && len(code) <= LongestFormat {
			dates[column] = code // of the first date of a column that has a custom format
		}
	}
	if cell.Kind == table.Number && cell.Shown == nil && c.table.Styles.HasDecimals(style) {
		c.table.notes.withDecimals(c.Number, column, cell.Text)
	}
	return c.Put(column, 1, cell)
}

// Put adds a cell and repeat-1 equal ones beside it. Two cells at one position are damage that spreadsheet programs
// refuse as well.
func (c *Cells) Put(column, repeat int, cell table.Cell) error {
	if column+repeat > c.columns() {
		return &format.Error{What: fmt.Sprintf("the row has more than %d columns", c.columns()), Hint: format.HintHostile}
	}
	if cell.Kind == table.Empty && cell.Note == "" {
		return nil
	}
	if n := len(c.cells); column+repeat > n {
		c.cells = slices.Grow(c.cells, column+repeat-n)[:column+repeat]
		clear(c.cells[n:])
	}
	if c.bytes += len(cell.Text) * repeat; c.bytes > c.table.Limits.Record {
		return &format.Error{What: fmt.Sprintf("the row holds more than %s of text", format.ByteSize(uint64(c.table.Limits.Record))), Hint: format.HintHostile}
	}
	cell = limited(cell)
	for n := column; n < column+repeat; n++ {
		if c.cells[n].Kind != table.Empty {
			return &format.Error{What: "the cell " + table.CellName(n, c.Number) + " is there twice", Column: n + 1, Hint: format.HintRepair}
		}
		c.cells[n] = cell
	}
	c.stored++
	c.table.notes.cell(c.Number, column, repeat, cell)
	return nil
}

// mostRepeated is the maximum number of equal rows with content that one row may stand for. More is a bomb, because
// nobody types a hundred thousand equal rows.
const mostRepeated = 100_000

// emit yields the current cells as repeat rows. Blank rows take no time, however many they are.
func (c *Cells) emit(row table.Row, repeat int, yield func(table.Row, error) bool) error {
	filled := len(trimEmpty(c.cells)) > 0
	last := row.Number + repeat - 1
	switch {
	case filled && repeat > mostRepeated:
		return &format.Error{What: fmt.Sprintf("one row with content is repeated %d times", repeat), Row: row.Number, Hint: format.HintHostile}
	case last > format.SheetRows && (filled || repeat > format.SheetRows):
		return TooManyRows(last)
	case !filled && !c.merges.reach(row.Number):
		c.held.hold(rowRun{row.Number, last, row.Hidden})
		return nil
	}
	for ; row.Number <= last; row.Number++ {
		if err := c.emitOne(row, repeat > 1, yield); err != nil {
			return err
		}
		c.stored = 0 // the other rows are not stored
	}
	return nil
}

// emitOne yields the current cells as the row; keep says that they are needed once more.
func (c *Cells) emitOne(row table.Row, keep bool, yield func(table.Row, error) bool) error {
	cells, bytes := c.cells, c.bytes
	c.merges.width = max(c.merges.width, len(cells))
	if c.merges.reach(row.Number) {
		if keep {
			cells = slices.Clone(cells)
		}
		row.Faults = c.merges.apply(row.Number, &cells)
		if bytes = textOf(cells); !keep {
			c.cells = cells
		}
	}
	row.Cells, row.Merged = trimEmpty(cells), c.table.Merged == "" && row.Number <= c.merges.until
	if err := c.spread.count(len(cells)+len(c.merges.active), c.stored, bytes); err != nil {
		return format.Placed(err, row.Number)
	}
	if len(row.Cells) == 0 {
		c.held.hold(rowRun{row.Number, row.Number, row.Hidden})
		return nil
	}
	if !c.held.release(yield) || !yield(row, nil) {
		return errStopped
	}
	return nil
}

// textOf counts the bytes of the text of cells.
func textOf(cells []table.Cell) int {
	bytes := 0
	for i := range cells {
		bytes += len(cells[i].Text)
	}
	return bytes
}

func trimEmpty(cells []table.Cell) []table.Cell {
	for len(cells) > 0 && cells[len(cells)-1].Kind == table.Empty && cells[len(cells)-1].Note == "" {
		cells = cells[:len(cells)-1]
	}
	return cells
}

// TooManyRows returns the error that a sheet has a row beyond the last possible one.
func TooManyRows(n int) error {
	if n >= 1_000_000_000 {
		return &format.Error{What: fmt.Sprintf("the sheet has a row beyond the billionth; spreadsheets end at %d", format.SheetRows), Hint: format.HintHostile}
	}
	return &format.Error{What: fmt.Sprintf("the sheet has a row %d; spreadsheets end at %d", n, format.SheetRows), Row: n, Hint: format.HintHostile}
}

// heldRows are blank rows that count only if a row with content follows. Adjacent ones take no extra memory.
type heldRows []rowRun

type rowRun struct {
	first, last int
	hidden      bool
}

func (h *heldRows) hold(run rowRun) {
	if n := len(*h); n > 0 && (*h)[n-1].last+1 == run.first && (*h)[n-1].hidden == run.hidden {
		(*h)[n-1].last = run.last
		return
	}
	*h = append(*h, run)
}

func (h *heldRows) release(yield func(table.Row, error) bool) bool {
	for _, run := range *h {
		for number := run.first; number <= run.last; number++ {
			if !yield(table.Row{Number: number, Hidden: run.hidden}, nil) {
				return false
			}
		}
	}
	*h = (*h)[:0]
	return true
}
