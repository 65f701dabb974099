package source

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"docketsync/importer/source/column"
	"docketsync/importer/source/format"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// tally counts rows and collects the warnings about them while a source is read.
type tally struct {
	footer   *regexp.Regexp
	sheet    string // of the current part
	read     int
	skipped  map[string]int
	shapes   map[int]*format.Warning // rows with another number of cells than the header, by that number
	unseen   bool                    // hidden rows count like any other
	hidden   format.Warning
	merged   format.Warning // rows with merged cells whose value is not repeated
	totals   example        // rows that look like totals
	lone     example        // rows with one cell, such as notes and bands
	bands    example        // rows of one cell that is merged over the whole table
	numbers  column.RowNumbers
	warnings []format.Warning
	last     []*format.Warning // those that count the current row
}

// example is a warning with the first text concerned.
type example struct {
	format.Warning
	text string
}

func (t *tally) example(e *example, row table.Row) {
	if e.Count == 0 {
		e.text = format.FirstLine(firstText(row.Cells))
	}
	t.count(&e.Warning, row.Number)
}

// count counts the current row under a warning.
func (t *tally) count(w *format.Warning, row int) {
	w.AddRow(row)
	t.last = append(t.last, w)
}

// disregard removes the current row from the warnings that count it.
func (t *tally) disregard() {
	for _, w := range t.last {
		if w.Count--; w.Count < len(w.Rows) {
			w.Rows = w.Rows[:w.Count]
		}
	}
	t.last = t.last[:0]
}

// firstText returns the text of the first non-blank cell of a row, without surrounding white space.
func firstText(cells []table.Cell) string {
	for i := range cells {
		if text := cells[i].Text; !format.BlankText(text) {
			return format.Trim(text)
		}
	}
	return ""
}

// mostShapes is how many shapes of ragged rows are kept apart; further ones share one warning.
const mostShapes = 20

func newTally(o Options) *tally {
	t := &tally{skipped: map[string]int{}, shapes: map[int]*format.Warning{}, unseen: o.Hidden == "keep"}
	if o.Footer != "" {
		t.footer = regexp.MustCompile(o.Footer) // validate has compiled it before
	}
	return t
}

func (t *tally) isFooter(row table.Row) bool {
	if t.footer == nil {
		return false
	}
	text := firstText(row.Cells)
	return text != "" && t.footer.MatchString(text)
}

// row counts a row, which may look like a total. A short row is odd only in a text file, because a workbook stores no
// blank cells at the end of a row.
func (t *tally) row(row table.Row, total bool, width int, text bool) {
	t.read++
	t.last = t.last[:0]
	t.numbers.AddRow(row)
	if row.Skip != "" {
		t.skipped[row.Skip]++
		if row.Skip == skipBand {
			t.example(&t.bands, row)
		}
		return
	}
	if row.Hidden && !t.unseen {
		t.count(&t.hidden, row.Number)
	}
	if row.Merged {
		t.count(&t.merged, row.Number)
	}
	t.odd(row, total, width)
	have := len(row.Cells)
	for !text && have > width && row.Cells[have-1].Kind == table.Empty {
		have--
	}
	if have > width || text && have < width {
		t.ragged(have, width, row.Number)
	}
}

// odd records rows that are probably not data. They are read like any other, because only a person can tell.
func (t *tally) odd(row table.Row, total bool, width int) {
	const wide = 4
	filled := 0
	for i := 0; i < len(row.Cells) && filled < 2; i++ {
		if !format.BlankText(row.Cells[i].Text) {
			filled++
		}
	}
	if filled == 1 && width >= wide {
		t.example(&t.lone, row)
		return
	}
	if total {
		t.example(&t.totals, row)
	}
}

// isTotal reports whether a row looks like a total of the rows above, or is a line drawn above a total or below a
// header, or a line of asterisks that says the report ends.
func isTotal(row table.Row) bool {
	text := firstText(row.Cells)
	end := strings.HasPrefix(text, "***") && strings.Trim(text, "*") != ""
	switch {
	case row.Total, isLine(row.Cells):
		return true
	case end, table.LooksLikeEnd(text):
		return almostAlone(row.Cells)
	}
	return table.LooksLikeTotal(text)
}

