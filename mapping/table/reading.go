package table

import (
	"fmt"
	"strings"
)

// Reading is what a text says about whether a column is written as the mapping declares, where another way to write exchanges two things:
// day and month of a date, the signs between thousands and before decimals of a number.
type Reading uint8

const (
	NoReading   Reading = iota // nothing: it can be read neither way, or as the same value both ways
	AsDeclared                 // it can be read as declared alone
	AsExchanged                // it can be read with the two exchanged alone, so it could not be read
	EitherWay                  // it is another value with the two exchanged
)

// ReadingOf tells it by whether a text that has two values can be read as declared, and with the two exchanged.
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

// Readings weighs whether a column is written as declared. Where it is not, some values are rejected and others are read as what was not
// meant, which nobody can tell from one of them. One in mostStrays that is written the other way does not refute what is declared; it is
// rejected alone.
type Readings struct {
	count [EitherWay + 1]int
	// The first that is exchanged.
	source, row int
	text        string
}

// Add takes in a text of a row.
func (r *Readings) Add(is Reading, row *Row, text string) {
	if r.count[is]++; is == AsExchanged && r.count[is] == 1 {
		r.source, r.row, r.text = row.Source, row.Number, strings.ToValidUTF8(text[:min(len(text), 100)], "")
	}
}

// Contradicted tells whether values that were read may be others. words count them of each kind, whose name is that of several; file names a
// row's source.
func (r *Readings) Contradicted(kind string, file func(source int) string) (words string, is bool) {
	if r.count[EitherWay] == 0 || r.count[AsExchanged]*mostStrays <= r.count[AsDeclared] {
		return "", false
	}
	return fmt.Sprintf("%d of its %s can only be read that way, such as %q in row %d of %s, and %d only as declared; %d can be read both ways, as different %[2]s",
		r.count[AsExchanged], kind, r.text, r.row, file(r.source), r.count[AsDeclared], r.count[EitherWay]), true
}
