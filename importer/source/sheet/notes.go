package sheet

import (
	"slices"
	"strings"

	"docketsync/importer/source/column"
	"docketsync/importer/source/format"
	"docketsync/importer/source/numfmt"
	"docketsync/mapping/table"
)

// notes collects what there is to report about a sheet of any workbook.
type notes struct {
	columns        int // of the widest row
	hiddenColumns  []columnRange
	uncalculated   format.Warning
	uncalculatedIn int // the last of its rows
	decimals       column.Decimals
	turned         column.TurnedDates
	bared          map[int]*bared // whole numbers whose format adds decimals, by column
	dates          map[int]string // how dates are shown, by column; see Source.DateFormats
}

// LongestFormat is the maximum length in bytes of a format that is kept, which is also that of spreadsheet programs.
const LongestFormat = 255

// columnRange is a range of adjacent columns, counted from 1.
type columnRange struct {
	first, last int
}

// bared are whole numbers of a column, which are read without the decimals that their format shows.
type bared struct {
	format.Warning
	others bool // numbers of such a format have decimals
}

// withDecimals records a number that its format shows with decimals.
func (n *notes) withDecimals(row, column int, text string) {
	if n.bared[column] == nil {
		n.bared[column] = &bared{}
	}
	if b := n.bared[column]; strings.Contains(text, ".") {
		b.others = true
	} else {
		b.AddRow(row)
	}
}

// cell records a cell and how many equal ones are beside it.
func (n *notes) cell(row, column, repeat int, cell table.Cell) {
	n.columns = max(n.columns, column+repeat)
	if cell.Kind == table.Number && cell.Note != numfmt.NotePercent && cell.Note != numfmt.NoteScaled {
		n.decimals.AddNumber(row, column, cell.Text)
	}
	n.turned.AddCell(row, column, cell)
	if cell.Kind == table.Error && cell.Note == notCalculatedMessage && row != n.uncalculatedIn {
		n.uncalculated.AddRow(row)
		n.uncalculatedIn = row
	}
}

// warnings returns warnings about what was recorded. hidden says whether the sheet itself is hidden.
func (n *notes) warnings(sheet string, hidden bool) (all []format.Warning) {
	if labels := n.hiddenLabels(); len(labels) > 0 {
		all = append(all, format.Warning{Code: "hidden_columns", Sheet: sheet, Message: "hidden columns are read like any other: " + strings.Join(labels, ", ")})
	}
	all = slices.Concat(all, n.uncalculated.Counted("formula_without_value", sheet, notCalculatedMessage, notCalculatedHint),
		n.decimals.Warnings(sheet), n.turned.Warnings(sheet))
	if hidden {
		all = append(all, format.Warning{Code: "hidden_sheet", Sheet: sheet, Message: "this sheet is hidden in the workbook"})
	}
	return all
}

// hiddenLabels names the hidden columns among those with content: "B", "D–F". Many sheets hide everything to the right
// of their table, which is not worth mentioning.
func (n *notes) hiddenLabels() []string {
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
