package planfile

import (
	"encoding/json"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/mapping/table"
)

// Change is a change of a record, with what the source calls the id that the field gets.
type Change struct {
	payload.Change
	Name string // "" where the field holds no id that was looked up, or nobody can tell
}

// Called is Name, for pages that show changes with names and without.
func (c Change) Called() string { return c.Name }

// Named are changes of a record with the names of their ids.
func Named(run ledger.Run, r ledger.Record, changes []payload.Change) []Change {
	named := make([]Change, len(changes))
	for n, change := range changes {
		named[n] = Change{Change: change}
		if change.New != nil && !change.New.Literal {
			named[n].Name = nameOf(run, r, change.Field)
		}
	}
	return named
}

// nameOf is the text of the cells that an id was looked up by: one column's, the same in all rows of the record.
func nameOf(run ledger.Run, r ledger.Record, field string) (name string) {
	for _, row := range r.Rows {
		if row.Source < 0 || row.Source >= len(run.Sources) {
			return ""
		}
		origins := run.Sources[row.Source].Origins
		n := slices.IndexFunc(origins, func(o ledger.Origin) bool { return o.Field == payload.FieldOf(field) })
		if n < 0 || origins[n].Lookup == "" || origins[n].Type != string(payload.TypeGUID) || len(origins[n].Columns) != 1 {
			return ""
		}
		var cells []table.Cell
		if json.Unmarshal(row.Cells, &cells) != nil || origins[n].Columns[0] >= len(cells) {
			return ""
		}
		text := strings.TrimSpace(cells[origins[n].Columns[0]].Text)
		if text == "" || name != "" && name != text {
			return ""
		}
		name = text
	}
	return name
}
