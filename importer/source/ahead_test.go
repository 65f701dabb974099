package source

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"docketsync/importer/source/format"
	"docketsync/mapping/table"
)

// endless is a table that never ends, and knows whether somebody is reading it, and how many rows were.
type endless struct {
	format.Table
	cells     []table.Cell
	beingRead atomic.Bool
	read      atomic.Int64
}

func (e *endless) Rows(context.Context) iter.Seq2[table.Row, error] {
	return func(yield func(table.Row, error) bool) {
		e.beingRead.Store(true)
		defer e.beingRead.Store(false)
		for number := e.read.Add(1); yield(table.Row{Number: int(number), Cells: e.cells}, nil); number = e.read.Add(1) {
		}
	}
}

// Who stops early closes the file next.
func TestNobodyReadsWhenTheIterationHasEnded(t *testing.T) {
	t.Parallel()
	for most := range 5 * aheadRows {
		e, rows := &endless{cells: make([]table.Cell, 1)}, 0
		for row, err := range readAhead(t.Context(), e) {
			if rows++; err != nil || row.Number != rows {
				t.Fatalf("got row %d and %v in place of row %d", row.Number, err, rows)
			}
			if rows > most {
				break
			}
		}
		if e.beingRead.Load() {
			t.Fatalf("the table is still read after row %d, the last that was asked for", rows)
		}
	}
}

// Rows may be as large as 16 MiB.
func TestFewLargeRowsAreReadAhead(t *testing.T) {
	t.Parallel()
	const half = aheadBytes / 2
	for name, cells := range map[string][]table.Cell{"long": {{Text: strings.Repeat("x", half)}}, "many": make([]table.Cell, half/cellBytes)} {
		e, rows := &endless{cells: cells}, int64(0)
		for row := range readAhead(t.Context(), e) {
			rows++
			if ahead := e.read.Load() - rows; ahead > 2*aheadBatches || int64(row.Number) != rows || len(row.Cells) != len(cells) {
				t.Fatalf("%s cells: %d rows are read ahead of row %d", name, ahead, rows)
			}
			if rows == aheadRows {
				break
			}
		}
	}
}

// What is asked about the row in hand must not be answered about one that has been read since.
func TestOnlyTheLastRowIsCutOff(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), textFile(t, "in.csv", "a,b"+strings.Repeat("\n1,2", aheadRows/2)), Options{Ended: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, faulty := 0, []int{}
	for row, err := range s.AllRows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if rows++; len(row.Faults) > 0 {
			faulty = append(faulty, rows)
		}
	}
	if !slices.Equal(faulty, []int{aheadRows / 2}) {
		t.Errorf("the rows %v of %d are held to be cut off, want the last alone", faulty, rows)
	}
}
