package source

import (
	"context"
	"slices"
	"strings"

	"docketsync/mapping"
)

// layout says where the header of a table is and what it says.
type layout struct {
	names []string
	lines [][]string // the header's rows as they stand, trimmed; a row further down that equals one is a repetition
	row   int        // number of the header's first row, 0 when there is none
	last  int        // number of its last row; 0 when there is none
	above int        // rows above it that are not blank
	why   string
}

func (l layout) describe(d *Detected) {
	d.HeaderRow, d.HeaderRows, d.HeaderWhy = l.row, len(l.lines), l.why
	d.AboveHeader, d.Columns = l.above, len(l.names)
}

// How many rows, blank ones left out, are looked at to find the header, and how many at most.
const (
	headRows    = 50
	headRowsAll = 1000
)

// lookAt reads the beginning of the table and finds its header.
func lookAt(ctx context.Context, t table, o Options) (layout, error) {
	var head []mapping.Row
	filled, all, dropped := 0, 0, 0
	for row, err := range t.rows(ctx) {
		if err != nil {
			return layout{}, err
		}
		reached := row.Number >= o.Header
		if !blankRow(row) {
			row.Cells = slices.Clone(row.Cells)
			head = append(head, row)
			filled++
		}
		if all++; !reached {
			if len(head) > headRows {
				head, dropped = head[1:], dropped+1 // only what stands near the header matters
			}
			continue
		}
		if filled >= headRows || filled > 0 && all >= headRowsAll {
			break
		}
	}
	if filled == 0 {
		return layout{}, &Error{What: "there is no row that is not blank", Hint: "Check that the export went through, and export it again."}
	}
	l, err := findLayout(head, o)
	l.above += dropped
	return l, err
}

// findLayout decides where the header is among the first rows that are not blank.
func findLayout(head []mapping.Row, o Options) (layout, error) {
	switch {
	case o.NoHeader:
		return lettered(head, configured), nil
	case o.Header > 0:
		return headerAt(head, o)
	}
	if at := fittingRow(head, o.Columns); at >= 0 {
		return headerFrom(head, at, o, "it has the columns asked for"), nil
	}
	at, why := headerRow(head)
	if at < 0 {
		return lettered(head, why), nil
	}
	return headerFrom(head, at, o, why), nil
}

// lettered is the layout of a table without a header: its columns are named A, B, C.
func lettered(head []mapping.Row, why string) layout {
	width := 0
	for _, row := range head {
		width = max(width, len(row.Cells))
	}
	l := layout{names: make([]string, width), why: why}
	for i := range l.names {
		l.names[i] = mapping.ColumnLetter(i)
	}
	return l
}

// headerAt is the layout with the header where Options say it is.
func headerAt(head []mapping.Row, o Options) (layout, error) {
	at := slices.IndexFunc(head, func(row mapping.Row) bool { return row.Number == o.Header })
	if at < 0 {
		return layout{}, &Error{What: "the row that should be the header is blank or not there", Row: o.Header,
			Hint: "Set header to the number of the row that holds the column names, as a spreadsheet shows it."}
	}
	o.HeaderRows = max(1, o.HeaderRows)
	l := headerFrom(head, at, o, configured)
	return l, nil
}

// headerFrom is the layout with the header at the given place of head.
func headerFrom(head []mapping.Row, at int, o Options, why string) layout {
	count := o.HeaderRows
	if count == 0 {
		at, count = headerLines(head, at)
	}
	count = min(count, len(head)-at)
	l := layout{row: head[at].Number, last: head[at+count-1].Number, above: at, why: why}
	for _, row := range head[at : at+count] {
		l.lines = append(l.lines, trimmed(row.Cells))
	}
	l.names = slices.Clone(l.lines[len(l.lines)-1])
	for i := len(l.lines) - 2; i >= 0; i-- {
		l.names = joined(l.lines[i], l.names)
	}
	return l
}

// joined puts the names of an upper line before those of the line beneath. A name reaches to the right over columns that
// are blank in its line and named in the lower one, as a merged cell does.
func joined(upper, lower []string) []string {
	names := make([]string, max(len(upper), len(lower)))
	group := ""
	for i := range names {
		above, below := nameAt(upper, i), nameAt(lower, i)
		switch {
		case above != "":
			group = above
		case below == "":
			group = ""
		}
		names[i] = strings.TrimSpace(group + " " + below)
	}
	return names
}

func nameAt(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return ""
}

// trimmed returns the texts of the cells without blanks around them; a line break inside is kept.
func trimmed(cells []mapping.Cell) []string {
	names := make([]string, len(cells))
	for i, cell := range cells {
		names[i] = strings.TrimFunc(cell.Text, invisible)
	}
	return names
}
