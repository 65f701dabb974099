package mapping

import (
	"fmt"
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// shownTypes are the types that take a number cell as its sheet shows it; to all others a number is its digits.
var shownTypes = []payload.Type{payload.TypeText, payload.TypeURL, payload.TypeGUID, payload.TypeGUIDs}

func (f *field) takesShown() bool {
	return !f.digitsAlone && slices.Contains(shownTypes, f.target.Type)
}

// shown takes a number cell as its sheet shows it.
func (m *Mapper) shown(f *boundField, column int, cell table.Cell) (found, bool) {
	if cell.Shown.Text != "" {
		return found{cell.Shown.Text, table.Text, column}, true
	}
	m.fail(f, column, cell.Text, reason.New(reason.Shown, fmt.Sprintf("the cell holds the number %s, and its number format %s shows it with other signs", cell.Text, cell.Shown.Format),
		"Format the column as text and enter what is meant; if the digits alone are, say number_format: ignore for the field."))
	return found{column: column}, false
}
