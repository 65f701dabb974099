package sheet

import (
	"cmp"
	"slices"

	"docketsync/importer/source/format"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// MostMerges bounds the merged ranges that are held.
const MostMerges = 200_000

// ByTop orders merged ranges by their first row.
func ByTop(a, b format.Range) int { return cmp.Compare(a.Top, b.Top) }

// mergeFill repeats the value of merged ranges in their other cells, as rows go by, and looks for values that are covered there.
type mergeFill struct {
	waiting []format.Range // ordered by their first row
	active  []shownRange
	mode    string // "down", "right" or "all"
	keep    bool   // what is covered is read like any other cell
	until   int    // the last row of the ranges that show a value and began so far
}

// shownRange is a merged range and the value that it shows.
type shownRange struct {
	format.Range
	value table.Cell
}

// reach tells if a merged range may cover cells of this row.
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
			faults = m.covered(row, *cells, faults)
		}
		if f.mode != "" && m.value.Kind != table.Empty {
			f.fill(m, row, cells)
		}
	}
	return faults
}

// covered adds a fault for each cell of the row beneath the range that holds another value than the range shows: nobody sees it, and
// a filter or an import finds it.
func (m shownRange) covered(row int, cells []table.Cell, faults []table.Fault) []table.Fault {
	for column := m.Left; column <= m.Right && column < len(cells); column++ {
		hidden := cells[column].Seen()
		if row == m.Top && column == m.Left || format.BlankText(hidden) || hidden == m.value.Seen() {
			continue
		}
		faults = append(faults, table.Fault{Column: column, Problem: *reason.New(reason.Covered, format.FirstLine(hidden),
			table.CellName(m.Left, m.Top)+":"+table.CellName(m.Right, m.Bottom), format.FirstLine(m.value.Seen()))})
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
