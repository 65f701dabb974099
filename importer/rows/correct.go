package rows

import (
	"fmt"
	"slices"

	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/mapping/table"
)

// correcting puts what people corrected into the rows of a walk, before anything else looks at them.
type correcting struct {
	cells map[string][]ledger.CellCorrection // by key
	seen  map[string]int                     // rows of these keys
}

// row is a row as it was corrected. A cell that says something else than it did then is left as it is, and the row is not vouched for: whoever
// corrected it has not seen that.
func (c *correcting) row(t *Table, row table.Row) table.Row {
	if len(c.cells) == 0 || t.Mapper == nil || row.Skip != "" {
		return row
	}
	key, skip, _ := t.Mapper.Key(row)
	list := c.cells[key]
	if skip != "" || key == "" || len(list) == 0 {
		return row
	}
	nth := c.seen[key]
	c.seen[key]++
	before := row
	row.Cells = slices.Clone(row.Cells)
	for _, one := range list {
		column := slices.Index(t.Header().Names, one.Column)
		if one.Nth != nth || column < 0 {
			continue
		}
		if said := row.Cell(column).Text; said == one.New {
			continue // the source has it by now
		} else if said != one.Old {
			row.Faults = append(slices.Clone(row.Faults), outdated(one, column, fmt.Sprintf("it says %q now", said), "Save the record on its page in the console: as it is to accept what the source says, or with another value."))
			continue
		}
		for len(row.Cells) <= column {
			row.Cells = append(row.Cells, table.Cell{})
		}
		row.Cells[column] = table.Cell{Kind: table.Text, Text: one.New}
		if one.New == "" {
			row.Cells[column] = table.Cell{}
		}
		row.Faults = slices.DeleteFunc(slices.Clone(row.Faults), func(f table.Fault) bool { return f.Column == column && !f.Onward })
	}
	if now, _, _ := t.Mapper.Key(row); now != key {
		before.Faults = append(slices.Clone(before.Faults), outdated(list[0], table.WholeRow, fmt.Sprintf("it would make the key %q of %q", now, key), "Correct a key in the source, or in rejects.xlsx."))
		return before
	}
	return row
}

// outdated is the fault of a row whose correction does not count.
func outdated(c ledger.CellCorrection, column int, why, hint string) table.Fault {
	return table.Fault{Code: "correction_outdated", Column: column, Hint: hint,
		Message: fmt.Sprintf("%s was corrected from %q to %q by %s on %s, which was not done: %s", c.Column, c.Old, c.New, c.Who, moment.Day(c.At), why)}
}
