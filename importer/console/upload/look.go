package upload

import (
	"context"
	"errors"
	"math"
	"slices"

	"docketsync/importer/source"
	"docketsync/importer/source/format"
	"docketsync/mapping/infer"
	"docketsync/mapping/table"
)

// Look is what was detected about a file, and its first rows.
type Look struct {
	source.Detected
	Header  []string
	First   []table.Row
	Columns []Column
	Data    int // rows that are not skipped
	// Left are the first skipped rows of each kind that are not blank.
	Left []table.Row
}

// Column is a column by the name that a mapping uses, with its first values.
type Column struct {
	Name     string
	Examples []string
}

// How many rows, skipped rows of each kind, and examples a look keeps.
const (
	firstRows   = 8
	leftRows    = 50
	maxExamples = 3
)

// glanceRows is how many rows a glance reads.
const glanceRows = 2000

// Look reads the whole file.
func (u *Upload) Look(ctx context.Context) (Look, error) { return u.look(ctx, math.MaxInt) }

// Glance reads the beginning of the file; its counts and warnings are only about that.
func (u *Upload) Glance(ctx context.Context) (Look, error) { return u.look(ctx, glanceRows) }

func (u *Upload) look(ctx context.Context, rows int) (_ Look, err error) {
	from, err := source.Open(ctx, u.Path(), u.Read.Options())
	if err != nil {
		return Look{}, u.named(err)
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	look := Look{Header: from.Header().Names}
	for _, name := range infer.ColumnNames(from.Header()) {
		look.Columns = append(look.Columns, Column{Name: name})
	}
	left := map[string]int{}
	for row, err := range from.Rows(ctx) {
		if err != nil {
			return Look{}, u.named(err)
		}
		if row.Skip != "" {
			if left[row.Skip]++; left[row.Skip] <= leftRows && slices.ContainsFunc(row.Cells, func(c table.Cell) bool { return !format.BlankText(c.Text) }) {
				row.Cells = slices.Clone(row.Cells)
				look.Left = append(look.Left, row)
			}
			continue
		}
		if look.Data++; look.Data > rows {
			break
		}
		if len(look.First) < firstRows {
			row.Cells = slices.Clone(row.Cells)
			look.First = append(look.First, row)
		}
		for n := range look.Columns {
			c, text := &look.Columns[n], row.Cell(n).Text
			if text != "" && len(c.Examples) < maxExamples && !slices.Contains(c.Examples, text) {
				c.Examples = append(c.Examples, text)
			}
		}
	}
	look.Detected = from.Detected()
	return look, nil
}
