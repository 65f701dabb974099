package source

import (
	"fmt"
	"slices"
	"strings"

	"docketsync/importer/source/format"
	"docketsync/importer/source/header"
	"docketsync/mapping/table"
)

// otherHeader finds rows below the header that are another header, of exports that were put together: what names columns is no
// record, and what stands below it in another order would go out under the wrong names.
type otherHeader struct {
	names []string
	row   int // the first one whose names stand over other columns; 0 while there is none
}

const fewestNames = 3 // of a row that is taken for a header, unless it has all names of a table of two columns

const hintOtherHeader = "Export each table by itself and give it its own job, or put its columns into the order of the first; if the row is not a header, set footer to a pattern that its first cell matches."

// look returns the row's faults.
func (h *otherHeader) look(row table.Row) []table.Fault {
	if row.Skip != "" {
		return nil
	}
	names, moved := h.count(row)
	if moved > 0 && h.row == 0 {
		h.row = row.Number
	}
	fault := table.Fault{Code: "header_inside", Column: table.WholeRow, Hint: hintOtherHeader}
	switch {
	case names > 0:
		fault.Message = "the row looks like another header"
	case h.row > 0:
		fault.Code, fault.Hint = "below_other_header", "Export that table by itself and give it its own job, or put its columns into the order of the first."
		fault.Message = fmt.Sprintf("row %d above it looks like the header of another table, so the cells probably stand under the wrong names", h.row)
	default:
		return nil
	}
	return []table.Fault{fault}
}

// count returns how many cells of a row that is a header are names of the first header, and how many of them stand over another
// column; none of any other row. Two cells in three have to be names.
func (h *otherHeader) count(row table.Row) (names, moved int) {
	filled := 0
	var found []int
	for column := range row.Cells {
		text := strings.TrimFunc(row.Cells[column].Text, format.Invisible)
		if text == "" {
			continue
		}
		filled++
		same := func(name string) bool { return len(name) == len(text) && strings.EqualFold(name, text) }
		at := column
		if !same(header.NameAt(h.names, column)) {
			at = slices.IndexFunc(h.names, same)
		}
		switch {
		case slices.Contains(found, at):
			return 0, 0 // a header names no column twice
		case at >= 0:
			found, names = append(found, at), names+1
			if at != column {
				moved++
			}
		case filled == fewestNames && names == 0:
			return 0, 0 // as nearly all rows are
		}
	}
	if moved == 2 && filled == 2 && len(h.names) == 2 {
		return names, moved // each name over the other's column
	}
	if names < fewestNames || 3*names < 2*filled {
		return 0, 0
	}
	return names, moved
}
