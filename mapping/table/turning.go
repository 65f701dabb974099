package table

import (
	"fmt"
	"math"
)

// Turning weighs whether a spreadsheet program has exchanged day and month in some dates of a column. When an export
// that has the day first is opened where the month comes first, 03/04/2024 becomes a date cell of the 4th of March,
// while 25/12/2024 is not a date there and stays text. The result is a column whose date cells have days up to 12 and
// whose texts have a number over 12.
//
// A text that both orders can read, or a date cell of a later day, speaks against it. One in twenty does not refute it,
// because people type into such files afterwards. By chance two dates in five fall on days up to 12, so a few dates
// prove nothing.
type Turning struct {
	early, late  int // date cells of days up to 12, and of later days
	beyond, both int // texts with a number over 12, and texts that both orders read
}

// mostStrays: one value in this many may be written differently from the others in a column, because people type into
// such files.
const mostStrays = 20

// byChance is the maximum probability that the dates look like this although nothing was turned.
const byChance = 0.01

// Cell takes a date cell, "2024-03-01" with or without a time, and reports whether it is evidence of turning.
func (t *Turning) Cell(date string) bool {
	const day, length = len("2024-03-"), len("2024-03-01")
	if len(date) < length || date[day:length] > "12" {
		t.late++
		return false
	}
	t.early++
	return true
}

// Text takes a numeric date stored as text; beyond says that one of its numbers is over 12.
func (t *Turning) Text(beyond bool) {
	if beyond {
		t.beyond++
	} else {
		t.both++
	}
}

// Likely reports whether the column looks turned.
func (t Turning) Likely() bool {
	const upTo12, over12 = 12 / 30.4, 1 - 12/30.4
	return t.early > 0 && t.beyond > 0 && t.late*mostStrays <= t.early && t.both*mostStrays <= t.beyond &&
		math.Pow(upTo12, float64(t.early))*math.Pow(over12, float64(t.beyond)) <= byChance
}

// Words describes the column; it follows the column's name in a message.
func (t Turning) Words() string {
	return fmt.Sprintf("%s of its date cells fall on days 1 to 12 of a month, and %s of its dates stored as text contain a number above 12", allBut(t.late), allBut(t.both))
}

func allBut(exceptions int) string {
	if exceptions == 0 {
		return "all"
	}
	return fmt.Sprintf("all but %d", exceptions)
}
