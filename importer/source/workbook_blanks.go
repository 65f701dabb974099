package source

import (
	"docketsync/mapping/table"
)

// heldRows are blank rows that are rows only if one with content follows; neighbours take no room.
type heldRows struct {
	runs []rowRun
}

type rowRun struct {
	first, last int
	hidden      bool
}

func (h *heldRows) add(row table.Row) {
	if n := len(h.runs); n > 0 && h.runs[n-1].last+1 == row.Number && h.runs[n-1].hidden == row.Hidden {
		h.runs[n-1].last++
		return
	}
	h.runs = append(h.runs, rowRun{row.Number, row.Number, row.Hidden})
}

func (h *heldRows) release(yield func(table.Row, error) bool) bool {
	for _, run := range h.runs {
		for number := run.first; number <= run.last; number++ {
			if !yield(table.Row{Number: number, Hidden: run.hidden}, nil) {
				return false
			}
		}
	}
	h.runs = h.runs[:0]
	return true
}
