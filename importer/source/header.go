package source

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docketsync/mapping/table"
)

// layout says where the header of a table is and what it says.
type layout struct {
	names []string
	lines [][]string // the header's rows as they stand, trimmed; a row further down that equals one is a repetition
	row   int        // number of the header's first row, 0 when there is none
	last  int        // number of its last row; 0 when there is none
	above int        // rows above it that are not blank
	why   string

	doubtful bool // its last line may be a row of data
	rejects  bool // docketsync wrote the table: see rejectsHeader
}

func (l layout) describe(d *Detected) {
	d.HeaderRow, d.HeaderRows, d.HeaderWhy = l.row, len(l.lines), l.why
	d.AboveHeader, d.Columns = l.above, len(l.names)
	if l.doubtful {
		d.warn(Warning{Code: "header_lines_guessed", Message: fmt.Sprintf("rows %d to %d were taken for the header together", l.row, l.last), Rows: []int{l.last}, Count: 1,
			Hint: fmt.Sprintf("Set header_rows: %d if that is right, or header_rows: 1 if row %d is data.", len(l.lines), l.last)})
	}
}

// How many rows, blank ones left out, are looked at to find the header, and how many at most.
const (
	headRows    = 50
	headRowsAll = 1000
)

// head is the beginning of a table: its first rows that are not blank, and which of their cells are merged.
type head struct {
	text  bool // of a text file
	rows  []table.Row
	spans func() ([]mergedRange, error)
}

// mergedTable is a table with merged cells.
type mergedTable interface {
	grid
	// unfilled is the table with the value of merged cells in their top left one alone.
	unfilled() mergedTable
	// spans returns the merged ranges that begin in the first rows. It may take reading the whole table; it is called after
	// the first rows were read.
	spans() ([]mergedRange, error)
	// across returns a function that tells if a row, which was read last, is one merged cell over the columns from left to
	// right. It may take reading the whole table.
	across(left, right int) (func(row int) bool, error)
}

// stored is the table as it is stored, before values are repeated in merged cells: a title that was merged over the
// whole width would look like a header.
func stored(t grid) grid {
	if m, merged := t.(mergedTable); merged {
		return m.unfilled()
	}
	return t
}

// lookAt reads the beginning of the table and finds its header.
func lookAt(ctx context.Context, t grid, o Options) (layout, error) {
	t = stored(t)
	h := head{text: t.sheet() == "", spans: func() ([]mergedRange, error) { return nil, nil }}
	if m, merged := t.(mergedTable); merged {
		h.spans = m.spans
	}
	filled, all, dropped := 0, 0, 0
	for row, err := range t.rows(ctx) {
		if err != nil {
			return layout{}, err
		}
		rejects := all == 0 && rejectsHeader(row)
		if rejects {
			o = o.belowRejects()
		}
		reached := row.Number >= o.Header
		if !blankRow(row) {
			row.Cells = slices.Clone(row.Cells)
			h.rows = append(h.rows, row)
			filled++
		}
		if all++; !reached {
			if len(h.rows) > headRows {
				h.rows, dropped = h.rows[1:], dropped+1 // only what stands near the header matters
			}
			continue
		}
		if rejects || filled >= headRows || filled > 0 && all >= headRowsAll {
			break
		}
	}
	if filled == 0 {
		return layout{}, &Error{What: "there is no row that is not blank", Hint: "Check that the export went through, and export it again."}
	}
	l, err := findLayout(h, o)
	l.above += dropped
	if rejectsHeader(h.rows[0]) {
		l.rejects, l.why = true, whyRejects
	}
	return l, err
}

// findLayout decides where the header is among the first rows that are not blank.
func findLayout(h head, o Options) (layout, error) {
	switch {
	case o.NoHeader:
		return h.lettered(configured), nil
	case o.Header > 0:
		return headerAt(h, o)
	}
	if at, lines := fittingRow(h.rows, o.Columns); at >= 0 {
		return headerFrom(h, at, lines, o, "it has the columns asked for")
	}
	at, why := headerRow(h.rows)
	if at < 0 {
		return h.lettered(why), nil
	}
	return headerFrom(h, at, 0, o, why)
}

// lettered is the layout of a table without a header: its columns are named A, B, C. In a text file they are as many as most
// rows have; a workbook stores no blank cells at a row's end, so its widest row counts.
func (h head) lettered(why string) layout {
	width := 0
	rows := map[int]int{}
	for _, row := range h.rows {
		have := len(row.Cells)
		rows[have]++
		if have > width && (!h.text || rows[have] >= rows[width]) || h.text && rows[have] > rows[width] {
			width = have
		}
	}
	l := layout{names: make([]string, width), why: why}
	for i := range l.names {
		l.names[i] = table.ColumnLetter(i)
	}
	return l
}

// headerAt is the layout with the header where Options say it is.
func headerAt(h head, o Options) (layout, error) {
	at := slices.IndexFunc(h.rows, func(row table.Row) bool { return row.Number == o.Header })
	if at < 0 {
		return layout{}, &Error{What: "the row that should be the header is blank or not there", Row: o.Header,
			Hint: "Set header to the number of the row that holds the column names, as a spreadsheet shows it."}
	}
	return headerFrom(h, at, max(1, o.HeaderRows), o, configured)
}

// headerFrom is the layout with the header at the given place, in as many lines as are given, or else found.
func headerFrom(h head, at, lines int, o Options, why string) (layout, error) {
	found := headerLine{at: at, lines: max(lines, o.HeaderRows)}
	if lines == 0 {
		looks, err := headerLines(h, at)
		if err != nil {
			return layout{}, err
		}
		switch {
		case o.HeaderRows > 0 && looks.lines != o.HeaderRows, spoils(h.rows, at, looks, o.Columns):
			found.lines = max(1, o.HeaderRows)
		case looks.lines > 1:
			found, why = looks, why+"; "+looks.why
			found.doubtful = looks.doubtful && o.HeaderRows == 0
		default:
			found = looks
		}
	}
	at, lines = found.at, found.lines
	lines = min(lines, len(h.rows)-at)
	rows := h.rows[at : at+lines]
	l := layout{row: rows[0].Number, last: rows[lines-1].Number, above: at, why: why, doubtful: found.doubtful}
	for _, row := range rows {
		l.lines = append(l.lines, trimmed(row.Cells))
	}
	if lines == 1 {
		l.names = slices.Clone(l.lines[0])
		return l, nil
	}
	spans, err := h.spans()
	l.names = joinedNames(rows, spans, o.Columns)
	return l, err
}

// spoils tells if taking a line of groups in from above hides names that are asked for.
func spoils(rows []table.Row, at int, found headerLine, wanted []string) bool {
	return found.at < at && fitOf(joinedNames(rows[found.at:at+1], nil, wanted), wanted) < fitOf(trimmed(rows[at].Cells), wanted)
}

func nameAt(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return ""
}

// trimmed returns the texts of the cells without blanks around them; a line break inside is kept.
func trimmed(cells []table.Cell) []string {
	names := make([]string, len(cells))
	for i, cell := range cells {
		names[i] = strings.TrimFunc(cell.Text, invisible)
	}
	return names
}
