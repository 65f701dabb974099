package header

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sheet"
	"docketsync/mapping/table"
)

// Options set what would otherwise be detected; see source.Options.
type Options struct {
	Header, HeaderRows int
	NoHeader           bool
	Columns            []string // the columns that the reader of the rows needs
}

// Layout says where the header of a table is and what it contains.
type Layout struct {
	Names []string
	Lines [][]string // the header's rows, trimmed; a later row that equals one of them is a repetition
	Row   int        // number of the header's first row, 0 if there is none
	Last  int        // number of its last row, 0 if there is none
	Above int        // rows above it that are not blank
	Why   string

	Doubtful bool // its last line may be a row of data
	Rejects  bool // docketsync wrote the table: see IsRejects
}

// Warnings returns a warning if the last line of the header was guessed.
func (l Layout) Warnings() []format.Warning {
	if !l.Doubtful {
		return nil
	}
	return []format.Warning{{Code: "header_lines_guessed", Setting: "header_rows", Message: fmt.Sprintf("rows %d to %d were taken for the header together", l.Row, l.Last),
		Rows: []int{l.Last}, Count: 1,
		Hint: fmt.Sprintf("If that is right, set source: {file: …, header_rows: %d}; if row %d is data, header_rows: 1.", len(l.Lines), l.Last)}}
}

// SameNames reports whether two headers have the same names in the same order. One may lack blank names at its end.
func (l Layout) SameNames(other Layout) bool {
	for i := range max(len(l.Names), len(other.Names)) {
		if table.FoldName(NameAt(l.Names, i)) != table.FoldName(NameAt(other.Names, i)) {
			return false
		}
	}
	return true
}

// headRows is how many non-blank rows are read to find the header; HeadRows is the maximum including blank ones.
const headRows = 50

// head is the beginning of a table: its first non-blank rows, and which of their cells are merged.
type head struct {
	text  bool // from a text file
	rows  []table.Row
	spans func() ([]format.Range, error)
}

// Stored returns the table as it is stored, before values are repeated in merged cells: a title merged over the whole
// width would look like a header.
func Stored(t format.Table) format.Table {
	if sheet, is := t.(*sheet.Table); is {
		return sheet.Unfilled()
	}
	return t
}

// Find reads the beginning of the table and finds its header.
func Find(ctx context.Context, t format.Table, o Options) (Layout, error) {
	t = Stored(t)
	h := head{text: true, spans: func() ([]format.Range, error) { return nil, nil }}
	if sheet, is := t.(*sheet.Table); is {
		h = head{spans: sheet.Spans}
	}
	filled, all, dropped := 0, 0, 0
	for row, err := range t.Rows(ctx) {
		if err != nil {
			return Layout{}, err
		}
		if h.text && isCauses(row) {
			return Layout{}, &format.Error{What: "this is the sheet Causes of rejects.xlsx, which has no rows to import", Row: row.Number, Hint: "Import the workbook itself, or save its sheet Rejects."}
		}
		rejects := all == 0 && IsRejects(row)
		if rejects {
			o = Options{Header: 1, HeaderRows: 1, Columns: o.Columns}
		}
		reached := row.Number >= o.Header
		if !Blank(row) {
			row.Cells = slices.Clone(row.Cells)
			h.rows = append(h.rows, row)
			filled++
		}
		if all++; !reached {
			if len(h.rows) > headRows {
				h.rows, dropped = h.rows[1:], dropped+1 // only what is near the header matters
			}
			continue
		}
		if rejects || filled >= headRows || filled > 0 && all >= format.HeadRows {
			break
		}
	}
	if filled == 0 {
		return Layout{}, &format.Error{What: "all rows are blank", Hint: "Check that the export completed, and export the file again."}
	}
	l, err := findLayout(h, o)
	l.Above += dropped
	if IsRejects(h.rows[0]) {
		l.Rejects, l.Why = true, WhyRejects
	}
	return l, err
}