// almostAlone reports whether a row has, besides its first text, at most one more text, or only numbers.
func almostAlone(cells []table.Cell) bool {
	texts := 0
	for _, cell := range cells {
		if strings.Trim(cell.Text, "0123456789.,:/-% ") != "" {
			texts++
		}
	}
	return texts <= 2
}

func isLine(cells []table.Cell) bool {
	return !slices.ContainsFunc(cells, func(cell table.Cell) bool { return strings.Trim(cell.Text, "-=_+ ") != "" }) && len(firstText(cells)) > 1
}

// total returns the fault of a row that looks like a total: if it were sent, nobody would find it among the records.
func (p *partReader) total(row table.Row, is bool) []table.Fault {
	if p.layout.Rejects { // behind the columns that docketsync has put before them
		foreign := slices.IndexFunc(p.layout.Names, func(name string) bool { return !table.IsOwnColumn(name) })
		row.Cells = row.Cells[min(max(foreign, 0), len(row.Cells)):]
		is = isTotal(row)
	}
	if row.Skip != "" || p.source.options.Totals == "keep" || !is {
		return nil
	}
	why := reason.Total
	switch {
	case row.Total:
		why = reason.TotalRow
	case isLine(row.Cells):
		why = reason.TotalLine
	}
	return []table.Fault{{Problem: *reason.New(why, format.FirstLine(firstText(row.Cells))), Column: table.NoRecord}}
}

func (t *tally) ragged(have, width, number int) {
	if t.shapes[have] == nil && len(t.shapes) >= mostShapes {
		have = -1
	}
	shape := t.shapes[have]
	if shape == nil {
		shape = &format.Warning{Code: "ragged_rows", Message: fmt.Sprintf("rows of %s where the header has %d", format.CellCount(have), width)}
		if have < 0 {
			shape.Message = fmt.Sprintf("rows of other lengths than the %s of the header", format.CellCount(width))
		}
		t.shapes[have] = shape
	}
	t.count(shape, number)
}

// close turns the counts of a part into warnings.
func (t *tally) close() {
	t.warnings = append(t.warnings, t.pending()...)
	t.shapes = map[int]*format.Warning{}
	t.hidden, t.merged, t.totals, t.lone, t.bands = format.Warning{}, format.Warning{}, example{}, example{}, example{}
}

// pending returns the warnings of the current part.
func (t *tally) pending() []format.Warning {
	var all []format.Warning
	for _, have := range slices.Sorted(maps.Keys(t.shapes)) {
		w := *t.shapes[have]
		if w.Count == 0 {
			continue // all were disregarded
		}
		w.Sheet = t.sheet
		w.Hint = "Their cells may stand under the wrong names: compare them with the file. Such rows of a text file are rejected unless ragged is keep."
		all = append(all, w)
	}
	return slices.Concat(all,
		t.hidden.Counted("hidden_rows", t.sheet, "rows are hidden in the spreadsheet (filtered out, or by hand)",
			"Such rows are rejected unless hidden is keep, which takes them like any other, or skip, which leaves them out."),
		t.merged.Counted("merged_cells", t.sheet, "rows have merged cells, which hold their value in the top left cell only", "Set merged: down, right or all to repeat the value."),
		t.totals.Counted("looks_like_total", t.sheet, fmt.Sprintf("rows look like totals, such as %q", t.totals.text),
			"Such rows are rejected unless totals is keep. To leave them out, set footer to a pattern that no record matches, such as ^Total:?$, or footer_rows to their number."),
		t.lone.Counted("lone_cell", t.sheet, fmt.Sprintf("rows hold a single cell, such as %q, as notes and headings between rows do, and were read like any other", t.lone.text),
			"To leave them out, set footer to a pattern that their text matches, or skip them in the mapping."),
		t.bands.Counted("band_rows", t.sheet, fmt.Sprintf("rows are one merged cell over the whole table, such as %q, and were left out", t.bands.text),
			"To have one read, unmerge it in a spreadsheet program."))
}
