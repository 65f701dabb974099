package rows

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
	"docketsync/mapping"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// Spot names a record by its key, or by the number of one of its rows. File and Sheet say where the row is if there are
// several.
type Spot struct {
	Key   string
	Row   int
	File  string // a path, or the end of one
	Sheet string
}

// Finder looks for rows.
type Finder struct {
	Walk Walk
	made *maker // of the inputs that were read last
}

// scan reads the inputs in order. When visit has seen enough of one, scan goes on with the next.
func (f *Finder) scan(ctx context.Context, visit func(t *Table, row table.Row) (enough bool)) error {
	f.made = newMaker(f.Walk.Mapping)
	return f.Walk.Each(ctx, func(t *Table) error {
		f.made.open(t)
		for row, err := range t.Rows(ctx) {
			if err != nil {
				return err
			}
			if visit(t, row) {
				break
			}
		}
		return nil
	})
}

// Row finds the row that a spot names. If several files or sheets have that number, it returns an error that lists
// them.
func (f *Finder) Row(ctx context.Context, spot Spot) (table.Row, error) {
	var found []table.Row
	last := map[int]int{} // the number of the last row seen, by source
	err := f.scan(ctx, func(t *Table, row table.Row) bool {
		part := f.made.sources.at(row.Source)
		switch {
		case spot.File != "" && !SamePath(part.File, spot.File), spot.Sheet != "" && part.Sheet != spot.Sheet:
			return false
		case row.Number == spot.Row:
			row.Cells = slices.Clone(row.Cells)
			found = append(found, row)
		}
		last[row.Source] = row.Number
		// A file with one table need not be read any further.
		return row.Number >= spot.Row && len(t.Sources()) == 1
	})
	switch {
	case err != nil:
		return table.Row{}, err
	case len(found) == 1:
		return found[0], nil
	}
	var places []string
	for n, part := range f.made.sources.All() {
		where := part.File + wording.Prefixed(", sheet ", part.Sheet)
		if len(found) == 0 && last[n] > 0 {
			where += fmt.Sprintf(", which was read to row %d", last[n])
		}
		if len(found) == 0 || slices.ContainsFunc(found, func(row table.Row) bool { return row.Source == n }) {
			places = append(places, where)
		}
	}
	return table.Row{}, &SpotError{Spot: spot, Several: len(found) > 1, Places: places}
}

// SamePath reports whether path is the one asked for, or ends with it.
func SamePath(path, asked string) bool {
	path, asked = filepath.Clean(path), filepath.Clean(asked)
	return path == asked || strings.HasSuffix(path, string(filepath.Separator)+asked)
}

// Key returns the key of a row, or why it has none.
func (f *Finder) Key(row table.Row) (key, skip string, reasons []reason.Reason) {
	if row.Skip != "" {
		return "", row.Skip, nil
	}
	return f.made.mappers[row.Source].Key(row)
}

// Rows finds all rows of a key in all sources.
func (f *Finder) Rows(ctx context.Context, key string) ([]table.Row, error) {
	var rows []table.Row
	near, twin := "", table.TwinKey(key)
	err := f.scan(ctx, func(_ *Table, row table.Row) bool {
		switch found, skip, reasons := f.Key(row); {
		case skip != "" || len(reasons) > 0:
		case found == key:
			row.Cells = slices.Clone(row.Cells)
			rows = append(rows, row)
		case near == "" && table.TwinKey(found) == twin:
			near = found
		}
		return false
	})
	if err == nil && len(rows) == 0 {
		err = &SpotError{Spot: Spot{Key: key}, Near: near}
	}
	return rows, err
}

// Steps explains the fields of a record: of all its rows if the mapping groups, otherwise of the row at.
func (f *Finder) Steps(rows []table.Row, at table.Row) []mapping.Step {
	if !f.Walk.Mapping.Grouped() {
		rows = []table.Row{at}
	}
	return f.made.mappers[at.Source].Explain(rows)
}

// Mapped returns the record of all rows of a key, as a run would make it.
func (f *Finder) Mapped(key string, rows []table.Row) decide.Mapped { return f.made.all(key, rows) }

// Source returns the source of a row.
func (f *Finder) Source(row table.Row) ledger.Source { return f.made.sources.at(row.Source) }

// SpotError says that a record to preview does not exist, or that several match.
type SpotError struct {
	Spot    Spot
	Several bool
	Places  []string // where the row was looked for, or found
	Near    string   // a key that differs only in case, zeros or punctuation
}

// Error says what was looked for, where, and what to do.
func (e *SpotError) Error() string {
	list := ""
	for _, place := range e.Places {
		list += "\n  " + place
	}
	switch {
	case e.Several:
		return fmt.Sprintf("several files or sheets have a row %d; name one with --file or --sheet:%s", e.Spot.Row, list)
	case e.Spot.Row > 0:
		return fmt.Sprintf("there is no row %d below the header in%s", e.Spot.Row, list)
	case e.Near != "":
		return fmt.Sprintf("no row has the key %q; did you mean %q?", e.Spot.Key, e.Near)
	}
	return fmt.Sprintf("no row accepted by the mapping has the key %q; --row N shows why a row is left out", e.Spot.Key)
}
