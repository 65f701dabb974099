package intake

import (
	"context"
	"errors"

	"docketsync/importer/source"
	"docketsync/mapping"
	"docketsync/mapping/proposal"
)

// Look is what was found out about a file, and its first rows.
type Look struct {
	source.Detected
	Header  []string
	First   []mapping.Row
	Columns []Column
	Data    int // rows that are not skipped
}

// Column is a column by the name that a mapping gives it, with what stands in it first.
type Column struct {
	Name     string
	Examples []string
}

// The rows and examples that a look keeps.
const (
	firstRows   = 8
	maxExamples = 3
)

// Look reads the file through.
func (i *Intake) Look(ctx context.Context) (_ Look, err error) {
	table, err := source.Open(ctx, i.Path(), i.options())
	if err != nil {
		return Look{}, i.named(err)
	}
	defer func() { err = errors.Join(err, table.Close()) }()
	look := Look{Header: table.Header().Names}
	for _, name := range proposal.ColumnNames(table.Header()) {
		look.Columns = append(look.Columns, Column{Name: name})
	}
	for row, err := range table.Rows(ctx) {
		if err != nil {
			return Look{}, i.named(err)
		}
		if row.Skip != "" {
			continue
		}
		look.Data++
		if len(look.First) < firstRows {
			row.Cells = append([]mapping.Cell(nil), row.Cells...)
			look.First = append(look.First, row)
		}
		for n := range look.Columns {
			look.Columns[n].take(row.Cell(n).Text)
		}
	}
	look.Detected = table.Detected()
	return look, nil
}

func (c *Column) take(text string) {
	if len(c.Examples) == maxExamples || text == "" {
		return
	}
	for _, known := range c.Examples {
		if known == text {
			return
		}
	}
	c.Examples = append(c.Examples, text)
}
