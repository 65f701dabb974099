package header

import (
	"strings"

	"docketsync/mapping/table"
)

// ownColumn is the first cell of every sheet of rejected rows that docketsync writes, and so of what somebody has saved of
// it in another format. Whatever a job says about its source's sheet, header and footer is not about such a sheet: its
// header is its first row, and all below it is rows.
const ownColumn = "docketsync: reasons"

// WhyRejects is how a sheet of rejected rows is known.
const WhyRejects = "it holds the rows that docketsync rejected"

// IsRejects tells whether a row is the header of a sheet of rejected rows.
func IsRejects(row table.Row) bool {
	return row.Number == 1 && len(row.Cells) > 0 && strings.TrimSpace(row.Cells[0].Text) == ownColumn
}
