package rows

import (
	"context"
	"iter"

	"docketsync/mapping/table"
)

const (
	// aheadRows and aheadCells are how much is handed over at once.
	aheadRows  = 64
	aheadCells = 32 * aheadRows
)

// stretch is rows that were read together, with copies of their cells, and the error that stands behind them.
type stretch struct {
	rows  []table.Row
	cells []table.Cell
	err   error
}

// ahead yields the rows of a source, which are read in a goroutine of its own while those before are being used: to take a text file
// apart takes nearly as long as to map it. The goroutine has ended when the loop has, however it ends.
func ahead(ctx context.Context, source func(context.Context) iter.Seq2[table.Row, error]) iter.Seq2[table.Row, error] {
	return func(yield func(table.Row, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		read, used := make(chan *stretch, 1), make(chan *stretch, 3)
		go func() {
			defer close(read)
			readStretches(source(ctx), read, used)
		}()
		defer func() {
			stop()
			for range read {
			}
		}()
		for s := range read {
			for _, row := range s.rows {
				if !yield(row, nil) {
					return
				}
			}
			if s.err != nil {
				yield(table.Row{}, s.err)
				return
			}
			used <- s
		}
	}
}

// readStretches reads all rows. used are stretches that are done with, for their memory.
func readStretches(rows iter.Seq2[table.Row, error], read chan<- *stretch, used <-chan *stretch) {
	s := &stretch{}
	for row, err := range rows {
		if s.err = err; err != nil {
			break
		}
		if len(s.rows) == aheadRows || len(s.rows) > 0 && len(s.cells)+len(row.Cells) > aheadCells {
			read <- s
			select {
			case s = <-used:
				s.rows, s.cells = s.rows[:0], s.cells[:0]
			default:
				s = &stretch{}
			}
		}
		s.cells = append(room(s.cells, len(row.Cells), aheadCells), row.Cells...)
		row.Cells = s.cells[len(s.cells)-len(row.Cells) : len(s.cells) : len(s.cells)]
		s.rows = append(s.rows, row)
	}
	read <- s
}
