package sheet

import (
	"cmp"
	"slices"

	"docketsync/importer/source/format"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// MostMerges limits the number of merged ranges that are held.
const MostMerges = 200_000

// ByTop orders merged ranges by their first row.
func ByTop(a, b format.Range) int { return cmp.Compare(a.Top, b.Top) }

// mergeFill repeats the value of merged ranges in their other cells while rows go by. It also looks for other values
// that the ranges cover, and for cells that are blank if it repeats nothing.
type mergeFill struct {
	waiting []format.Range // ordered by their first row
	active  []shownRange
	mode    string // "down", "right" or "all"
	keep    bool   // covered cells are read like any other
	until   int    // the last row of the ranges that show a value and have begun so far
	width   int    // cells of the widest row so far, including the header
}

// shownRange is a merged range and the value that it shows.
type shownRange struct {
	format.Range
	value table.Cell
}

// reach reports whether a merged range may cover cells of this row.
func (f *mergeFill) reach(row int) bool {
	return len(f.active) > 0 || len(f.waiting) > 0 && f.waiting[0].Top <= row
}

func (f *mergeFill) apply(row int, cells *[]table.Cell) (faults []table.Fault) {
	for len(f.waiting) > 0 && f.waiting[0].Top <= row {
		m := shownRange{Range: f.waiting[0]}
		f.waiting = f.waiting[1:]
		if m.Top == row && m.Left < len(*cells) {
			m.value = (*cells)[m.Left]
		}
		if m.value.Kind != table.Empty {
			f.until = max(f.until, m.Bottom)
		}
		f.active = append(f.active, m)
	}
	f.active = slices.DeleteFunc(f.active, func(m shownRange) bool { return m.Bottom < row })
	for _, m := range f.active {
		if !f.keep {
			faults = f.covered(m, row, *cells, faults)
		}
		if f.mode != "" && m.value.Kind != table.Empty {
			f.fill(m, row, cells)
		}
	}
	return faults
}

// covered adds a fault for each cell of the row below the range that holds another value than the range shows: nobody
// sees that value, but a filter or an import finds it. A blank cell may mean the value of the range, or nothing.
func (f *mergeFill) covered(m shownRange, row int, cells []table.Cell, faults []table.Fault) []table.Fault {
	shown, end := m.value.Seen(), len(cells)
	unfilled := f.mode == "" && !format.BlankText(shown)
	if unfilled {
		end = max(end, f.width)
	}
	for column := m.Left; column <= m.Right && column < end && len(faults) < format.SheetColumns; column++ {
		hidden := ""
		if column < len(cells) {
			hidden = cells[column].Seen()
		}
		blank := format.BlankText(hidden)
		if row == m.Top && column == m.Left || hidden == shown || blank && !unfilled {
			continue
		}
		where := table.CellName(m.Left, m.Top) + ":" + table.CellName(m.Right, m.Bottom)
		why := reason.New(reason.Covered, format.FirstLine(hidden), where, format.FirstLine(shown))
		if blank {
			why = reason.New(reason.CoveredBlank, where, format.FirstLine(shown))
		}
		faults = append(faults, table.Fault{Column: column, Problem: *why})
	}
	return faults
}

func (f *mergeFill) fill(m shownRange, row int, cells *[]table.Cell) {
	right := m.Right
	if f.mode == "down" {
		right = m.Left
	}
	if f.mode == "right" && row > m.Top {
		return
	}
	if n := len(*cells); right >= n {
		*cells = slices.Grow(*cells, right+1-n)[:right+1]
		clear((*cells)[n:])
	}
	for column := m.Left; column <= right; column++ {
		if (*cells)[column].Kind == table.Empty {
			(*cells)[column] = m.value
		}
	}
}
