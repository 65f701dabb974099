package rows

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"docketsync/mapping/table"
)

// counting yields so many rows of three cells in one piece of memory, as sources do, then an error, and tells when it has ended.
func counting(n int, behind error, ended *bool) func(context.Context) iter.Seq2[table.Row, error] {
	return func(ctx context.Context) iter.Seq2[table.Row, error] {
		return func(yield func(table.Row, error) bool) {
			defer func() { *ended = true }()
			cells := make([]table.Cell, 3)
			for row := range n {
				if err := ctx.Err(); err != nil {
					yield(table.Row{}, err)
					return
				}
				for c := range cells {
					cells[c].Text = fmt.Sprint(row, "/", c)
				}
				if !yield(table.Row{Number: row + 1, Cells: cells}, nil) {
					return
				}
			}
			if behind != nil {
				yield(table.Row{}, behind)
			}
		}
	}
}

func TestRowsReadAheadAreThoseOfTheSource(t *testing.T) {
	t.Parallel()
	broken := errors.New("the file broke off")
	for _, n := range []int{0, 1, aheadRows - 1, aheadRows, aheadRows + 1, 20*aheadRows + 7} {
		for _, behind := range []error{nil, broken} {
			var ended bool
			seen := 0
			var last error
			for row, err := range ahead(t.Context(), counting(n, behind, &ended)) {
				if last = err; err != nil {
					continue
				}
				for c := range row.Cells {
					if want := fmt.Sprint(seen, "/", c); row.Cells[c].Text != want || row.Number != seen+1 {
						t.Fatalf("row %d of %d has %q, number %d; want %q", seen+1, n, row.Cells[c].Text, row.Number, want)
					}
				}
				seen++
			}
			if seen != n || !errors.Is(last, behind) || !ended {
				t.Errorf("of %d rows %d came, and the error %v (want %v); the source has ended: %v", n, seen, last, behind, ended)
			}
		}
	}
}

// Whoever closes a file when its loop is over must not close it under the goroutine that reads ahead.
func TestReadingAheadEndsWithTheLoop(t *testing.T) {
	t.Parallel()
	var ended bool
	for row, err := range ahead(t.Context(), counting(1_000_000, nil, &ended)) {
		if err != nil || row.Number == 2*aheadRows {
			break
		}
	}
	if !ended {
		t.Error("the source was still being read")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	ended = false
	for row, err := range ahead(ctx, counting(1_000_000, nil, &ended)) {
		if last = err; row.Number == 5 {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) || !ended {
		t.Errorf("a cancelled loop ended with %v; the source has ended: %v", last, ended)
	}
}
