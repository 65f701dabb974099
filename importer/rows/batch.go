package rows

import (
	"bytes"
	"context"

	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/unchanged"
	"docketsync/mapping/table"
)

// BatchSize is how many records go to the ledger at once: large enough that a transaction's cost is shared, small
// enough that memory stays flat.
const BatchSize = 1000

// batchRows is how many rows a batch may be of before it goes, however few its records are.
const batchRows = 4 * BatchSize

// Record is a record on its way from the mapping to the plan, with the rows it was made of. One that is the same as in
// the last run has neither payload nor cells: nothing will be made of them.
type Record struct {
	decide.Mapped
	Rows []table.Row
	Same unchanged.Same
}

// batch collects records and hands them on, many at once.
type batch struct {
	emit func(context.Context, []Record) error
	// used gives batches back that were emitted and are done with.
	used chan []Record
	last *ledger.Baseline // the last run, by which records are recognised

	list  []Record
	held  int          // rows of the list
	cells []table.Cell // what is left of the current block that the rows' cells are copied into
	rows  []table.Row  // and of that for the rows
}

// add puts a record into the batch, with copies of its payload and of its rows' cells: the mapper and a source reuse them.
func (b *batch) add(ctx context.Context, m decide.Mapped, rows ...table.Row) error {
	same, err := b.recognise(ctx, m)
	if err != nil {
		return err
	}
	if len(b.rows) < len(rows) {
		b.rows = make([]table.Row, max(len(rows), BatchSize))
	}
	kept := b.rows[:len(rows):len(rows)]
	b.rows = b.rows[len(rows):]
	for n, row := range rows {
		if same.Found() {
			kept[n] = table.Row{Source: row.Source, Number: row.Number}
			continue
		}
		row.Cells = b.keep(row.Cells)
		if len(m.Reasons) > 0 {
			markMissing(row)
		}
		kept[n] = row
	}
	if same.Found() {
		m.Payload = nil
	} else {
		m.Payload = bytes.Clone(m.Payload)
	}
	b.list = append(b.list, Record{Mapped: m, Rows: kept, Same: same})
	if b.held += len(rows); len(b.list) < BatchSize && b.held < batchRows {
		return nil
	}
	return b.flush(ctx)
}

// recognise finds a record that is as it was in the last run. One with a note is told of every night, so it is looked up.
func (b *batch) recognise(ctx context.Context, m decide.Mapped) (unchanged.Same, error) {
	same, err := b.last.Same(ctx, m.Key, m.Digest)
	if len(m.Reasons)+len(m.Notes) > 0 {
		return unchanged.Same{}, err
	}
	return same, err
}

// keep copies cells into a block shared by many rows, which costs one allocation for all of them.
func (b *batch) keep(cells []table.Cell) []table.Cell {
	if len(b.cells) < len(cells) {
		b.cells = make([]table.Cell, max(len(cells), 8192))
	}
	kept := b.cells[:len(cells):len(cells)]
	b.cells = b.cells[len(cells):]
	copy(kept, cells)
	return kept
}

// flush hands on what is left.
func (b *batch) flush(ctx context.Context) error {
	if len(b.list) == 0 {
		return nil
	}
	full := b.list
	b.held = 0
	select {
	case b.list = <-b.used:
	default:
		b.list = make([]Record, 0, BatchSize)
	}
	return b.emit(ctx, full)
}

// done takes back records that were emitted, for their memory.
func (b *batch) done(records []Record) {
	clear(records)
	select {
	case b.used <- records[:0]:
	default:
	}
}

// markMissing makes errors of the cells that a rejected row is too short to have. A blank is what somebody put there: where the row
// is imported again as it is, it must not pass for one that was corrected.
func markMissing(row table.Row) {
	for _, fault := range row.Faults {
		for n := fault.Column; fault.Onward && n < len(row.Cells); n++ {
			row.Cells[n] = table.Cell{Kind: table.Error, Text: "#N/A"}
		}
	}
}
