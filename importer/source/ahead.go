package source

import (
	"context"
	"iter"

	"docketsync/importer/source/format"
	"docketsync/importer/source/text"
	"docketsync/mapping/table"
)

// aheadRows is how many rows are passed on at once, and aheadBatches how many such batches exist: few, because cells
// are large. A batch is passed on with fewer rows once it takes aheadBytes, counting cellBytes for each cell besides
// its text.
const (
	aheadRows    = 128
	aheadBatches = 4
	aheadBytes   = 2 << 20
	cellBytes    = 64
)

// readBatch is rows on their way from the goroutine that reads them to the one that uses them.
type readBatch struct {
	rows  []table.Row
	cells []table.Cell // of the rows
	bytes int          // approximate size
	err   error        // occurred after the rows
}

// keep adds a row with a copy of its cells, which the table reuses.
func (b *readBatch) keep(row table.Row) {
	if need := len(b.cells) + len(row.Cells); need > cap(b.cells) {
		b.cells = make([]table.Cell, 0, max(need, min(aheadRows*len(row.Cells), aheadBytes/cellBytes))) // earlier rows keep the old array
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

// ahead yields what a table yields, while a separate goroutine reads the table. The goroutine has ended when the
// iteration ends. Only text files are read ahead. More rows of a sheet would be work for the same processor, and some
// sheets are asked about the current row.
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
			for range full { // until the goroutine has ended
			}
		}()
		var before *readBatch // its last row may still be needed beside the first of the next batch
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
