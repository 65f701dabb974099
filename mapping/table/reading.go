package table

import (
	"fmt"
	"strings"
)

// Reading is what a text shows about whether a column is written as the mapping declares. The other way to write it
// exchanges two things: day and month of a date, or the thousands and decimal separators of a number.
type Reading uint8

const (
	NoReading   Reading = iota // nothing: it can be read neither way, or as the same value both ways
	AsDeclared                 // it can be read only as declared
	AsExchanged                // it can be read only with the two exchanged, so it was rejected
	EitherWay                  // it can be read both ways, as different values
)

// ReadingOf returns the Reading of a text, given whether it can be read as declared and whether with the two exchanged.
// If both, the two values must differ.
func ReadingOf(declared, exchanged bool) Reading {
	switch {
	case declared && exchanged:
		return EitherWay
	case declared:
		return AsDeclared
	case exchanged:
		return AsExchanged
	}
	return NoReading
}

// Readings weighs whether a column is written as declared. If it is not, some of its values are rejected, and others
// are read as something that was not meant, which no single value shows. Up to one value in mostStrays may be written
// the other way without refuting the declared format; it is only rejected.
type Readings struct {
	count [EitherWay + 1]int
	// The first exchanged value.
	source, row int
	text        string
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
