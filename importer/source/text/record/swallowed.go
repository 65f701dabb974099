package record

import (
	"fmt"
	"slices"
	"strings"

	"docketsync/importer/source/column"
)

// A quote that is part of a text, at the beginning of a cell, finds a fellow in a row further down. What lies between becomes one cell of a row that may be
// as wide as any, and the rows in it are gone. The lines of a cell that was meant are seldom cut by the delimiter into as many cells as a row has. Half of these
// are, and of a table of two columns two at least, and begin with a reference like that of the row; or they are three or more, and all are.

// swallowed returns the fault of a record of several lines that look like rows of their own; nil where they do not, or nobody knows how rows look.
func (r *Reader) swallowed() error {
	delimiter := r.dialect.Delimiter
	if r.Width < 2 || delimiter == "" || r.QuoteKnown {
		return nil
	}
	broken := func(cell string) bool { return strings.ContainsAny(cell, "\r\n") }
	cells := slices.Clone(r.Cells)
	for n, cell := range cells {
		if !broken(cell) {
			cells[n] = strings.ReplaceAll(cell, delimiter, "") // it was in quotes of its own
		}
	}
	lines := strings.FieldsFunc(strings.Join(cells, delimiter), func(c rune) bool { return c == '\n' || c == '\r' })
	first, full, alike := "", 0, 0
	for n, line := range lines {
		begins, _, _ := strings.Cut(line, delimiter)
		switch whole := strings.Count(line, delimiter)+1 == r.Width; {
		case n == 0 && !whole:
			return nil
		case n == 0:
			first = begins
		case whole:
			if full++; column.Alike(first, begins) {
				alike++
			}
		}
	}
	rows := 2*full >= len(lines) && (alike > 1 || alike == 1 && r.Width > 2)
	if all := full > 1 && full == len(lines)-1 && r.Width > 2; !rows && !all {
		return nil
	}
	return r.fault(slices.IndexFunc(r.Cells, broken)+1,
		fmt.Sprintf("a quote opens in line %d and closes in line %d, and these lines look like rows of their own", r.Line, r.Line+countBreaks(r.Raw)),
		`If they are rows, export the file again with quotes inside texts doubled, or set quote: none if it never puts cells in quotes; if they are lines of one cell, set quote: '"'; in a lookup file, leave that column out.`)
}