// findLayout decides where the header is among the first non-blank rows.
func findLayout(h head, o Options) (Layout, error) {
	switch {
	case o.NoHeader:
		return h.lettered(format.Configured), nil
	case o.Header > 0:
		at := slices.IndexFunc(h.rows, func(row table.Row) bool { return row.Number == o.Header })
		if at < 0 {
			return Layout{}, &format.Error{What: "the header row is blank or missing", Row: o.Header,
				Hint: "Set header to the number of the row that holds the column names, as a spreadsheet shows it."}
		}
		return headerFrom(h, at, max(1, o.HeaderRows), o, format.Configured)
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

// lettered returns the Layout of a table without a header: its columns are named A, B, C. In a text file there are as
// many as most rows have. A workbook stores no blank cells at a row's end, so there the widest row counts.
func (h head) lettered(why string) Layout {
	width := 0
	rows := map[int]int{}
	for _, row := range h.rows {
		have := len(row.Cells)
		rows[have]++
		if have > width && (!h.text || rows[have] >= rows[width]) || h.text && rows[have] > rows[width] {
			width = have
		}
	}
	l := Layout{Names: make([]string, width), Why: why}
	for i := range l.Names {
		l.Names[i] = table.ColumnLetter(i)
	}
	return l
}

// headerFrom returns the Layout with the header at the given position, with the given number of lines; 0 means to
// detect it.
func headerFrom(h head, at, lines int, o Options, why string) (Layout, error) {
	found := headerLine{at: at, lines: max(lines, o.HeaderRows)}
	if lines == 0 {
		looks, err := headerLines(h, at)
		if err != nil {
			return Layout{}, err
		}
		switch {
		case o.HeaderRows > 0 && looks.lines != o.HeaderRows, // or taking in a line of groups from above hides wanted names
			looks.at < at && format.Fit(joinedNames(h.rows[looks.at:at+1], nil, o.Columns), o.Columns) < format.Fit(trimmed(h.rows[at].Cells), o.Columns):
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
	l := Layout{Row: rows[0].Number, Last: rows[lines-1].Number, Above: at, Why: why, Doubtful: found.doubtful}
	for _, row := range rows {
		l.Lines = append(l.Lines, trimmed(row.Cells))
	}
	if lines == 1 {
		l.Names = slices.Clone(l.Lines[0])
		return l, nil
	}
	spans, err := h.spans()
	l.Names = joinedNames(rows, spans, o.Columns)
	return l, err
}

// NameAt returns the name of a column, or "" after the last one.
func NameAt(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return ""
}

// trimmed returns the texts of the cells without surrounding white space; a line break inside is kept.
func trimmed(cells []table.Cell) []string {
	names := make([]string, len(cells))
	for i, cell := range cells {
		names[i] = strings.TrimFunc(cell.Text, format.Invisible)
	}
	return names
}

// Blank reports whether no cell of a row holds anything visible.
func Blank(row table.Row) bool {
	for i := range row.Cells {
		if cell := &row.Cells[i]; cell.Kind != table.Empty && !format.BlankText(cell.Text) {
			return false
		}
	}
	return true
}

// Filled counts the cells that hold something.
func Filled(cells []table.Cell) int {
	n := 0
	for _, cell := range cells {
		if cell.Kind != table.Empty {
			n++
		}
	}
	return n
}

// WhyRejects says how a sheet of rejected rows was recognized.
const WhyRejects = "it holds the rows that docketsync rejected"

// IsRejects reports whether a row is the header of a sheet of rejected rows that docketsync wrote, or that somebody
// saved from it in another format. A job's settings for sheet, header and footer do not apply to such a sheet: its
// header is its first row, and everything below is rows.
func IsRejects(row table.Row) bool {
	return row.Number == 1 && len(row.Cells) > 0 && strings.TrimSpace(row.Cells[0].Text) == table.OwnColumn("reasons")
}

// isCauses reports whether a row is the header of the list of causes, which is the first sheet of that workbook.
func isCauses(row table.Row) bool {
	return row.Cell(0).Text == "Rows" && row.Cell(1).Text == "Records" && row.Cell(2).Text == "Rejected by" && row.Cell(3).Text == "What is wrong"
}
