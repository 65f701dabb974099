package source

import (
	"fmt"
	"slices"

	"docketsync/mapping"
)

// A spreadsheet program that opens an export in which the day comes first, on a machine where the month does, makes 03/04/2024
// a date cell of another day and leaves 25/12/2024 as text. Nothing in a cell tells; the column does: all its date cells are
// of days up to 12, and all its texts have a number over 12.
type turnedDates struct {
	cells, texts Warning
	refuted      bool
}

// turnedDoubts watches the dates of all columns of a sheet.
type turnedDoubts []turnedDates

func (d *turnedDoubts) add(row, column int, cell mapping.Cell) {
	switch cell.Kind {
	case mapping.Date:
		c := d.column(column)
		const day, length = len("2024-03-"), len("2024-03-01")
		if len(cell.Text) < length || cell.Text[day:length] > "12" {
			c.refuted = true
		}
		c.cells.add(row)
	case mapping.Text:
		first, second, ok := numericDate(cell.Text)
		switch {
		case !ok:
		case first <= 12 && second <= 12:
			d.column(column).refuted = true
		default:
			d.column(column).texts.add(row)
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
		if c.refuted || c.cells.Count == 0 || c.texts.Count == 0 {
			continue
		}
		w := c.cells
		w.Rows = slices.Clone(w.Rows)
		w.Code, w.Sheet = "dates_turned", sheet
		w.Message = fmt.Sprintf("column %s: its date cells are all of days up to 12, and its dates that are text, as in row %d, all have a number over 12: a spreadsheet program may have taken the day for the month in the date cells",
			mapping.ColumnLetter(column), c.texts.Rows[0])
		w.Hint = "Compare these rows with the system that they come from; if they are wrong, import the export as it was before it was opened."
		all = append(all, w)
	}
	return all
}
