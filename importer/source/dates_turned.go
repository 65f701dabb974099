package source

import (
	"fmt"
	"slices"

	"docketsync/mapping/table"
)

// DatesTurned is the code of a warning of a column whose date cells a spreadsheet program has probably turned around; see
// table.Turning. Nothing in a cell tells; the column does.
const DatesTurned = "dates_turned"

type turnedDates struct {
	table.Turning
	cells Warning
	text  int // the row of the first text that speaks for it
}

// turnedDoubts watches the dates of all columns of a sheet.
type turnedDoubts []turnedDates

func (d *turnedDoubts) add(row, column int, cell table.Cell) {
	switch cell.Kind {
	case table.Date:
		if c := d.column(column); c.Cell(cell.Text) {
			c.cells.add(row)
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

func (d *turnedDoubts) column(n int) *turnedDates {
	if n >= len(*d) {
		*d = append(*d, make([]turnedDates, n+1-len(*d))...)
	}
	return &(*d)[n]
}

// numericDate reads the first two numbers of a date such as 25/12/2024 or 12-25-24, of which one may be over 12.
func numericDate(text string) (first, second int, ok bool) {
	if len(text) < len("1/2/24") || !isDigit(text[0]) {
		return 0, 0, false // as most texts
	}
	first, rest := leadingNumber(text)
	if len(rest) == 0 || rest[0] != '/' && rest[0] != '-' && rest[0] != '.' {
		return 0, 0, false
	}
	separator := rest[0]
	second, rest = leadingNumber(rest[1:])
	if len(rest) < 3 || rest[0] != separator || !isDigit(rest[1]) || !isDigit(rest[2]) {
		return 0, 0, false
	}
	ok = first >= 1 && second >= 1 && min(first, second) <= 12 && max(first, second) <= 31
	return first, second, ok
}

// leadingNumber reads one or two digits; 0 when there are none.
func leadingNumber(text string) (n int, rest string) {
	i := 0
	for i < len(text) && i < 2 && isDigit(text[i]) {
		n = n*10 + int(text[i]-'0')
		i++
	}
	return n, text[i:]
}

// warnings names the date cells of the columns that look turned around.
func (d turnedDoubts) warnings(sheet string) []Warning {
	var all []Warning
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
