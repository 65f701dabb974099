package value

import (
	"fmt"
	"strings"

	"docketsync/mapping/reason"
)

// CheckNumber says why a text cannot stand in JSON as a number with exactly its digits; nil when it can. whole asks for an
// integer.
func CheckNumber(text string, whole bool) *reason.Problem {
	hint := "Correct it in the source, or take another column; no digit may be changed on the way."
	digits := strings.TrimPrefix(text, "-")
	before, after, point := strings.Cut(digits, ".")
	switch {
	case isDigits(before) && len(before) > 1 && before[0] == '0':
		return reason.New(reason.Number, fmt.Sprintf("%s has leading zeros, which a number cannot carry", reason.Quote(text)), hint)
	case whole && point && isDigits(before) && isDigits(after):
		return reason.New(reason.Number, fmt.Sprintf("%s is not a whole number", reason.Quote(text)), hint)
	case isDigits(before) && (!point || isDigits(after)):
		return nil
	case isExponent(digits):
		return reason.New(reason.Number, fmt.Sprintf("%s is written with an exponent, so its digits are not known", reason.Quote(text)),
			"Format the column as text or as a plain number in the spreadsheet and enter the value again.")

	}
	return reason.New(reason.Number, fmt.Sprintf("%s is not a number written in digits alone", reason.Quote(text)), hint)
}

func isDigits(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// isExponent tells "1E5" and "1.23E+16".
func isExponent(text string) bool {
	mantissa, exponent, ok := strings.Cut(strings.ToUpper(text), "E")
	exponent = strings.TrimLeft(exponent, "+-")
	return ok && isDigits(exponent) && isDigits(strings.Replace(mantissa, ".", "", 1))
}
