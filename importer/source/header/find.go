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

// fittingRow returns the first row that holds at least half of the wanted names and at least as many as any other, or -1.
// When two lines together hold more of them, lines is 2; 0 leaves it open.
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

// headerRow finds the header by its looks: below titles, which are rows of few cells, the first row that is as wide as
// the rows of the table, if its cells are names. When that row holds a value, the table has no header, and the titles
// are rows like any other.
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

// isTitle tells if a row above the header is too narrow to be it. In a table of two columns a row of one cell may be a
// header with a blank name; it is a title only when it has no place for the other.
func isTitle(row table.Row, typical int) bool {
	if typical == 2 {
		return len(row.Cells) < 2
	}
	return 2*Filled(row.Cells) <= typical && typical > 2
}

// typicalWidth is the median number of cells that hold something. Rows of one cell, which may be bands between records,
// count only where they are more than half of the table.
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

// firstValue returns the first cell of a row that can't be the name of a column, or "". Years that count up are names:
// they head the columns of statistics. A truth word is a name when the cells beneath hold other things: "No" is short for
// number in many headers.
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

// headsOthers tells if a column goes on with something else than truth words and placeholders. Where nothing is beneath,
// "no" alone is taken for a name.
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

// isPlaceholder tells if a text stands for nothing. No column is named so.
func isPlaceholder(cell table.Cell) bool {
	return cell.Kind == table.Text && slices.Contains([]string{"null", "n/a", "-"}, lowered(cell))
}

// longestName is how many characters a column's name may have.
const longestName = 120

// isValue tells if a cell holds a value rather than a name: a number, a date, a truth value, a placeholder, or a long
// text.
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

// looksNumeric tells if a text is made of digits and what stands between them in numbers, dates and times.
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

// looksUnique tells if a text is an address or a GUID.
func looksUnique(text string) bool {
	return strings.Contains(text, "://") || strings.Contains(text, "@") && strings.Contains(text, ".") || uuid.Validate(text) == nil
}

func isYear(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= 1900 && n <= 2100
}

// yearsInOrder tells if the years among the cells are several and count up or down, and the first cell is none.
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
