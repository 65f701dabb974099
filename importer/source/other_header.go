package source

import (
	"slices"

	"docketsync/importer/source/format"
	"docketsync/importer/source/header"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// otherHeader finds rows below the header that are another header, as in exports that were put together. A row of
// column names is not a record, and rows below it in another column order would be sent under the wrong names.
type otherHeader struct {
	names []string                          // folded
	at    map[string]int                    // the first column of each name
	sums  map[uint32]bool                   // of the names, see table.NameSum
	most  int                               // maximum length in bytes of a text that may be one of the names
	heads func(table.Row) (is, unlike bool) // Source.Heads
	row   int                               // the first such row whose names are above other columns; 0 if there is none
}

func newOtherHeader(names []string, heads func(table.Row) (is, unlike bool)) otherHeader {
	h := otherHeader{heads: heads, at: map[string]int{}, sums: map[uint32]bool{0: true}}
	for column, name := range names {
		folded := ""
		if name != "" {
			folded = table.FoldName(name)
			h.sums[table.NameSum(folded)] = true
			if _, there := h.at[folded]; !there {
				h.at[folded] = column
			}
			h.most = max(h.most, 4*len(name))
		}
		h.names = append(h.names, folded)
	}
	return h
}

const fewestNames = 3 // for a row to count as a header, unless it has both names of a table of two columns

// look returns the row's faults.
func (h *otherHeader) look(row table.Row) []table.Fault {
	if row.Skip != "" {
		return nil
	}
	names, moved := h.count(row)
	is, unlike := false, false
	if h.heads != nil {
		is, unlike = h.heads(row)
	}
	if h.row == 0 && (moved > 0 || unlike) {
		h.row = row.Number
	}
	switch {
	case names > 0 || is:
		return []table.Fault{{Problem: *reason.New(reason.HeaderInside), Column: table.WholeRow}}
	case h.row > 0:
		return []table.Fault{{Problem: *reason.New(reason.BelowOther, h.row), Column: table.WholeRow}}
	}
	return nil
}

// count returns how many cells of a header row are names of the first header, and how many of these are above another
// column. For any other row it returns 0. Two cells in three must be names.
func (h *otherHeader) count(row table.Row) (names, moved int) {
	filled := 0
	var found []int
	for column := range row.Cells {
		text := format.Trim(row.Cells[column].Text)
		if text == "" {
			continue
		}
		filled++
		at := -1
		if len(text) <= h.most && h.sums[table.NameSum(text)] {
			folded := table.FoldName(text)
			if first, there := h.at[folded]; there {
				if at = first; header.NameAt(h.names, column) == folded {
					at = column
				}
			}
		}
		switch {
		case slices.Contains(found, at):
			return 0, 0 // a header does not repeat a name
		case at >= 0:
			found, names = append(found, at), names+1
			if at != column {
				moved++
			}
		case filled == fewestNames && names == 0:
			return 0, 0 // the usual case
		}
	}
	if moved == 2 && filled == 2 && len(h.names) == 2 {
		return names, moved // each name is above the other's column
	}
	if names < fewestNames || 3*names < 2*filled {
		return 0, 0
	}
	return names, moved
}
