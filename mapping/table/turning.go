package table

import (
	"fmt"
	"math"
)

// Turning weighs whether a spreadsheet program has turned some dates of a column around. An export in which the day comes
// first, opened where the month does, has its 03/04/2024 made a date cell of the 4th of March, while 25/12/2024, which is no
// date there, stays text. What remains is a column whose date cells are of days up to 12 and whose texts have a number over
// 12. A text that both orders read, or a date cell of a later day, speaks against it; one in twenty does not refute it, since
// people type into such files afterwards. By chance a date is of such a day in two cases of five, so a few dates say nothing.
type Turning struct {
	early, late  int // date cells of days up to 12, and of later ones
	beyond, both int // texts with a number over 12, and texts that both orders read
}

// mostStrays is one in how many values of a column may be written in another way than the others: people type into such files.
const mostStrays = 20

// byChance is how likely the dates that speak for it may be if nothing was turned.
const byChance = 0.01

// Cell takes a date cell, "2024-03-01" with or without a time, and tells whether it speaks for it.
func (t *Turning) Cell(date string) bool {
	const day, length = len("2024-03-"), len("2024-03-01")
	if len(date) < length || date[day:length] > "12" {
		t.late++
		return false
	}
	t.early++
	return true
}

// Text takes a date that is text and written in numbers, of which one is over 12 or none.
func (t *Turning) Text(beyond bool) {
	if beyond {
		t.beyond++
	} else {
		t.both++
	}
}

// Likely tells whether the column looks so.
func (t Turning) Likely() bool {
	const upTo12, over12 = 12 / 30.4, 1 - 12/30.4
	return t.early > 0 && t.beyond > 0 && t.late*mostStrays <= t.early && t.both*mostStrays <= t.beyond &&
		math.Pow(upTo12, float64(t.early))*math.Pow(over12, float64(t.beyond)) <= byChance
}

// Words say what the column looks like, behind its name.
func (t Turning) Words() string {
	return fmt.Sprintf("%s of its date cells fall on days 1 to 12 of a month, and %s of its dates stored as text contain a number above 12", allBut(t.late), allBut(t.both))
}

func allBut(exceptions int) string {
	if exceptions == 0 {
		return "all"
	}
	return fmt.Sprintf("all but %d", exceptions)
}
