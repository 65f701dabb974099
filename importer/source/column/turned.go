package column

import (
	"fmt"
	"slices"

	"docketsync/importer/source/format"
	"docketsync/mapping/table"
)

// DatesTurned is the code of the warning about a column in which a spreadsheet program has probably exchanged day and
// month; see table.Turning.
const DatesTurned = "dates_turned"

type turnedColumn struct {
	table.Turning
	cells format.Warning
	text  int // the row of the first text that is evidence of it
}

// TurnedDates watches the dates of all columns of a sheet.
type TurnedDates []turnedColumn

// AddCell takes in a cell of a workbook.
func (d *TurnedDates) AddCell(row, column int, cell table.Cell) {
	switch cell.Kind {
	case table.Date:
		if c := d.column(column); c.Cell(cell.Text) {
			c.cells.AddRow(row)
		}
	case table.Text:
		first, second, ok := numericDate(cell.Text)
		if !ok {
			return
		}
		c := d.column(column)
		beyond := max(first, second) > 12
		if c.Text(beyond); beyond && c.text == 0 {
			c.text = row
		}
	}
}

func (d *TurnedDates) column(n int) *turnedColumn {
	if n >= len(*d) {
		*d = append(*d, make([]turnedColumn, n+1-len(*d))...)
	}
	return &(*d)[n]
}

// numericDate reads the first two numbers of a date such as 25/12/2024 or 12-25-24, one of which may be over 12.
func numericDate(text string) (first, second int, ok bool) {
	if len(text) < len("1/2/24") || !format.IsDigit(text[0]) {
		return 0, 0, false // the usual case
	}
	first, rest := leadingNumber(text)
	if len(rest) == 0 || rest[0] != '/' && rest[0] != '-' && rest[0] != '.' {
		return 0, 0, false
	}
	separator := rest[0]
	second, rest = leadingNumber(rest[1:])
	if len(rest) < 3 || rest[0] != separator || !format.IsDigit(rest[1]) || !format.IsDigit(rest[2]) {
		return 0, 0, false
	}
	ok = first >= 1 && second >= 1 && min(first, second) <= 12 && max(first, second) <= 31
	return first, second, ok
}

// leadingNumber reads one or two digits; it returns 0 if there are none.
func leadingNumber(text string) (n int, rest string) {
	i := 0
	for i < len(text) && i < 2 && format.IsDigit(text[i]) {
		n = n*10 + int(text[i]-'0')
		i++
	}
	return n, text[i:]
}

// Warnings reports the date cells of the columns that look turned.
func (d TurnedDates) Warnings(sheet string) []format.Warning {
	var all []format.Warning
	for column, c := range d {
		if !c.Likely() {
			continue
		}
		w := c.cells
		w.Rows = slices.Clone(w.Rows)
		w.Code, w.Sheet, w.Column = DatesTurned, sheet, column
		w.Message = fmt.Sprintf("column %s: %s, as in row %d: a spreadsheet program may have taken the day for the month in the date cells",
			table.ColumnLetter(column), c.Words(), c.text)
		w.Hint = "Compare these rows with the system that they come from; if they are wrong, import the export as it was before it was opened."
		all = append(all, w)
	}
	return all
}
