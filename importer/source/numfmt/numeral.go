package numfmt

import (
	"strconv"
	"strings"

	"docketsync/importer/source/format"
	"docketsync/mapping/table"
)

// Notes on numbers. They are constants, so that a million cells cost nothing and a report can count them by text.
const (
	NotePercent    = "a percentage: the sheet shows this number times 100"
	NoteScaled     = "the sheet shows this number divided by a thousand or more"
	noteMasked     = "the sheet shows this number with other signs between its digits, as its number format says"
	noteZerosShown = "stored as a number; its number format adds the zeros"
	noteLongNumber = "a number of more than 15 digits, which spreadsheets round"
	NoteUnreadable = "stored as a number but not a valid one"
)

// visibleDigits is how many significant digits a spreadsheet keeps and shows; the rest of a stored double is noise of
// the binary fraction.
const visibleDigits = 15

// longestNumeral is the maximum number of digits of a number whose exponent is written out. A double has fewer than 310
// before the point, and nobody types a number below 1E-330.
const longestNumeral = 340

// numeral is a decimal number in parts: the value is 0.digits × 10^point; digits has no leading zero.
type numeral struct {
	negative bool
	digits   string
	point    int
	places   int // digits after the point as written; -1 if written with an exponent
}

// ParseNumeral reads a number as a workbook stores it: "1323722.0", "-0.5", "1.23E+16".
func ParseNumeral(raw string) (numeral, bool) {
	var n numeral
	mantissa, exponent, scientific := raw, "", false
	if at := strings.IndexAny(raw, "eE"); at >= 0 {
		mantissa, exponent, scientific = raw[:at], strings.TrimPrefix(raw[at+1:], "+"), true
	}
	if mantissa != "" && (mantissa[0] == '-' || mantissa[0] == '+') {
		n.negative = mantissa[0] == '-'
		mantissa = mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole == "" && fraction == "" || !format.AllDigits(whole) || !format.AllDigits(fraction) {
		return numeral{}, false
	}
	n.places = len(fraction)
	shift := 0
	if scientific {
		e, err := strconv.Atoi(exponent)
		if err != nil || e > longestNumeral || e < -longestNumeral {
			return numeral{}, false
		}
		shift, n.places = e, -1
	}
	digits := whole + fraction
	n.digits = strings.TrimLeft(digits, "0")
	n.point = len(whole) - (len(digits) - len(n.digits)) + shift
	return n, len(n.digits) <= 2*longestNumeral
}

// settled returns the number that a person sees: at most fifteen significant digits if there is a fraction, every digit
// if there is none. Zeros after the point stay if the file has them, unless they are all that follows the point.
func (n numeral) settled() numeral {
	significant := strings.TrimRight(n.digits, "0")
	if len(significant) <= n.point || len(significant) <= visibleDigits {
		if len(significant) <= n.point || n.places < 0 {
			n.digits, n.places = significant, -1
		}
		return n.trimmedZero()
	}
	return n.rounded(significant, max(visibleDigits, n.point))
}

// rounded removes the digits after the first keep ones, rounding half up.
func (n numeral) rounded(digits string, keep int) numeral {
	up := digits[keep] >= '5'
	kept := []byte(digits[:keep])
	for i := keep - 1; up && i >= 0; i-- {
		if up = kept[i] == '9'; up {
			kept[i] = '0'
		} else {
			kept[i]++
		}
	}
	if up {
		kept = append([]byte{'1'}, kept...)
		n.point++
	}
	n.digits, n.places = strings.TrimRight(string(kept), "0"), -1
	return n.trimmedZero()
}

func (n numeral) trimmedZero() numeral {
	if strings.Trim(n.digits, "0") == "" {
		return numeral{places: -1}
	}
	return n
}

// text writes the number without an exponent, with at least the given numbers of digits before and after the point.
func (n numeral) text(zeros, decimals int) string {
	var b strings.Builder
	if n.negative {
		b.WriteByte('-')
	}
	whole := max(n.point, 1, zeros)
	for i := n.point - whole; i < n.point; i++ {
		b.WriteByte(n.digit(i))
	}
	places := max(len(n.digits)-n.point, n.places, decimals, 0)
	if places > 0 {
		b.WriteByte('.')
	}
	for i := n.point; i < n.point+places; i++ {
		b.WriteByte(n.digit(i))
	}
	return b.String()
}

func (n numeral) digit(i int) byte {
	if i < 0 || i >= len(n.digits) {
		return '0'
	}
	return n.digits[i]
}

func (n numeral) whole() bool { return len(strings.TrimRight(n.digits, "0")) <= n.point }

// numberCell reads a stored number as its format shows it. The digits stay, an exponent is written out, and zeros that
// the format adds ("00123", "3.0030") are kept, because the person who made the list sees and means them. Whole numbers
// get no zeros after a point: an identifier 1323722 in a column of amounts is still "1323722".
func numberCell(n numeral, format formatSection) table.Cell {
	n = n.settled()
	cell := table.Cell{Kind: table.Number}
	zeros, decimals := 0, 0
	switch {
	case format.class == formatHidden:
		cell.Note = noteHidden
	case format.percent:
		cell.Note = NotePercent
	case format.scaled:
		cell.Note = NoteScaled
	case format.inexact:
	default:
		zeros, decimals = format.zeros, format.decimals
	}
	if n.whole() {
		decimals = 0
		if len(strings.TrimRight(n.digits, "0")) > visibleDigits {
			cell.Note = noteLongNumber
		}
	}
	cell.Text = n.text(zeros, decimals)
	if format.masked && format.class == formatNumber {
		cell.Note = noteMasked
	} else if zeros > max(n.point, 1) || decimals > 2 && decimals > len(n.digits)-n.point {
		cell.Note = noteZerosShown
	}
	return cell
}

// Cell returns a number that is not a day or time, shown with at least the given numbers of digits before and decimals
// after the point.
func (n numeral) Cell(percent bool, zeros, decimals int) table.Cell {
	return numberCell(n, formatSection{percent: percent, zeros: zeros, decimals: decimals})
}

// SameDigits reports whether two numbers look the same to a person.
func (n numeral) SameDigits(other numeral) bool {
	n = n.settled()
	return other.point == n.point && strings.TrimRight(other.digits, "0") == strings.TrimRight(n.digits, "0")
}
