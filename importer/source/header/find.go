package header

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"docketsync/importer/source/format"
	"docketsync/mapping/table"
)

// fittingRow returns the first row that holds at least half of the wanted names and at least as many as any other row,
// or -1. lines is 2 if two lines together hold more of them; 0 leaves the number of lines open.
func fittingRow(head []table.Row, wanted []string) (at, lines int) {
	best := 0
	at = -1
	for i, row := range head {
		if fit := format.Fit(trimmed(row.Cells), wanted); fit > best {
			best, at = fit, i
		}
	}
	for i := range len(head) - 1 {
		if !adjacent(head[i], head[i+1]) {
			continue
		}
		if fit := format.Fit(joinedNames(head[i:i+2], nil, wanted), wanted); fit > best {
			best, at, lines = fit, i, 2
		}
	}
	if 2*best < len(wanted) {
		return -1, 0
	}
	return at, lines
}

// headerRow finds the header by its looks: the first row, below titles with few cells, that is as wide as the rows of
// the table, if its cells are names. If that row holds a value, the table has no header, and the titles are rows like
// any other.
func headerRow(head []table.Row) (at int, why string) {
	typical := typicalWidth(head)
	for i, row := range head {
		if isTitle(row, typical) {
			continue
		}
		if value := firstValue(head, i); value != "" {
			return -1, fmt.Sprintf("row %d holds the value %q where a header would have a name", row.Number, value)
		}
		if i == 0 {
			return 0, "the first row that is not blank holds only names"
		}
		return i, "the first row as wide as the table, holding only names"
	}
	return -1, "no row is as wide as the table"
}

// isTitle reports whether a row above the header is too narrow to be the header. In a table of two columns a row of one
// cell may be a header with a blank name; it is a title only if it has no place for the second cell.
func isTitle(row table.Row, typical int) bool {
	if typical == 2 {
		return len(row.Cells) < 2
	}
	return 2*Filled(row.Cells) <= typical && typical > 2
}

// typicalWidth returns the median number of cells that hold something. Rows of one cell may be bands between records,
// and count only if they are more than half of the table.
func typicalWidth(head []table.Row) int {
	var widths []int
	for _, row := range head {
		widths = append(widths, Filled(row.Cells))
	}
	slices.Sort(widths)
	single, _ := slices.BinarySearch(widths, 2)
	if 2*single <= len(widths) {
		widths = widths[single:]
	}
	return widths[len(widths)/2]
}

// firstValue returns the first cell of a row that cannot be the name of a column, or "". Years in order are names,
// because they head the columns of statistics. A truth word is a name if the cells below hold other things: "No" is
// short for number in many headers.
func firstValue(head []table.Row, at int) string {
	cells := head[at].Cells
	years := yearsInOrder(cells)
	for column, cell := range cells {
		switch {
		case !isValue(cell), years && isYear(cell.Text):
		case isTruthWord(cell) && headsOthers(head[at+1:], column, cell):
		default:
			return format.Tail(cell.Text, 40)
		}
	}
	return ""
}

// headsOthers reports whether a column continues with something other than truth words and placeholders. If nothing
// follows, only "no" is taken for a name.
func headsOthers(below []table.Row, column int, word table.Cell) bool {
	filled := false
	for _, row := range below {
		cell := row.Cell(column)
		if cell.Kind == table.Bool || isTruthWord(cell) || isPlaceholder(cell) {
			return false
		}
		filled = filled || !format.BlankText(cell.Text)
	}
	return filled || lowered(word) == "no"
}

func lowered(cell table.Cell) string {
	return strings.ToLower(strings.TrimFunc(cell.Text, format.Invisible))
}

func isTruthWord(cell table.Cell) bool {
	return cell.Kind == table.Text && slices.Contains([]string{"yes", "no", "true", "false"}, lowered(cell))
}

// isPlaceholder reports whether a text stands for nothing. No column has such a name.
func isPlaceholder(cell table.Cell) bool {
	return cell.Kind == table.Text && slices.Contains([]string{"null", "n/a", "-"}, lowered(cell))
}

// longestName is the maximum number of characters in a column's name.
const longestName = 120

// isValue reports whether a cell holds a value and not a name: a number, a date, a truth value, a placeholder, or a
// long text.
func isValue(cell table.Cell) bool {
	switch cell.Kind {
	case table.Empty:
		return false
	case table.Text:
		text := strings.TrimFunc(cell.Text, format.Invisible)
		return isTruthWord(cell) || isPlaceholder(cell) || looksNumeric(text) || looksUnique(text) || utf8.RuneCountInString(text) > longestName
	}
	return true
}

// looksNumeric reports whether a text consists of digits and the signs between them in numbers, dates and times.
func looksNumeric(text string) bool {
	digits := 0
	for _, c := range text {
		switch {
		case unicode.IsDigit(c):
			digits++
		case !strings.ContainsRune(" .,:/-+()%€$£¥TZ'\u00a0", c):
			return false
		}
	}
	return digits > 0
}

// looksUnique reports whether a text is an address or a GUID.
func looksUnique(text string) bool {
	return strings.Contains(text, "://") || strings.Contains(text, "@") && strings.Contains(text, ".") || uuid.Validate(text) == nil
}

func isYear(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= 1900 && n <= 2100
}

// yearsInOrder reports whether there are several years among the cells that count up or down, and the first cell is not
// one of them.
func yearsInOrder(cells []table.Cell) bool {
	var years []string
	for _, cell := range cells {
		if isYear(cell.Text) {
			years = append(years, cell.Text)
		}
	}
	if len(years) < 2 || isYear(cells[0].Text) {
		return false
	}
	up := slices.IsSorted(years) && len(slices.Compact(slices.Clone(years))) == len(years)
	slices.Reverse(years)
	return up || slices.IsSorted(years) && len(slices.Compact(years)) == len(years)
}
