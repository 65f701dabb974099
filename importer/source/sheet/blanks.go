package sheet

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

func (h *heldRows) hold(run rowRun) {
	if n := len(h.runs); n > 0 && h.runs[n-1].last+1 == run.first && h.runs[n-1].hidden == run.hidden {
		h.runs[n-1].last = run.last
		return
	}
	h.runs = append(h.runs, run)
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
