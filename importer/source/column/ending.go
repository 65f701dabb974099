package column

import (
	"strings"
	"unicode"

	"docketsync/mapping/table"
)

// Ending learns the last column of a text file, to judge whether a last line without a line break is complete. Many
// programs end no file with a line break, so its absence alone says nothing.
type Ending struct {
	column  int
	filled  int
	numbers int // whole numbers without leading zeros, whose length says little: classes are 9 and 35
	blank   int
	words   map[string]bool // the values, while they are few
	shapes  map[string]bool // and their shapes
	longest int
	least   int // length of the shortest value
}

// How many values and shapes count as few, and how many cells, or cells that are all numbers, are needed before another
// one can be called unlike them.
const (
	fewWords      = 50
	fewShapes     = 2
	enoughCells   = 3
	enoughNumbers = 50
)

// NewEnding watches the last of that many columns.
func NewEnding(columns int) *Ending {
	return &Ending{column: columns - 1, words: map[string]bool{}, shapes: map[string]bool{}}
}

// AddRow takes in a complete row.
func (e *Ending) AddRow(row table.Row) {
	text := row.Cell(e.column).Text
	if text == "" {
		e.blank++
		return
	}
	if e.filled++; e.filled == 1 {
		e.least = len(text)
	}
	if isNumber(text) {
		e.numbers++
	}
	e.longest, e.least = max(e.longest, len(text)), min(e.least, len(text))
	if len(e.words) <= fewWords {
		e.words[text] = true
	}
	if len(e.shapes) <= fewShapes {
		e.shapes[shapeOf(text)] = true
	}
}

// Unlike reports whether a value may be the truncated beginning of one like the others: a piece of one of a few
// recurring values, shorter than values that all have the same length, of another shape than the few shapes of numbers
// and dates, or missing where no value is.
func (e *Ending) Unlike(text string) bool {
	enough := enoughCells
	if e.numbers == e.filled && isNumber(text) {
		enough = enoughNumbers
	}
	if e.filled < enough || e.words[text] {
		return false
	}
	if text == "" {
		return e.blank == 0
	}
	for word := range e.words {
		if len(e.words) <= fewWords && len(e.words) < e.filled && strings.HasPrefix(word, text) {
			return true
		}
	}
	return e.least == e.longest && len(text) < e.least || len(e.shapes) <= fewShapes && !e.shapes[shapeOf(text)] && len(text) < e.longest
}

// Alike reports whether two values could be from one list: both have digits, and they have the same length, or letters
// and signs in the same order. A value with spaces is not like one without.
func Alike(a, b string) bool {
	hasDigit := func(text string) bool { return strings.ContainsAny(text, "0123456789") }
	return hasDigit(a) && hasDigit(b) && strings.Contains(a, " ") == strings.Contains(b, " ") && (len(a) == len(b) || strings.TrimRight(shapeOf(a), "0") == strings.TrimRight(shapeOf(b), "0"))
}

func isNumber(text string) bool {
	return strings.Trim(text, "0123456789") == "" && text != "" && text[0] != '0'
}

// shapeOf writes digits as 0 and letters as a, and shortens runs to one, except a final run of digits: 1/12/2024 is
// 0/0/0000.
func shapeOf(text string) string {
	var shape strings.Builder
	last := len(strings.TrimRightFunc(text, unicode.IsDigit))
	var before rune
	for at, c := range text {
		switch {
		case unicode.IsDigit(c):
			c = '0'
		case unicode.IsLetter(c):
			c = 'a'
		}
		if c != before || c == '0' && at >= last {
			shape.WriteRune(c)
		}
		before = c
	}
	return shape.String()
}
