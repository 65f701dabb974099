package source

import (
	"fmt"
	"strings"

	"docketsync/mapping/table"
)

// sheetNotes is what reading a sheet of any workbook gives to tell of.
type sheetNotes struct {
	columns       int // of the widest row
	merges        int
	hiddenColumns []columnRange
	uncalculated  Warning
	decimals      decimalDoubts
	turned        turnedDoubts
	dates         map[int]string // how dates are shown, by column; see Source.DateFormats
}

// longestFormat is how long a format may be that is kept, in bytes: as long as spreadsheet programs let one be.
const longestFormat = 255

// date takes note of how a date is shown, of the first one of a column that is shown in a way of the workbook's own.
func (n *sheetNotes) date(column int, f numberFormat) {
	if f.code == "" || len(f.code) > longestFormat || n.dates[column] != "" {
		return
	}
	if n.dates == nil {
		n.dates = map[int]string{}
	}
	n.dates[column] = f.code
}

// columnRange are neighbouring columns, counted from 1.
type columnRange struct {
	first, last int
}

// cell takes note of a cell and of how many beside it are the same.
func (n *sheetNotes) cell(row, column, repeat int, cell table.Cell) {
	n.columns = max(n.columns, column+repeat)
	n.decimals.add(row, column, cell)
	n.turned.add(row, column, cell)
	if cell.Kind == table.Error && cell.Note == notCalculatedMessage {
		n.uncalculated.add(row)
	}
}

// hide takes note of hidden columns.
func (n *sheetNotes) hide(c columnRange) {
	if len(n.hiddenColumns) < maxSheetColumns {
		n.hiddenColumns = append(n.hiddenColumns, c)
	}
}

// describe warns of what was noted. merged is Options.Merged, hidden whether the sheet itself is.
func (n *sheetNotes) describe(d *Detected, sheet, merged string, hidden bool) {
	if labels := n.hiddenLabels(); len(labels) > 0 {
		d.warn(Warning{Code: "hidden_columns", Sheet: sheet, Message: "hidden columns are read like any other: " + strings.Join(labels, ", ")})
	}
	if n.merges > 0 && merged == "" {
		d.warn(Warning{Code: "merged_cells", Sheet: sheet, Message: fmt.Sprintf("merged cells hold their value in the top left cell only (merged ranges: %d)", n.merges),
			Hint: "Set merged: down, right or all to repeat the value."})
	}
	if w := n.uncalculated; w.Count > 0 {
		w.Code, w.Sheet, w.Message, w.Hint = "formula_without_value", sheet, notCalculatedMessage, notCalculatedHint
		d.warn(w)
	}
	d.Warnings = append(d.Warnings, n.decimals.warnings(sheet, n.columns)...)
	d.Warnings = append(d.Warnings, n.turned.warnings(sheet)...)
	if hidden {
		d.warn(Warning{Code: "hidden_sheet", Sheet: sheet, Message: "this sheet is hidden in the workbook"})
	}
}

// hiddenLabels names the hidden columns among those with content: "B", "D–F". Many sheets hide all that is to the right
// of their table, which is nothing to speak of.
func (n *sheetNotes) hiddenLabels() []string {
	var labels []string
	for _, c := range n.hiddenColumns {
		last := min(c.last, n.columns)
		if c.first > last {
			continue
		}
		label := table.ColumnLetter(c.first - 1)
		if last > c.first {
			label += "–" + table.ColumnLetter(last-1)
		}
		labels = append(labels, label)
	}
	return labels
}
