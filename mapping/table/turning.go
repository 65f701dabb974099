package table

import (
	"fmt"
	"math"
	"strings"
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

// TextDate is what a date in text shows about turning: its form, and whether one of its numbers is over 12.
type TextDate uint8

// TextDateOf returns the TextDate of a date whose day and month are numbers with a separator between them, in an order
// that others exchange, or that has another form if the separator is 0.
func TextDateOf(separator byte, beyond bool) TextDate {
	is := 2 * TextDate(2+strings.IndexByte("/.- ", separator))
	if beyond {
		is++
	}
	return is
}

// TextDates weighs the same where the turned dates are text too, as in a sheet that was saved as CSV: they are in the
// form of the spreadsheet program, such as 2015-07-02, and the dates that it left alone in another one, 16/03/2015. Two
// forms that are both right have days up to 12 in both. The zero value has seen no dates.
type TextDates [2 * 6]struct {
	count, source, row int
	text               string // the first one, in this row
}

// Add takes a date in text; the zero TextDate is ignored.
func (t *TextDates) Add(is TextDate, source, row int, text string) {
	if is == 0 {
		return
	}
	d := &t[is]
	if d.count++; d.count == 1 {
		d.source, d.row, d.text = source, row, strings.ToValidUTF8(text[:min(len(text), 100)], "")
	}
}

// Turned describes two forms of which one looks turned, with a row of each; place names a row. It returns "" if there
// are none. A form that shows itself which number is the day is never what a program left alone.
func (t *TextDates) Turned(place func(source, row int) string) string {
	for left := TextDateOf('/', false); int(left) < len(t); left += 2 {
		for turned := TextDateOf(0, false); int(turned) < len(t); turned += 2 {
			w := Turning{early: t[turned].count, late: t[turned+1].count, beyond: t[left+1].count, both: t[left].count}
			if early, beyond := &t[turned], &t[left+1]; turned != left && w.Likely() {
				return fmt.Sprintf("%s of its dates written like %q (%s) fall on days 1 to 12 of a month, and %s of those like %q (%s) contain a number above 12",
					allBut(w.late), early.text, place(early.source, early.row), allBut(w.both), beyond.text, place(beyond.source, beyond.row))
			}
		}
	}
	return ""
}

// Reading is what a text shows about whether a column is written as the mapping declares. The other way to write it
// exchanges two things: day and month of a date, or the thousands and decimal separators of a number.
type Reading uint8

const (
	NoReading   Reading = iota // nothing: it can be read neither way, or as the same value both ways
	AsDeclared                 // it can be read only as declared
	AsExchanged                // it can be read only with the two exchanged, so it was rejected
	EitherWay                  // both of these: it can be read both ways, as different values
)

// ReadingOf returns the Reading of a text, given whether it can be read as declared and whether with the two exchanged.
// If both, the two values must differ.
func ReadingOf(declared, exchanged bool) (is Reading) {
	if declared {
		is |= AsDeclared
	}
	if exchanged {
		is |= AsExchanged
	}
	return is
}

// Readings weighs whether a column is written as declared. If it is not, some of its values are rejected, and others
// are read as something that was not meant, which no single value shows. Up to one value in mostStrays may be written
// the other way without refuting the declared format; it is only rejected.
type Readings struct {
	count [EitherWay + 1]int
	// The first exchanged value.
	source, row int
	text        string

	Dates TextDates
}

// Add takes in a text of a row.
func (r *Readings) Add(is Reading, row *Row, text string) {
	if r.count[is]++; is == AsExchanged && r.count[is] == 1 {
		r.source, r.row, r.text = row.Source, row.Number, strings.ToValidUTF8(text[:min(len(text), 100)], "")
	}
}

// Contradicted reports whether values that were read may mean something else. words counts the values of each sort;
// kind is their plural name, and file names a row's source.
func (r *Readings) Contradicted(kind string, file func(source int) string) (words string, is bool) {
	if r.count[EitherWay] == 0 || r.count[AsExchanged]*mostStrays <= r.count[AsDeclared] {
		return "", false
	}
	return fmt.Sprintf("%d of its %s can only be read that way, such as %q in row %d of %s, and %d only as declared; %d can be read both ways, as different %[2]s",
		r.count[AsExchanged], kind, r.text, r.row, file(r.source), r.count[AsDeclared], r.count[EitherWay]), true
}
