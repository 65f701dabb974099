package source

import (
	"context"
	"iter"

	"docketsync/importer/source/format"
	"docketsync/importer/source/text"
	"docketsync/mapping/table"
)

// aheadRows is how many rows are handed over at once, and aheadBatches how many such batches there are: few, because cells are large. A batch that
// takes aheadBytes, and cellBytes for each cell beside its text, is handed over with as many rows as it has.
const (
	aheadRows    = 128
	aheadBatches = 4
	aheadBytes   = 2 << 20
	cellBytes    = 64
)

// readBatch is rows on their way from the goroutine that reads to the one that uses them.
type readBatch struct {
	rows  []table.Row
	cells []table.Cell // of the rows
	bytes int          // about what they take
	err   error        // after them
}

// keep adds a row with a copy of its cells, which the table reuses.
func (b *readBatch) keep(row table.Row) {
	if need := len(b.cells) + len(row.Cells); need > cap(b.cells) {
		b.cells = make([]table.Cell, 0, max(need, min(aheadRows*len(row.Cells), aheadBytes/cellBytes))) // rows before keep the former one
	}
	from := len(b.cells)
	b.cells = append(b.cells, row.Cells...)
	row.Cells = b.cells[from:len(b.cells):len(b.cells)]
	b.rows = append(b.rows, row)
	for n := range row.Cells {
		b.bytes += cellBytes + len(row.Cells[n].Text)
	}
}

func (b *readBatch) full() bool { return len(b.rows) == aheadRows || b.bytes >= aheadBytes }

// ahead yields what a table yields, which is read in a goroutine of its own meanwhile. The goroutine has ended when the iteration has. Other tables than
// texts are read row by row: more of a sheet is work for one processor, and some sheets are asked about the row in hand.
func ahead(ctx context.Context, t format.Table) iter.Seq2[table.Row, error] {
	if _, is := t.(*text.Table); !is {
		return t.Rows(ctx)
	}
	return readAhead(ctx, t)
}

func readAhead(ctx context.Context, t format.Table) iter.Seq2[table.Row, error] {
	return func(yield func(table.Row, error) bool) {
		reading, stop := context.WithCancel(ctx)
		full, used := make(chan *readBatch, aheadBatches), make(chan *readBatch, aheadBatches)
		for range aheadBatches {
			used <- &readBatch{}
		}
		go func() {
			defer close(full)
			batch := <-used
			for row, err := range t.Rows(reading) {
				if err != nil {
					batch.err = err
					break
				}
				if batch.keep(row); !batch.full() {
					continue
				}
				full <- batch
				select {
				case batch = <-used:
				case <-reading.Done():
					return
				}
			}
			full <- batch
		}()
		defer func() {
			stop()
			for range full { // until it has ended
			}
		}()
		var before *readBatch // whose last row may still be looked at, beside the first of the next
		for batch := range full {
			for _, row := range batch.rows {
				if !yield(row, nil) {
					return
				}
			}
			if batch.err != nil {
				yield(table.Row{}, batch.err)
				return
			}
			if before != nil {
				before.rows, before.cells, before.bytes = before.rows[:0], before.cells[:0], 0
				used <- before
			}
			before = batch
		}
		if err := ctx.Err(); err != nil {
			yield(table.Row{}, err)
		}
	}
}
