package value

import (
	"regexp"
	"strings"
	"unicode"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// CheckNumber says why a text cannot be a JSON number with exactly its digits, or returns nil if it can. whole requires
// an integer.
func CheckNumber(text string, whole bool) *reason.Problem {
	digits := strings.TrimPrefix(text, "-")
	before, after, point := strings.Cut(digits, ".")
	switch {
	case isDigits(before) && len(before) > 1 && before[0] == '0':
		return reason.New(reason.NumberZeros, text)
	case whole && point && isDigits(before) && isDigits(after):
		return reason.New(reason.NumberWhole, text)
	case isDigits(before) && (!point || isDigits(after)):
		return nil
	case isExponent(digits):
		return reason.New(reason.NumberExponent, text)
	}
	return reason.New(reason.Number, text)
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// isExponent reports whether a text is like "1E5" or "1.23E+16".
func isExponent(text string) bool {
	mantissa, exponent, ok := strings.Cut(strings.ToUpper(text), "E")
	exponent = strings.TrimLeft(exponent, "+-")
	return ok && isDigits(exponent) && isDigits(strings.Replace(mantissa, ".", "", 1))
}

// NumberConvention says how numbers are written as text, given by the example in a mapping file: "1.234,56".
type NumberConvention struct {
	text    string
	Group   string // the thousands separator; "" for none
	Decimal string
}

// ParseNumberConvention reads an example, which is 1234.56 with the separators in use.
func ParseNumberConvention(text string) (*NumberConvention, bool) {
	text = ungrouped.Replace(table.Trim(text))
	rest, ok := strings.CutPrefix(text, "1")
	group, rest, found := strings.Cut(rest, "234")
	decimal, ends := strings.CutSuffix(rest, "56")
	ok = ok && found && ends && (decimal == "." || decimal == ",") && strings.Contains("., '", group) && len(group) <= 1 && group != decimal
	return &NumberConvention{text, group, decimal}, ok
}

// ungrouped reduces the spaces and apostrophes used as thousands separators to one form each.
var ungrouped = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "’", "'")

// Read returns the number in plain digits, exactly those of the text: "1.234,50" is 1234.50. Thousands may have
// separators or not, but if one has, all must, in groups of three.
func (c *NumberConvention) Read(text string) (string, *reason.Problem) {
	sign, digits := "", ungrouped.Replace(text)
	if rest, ok := strings.CutPrefix(digits, "-"); ok {
		sign, digits = "-", rest
	}
	whole, fraction, point := strings.Cut(digits, c.Decimal)
	plain, ok := c.whole(whole)
	if !ok || point && !isDigits(fraction) {
		return "", reason.New(reason.NumberFormat, text, c.text)
	}
	if point {
		plain += "." + fraction
	}
	return sign + plain, nil
}

// Reading says whether a text is a different number if the thousands and decimal separators are exchanged, as 1.234 is
// in 1,234.56 and in 1.234,56.
func (c *NumberConvention) Reading(text string) table.Reading {
	exchanged := NumberConvention{Group: c.Decimal, Decimal: "."}
	if c.Decimal == "." {
		exchanged.Decimal = ","
	}
	plain, no := c.Read(text)
	other, noOther := exchanged.Read(text)
	if plain == other {
		return table.NoReading
	}
	return table.ReadingOf(no == nil, noOther == nil)
}

// whole removes the thousands separators.
func (c *NumberConvention) whole(text string) (string, bool) {
	if c.Group == "" || !strings.Contains(text, c.Group) {
		return text, isDigits(text)
	}
	groups := strings.Split(text, c.Group)
	for n, group := range groups {
		if !isDigits(group) || len(group) > 3 || n > 0 && len(group) != 3 || n == 0 && group[0] == '0' {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

// UndecidedNumber says why a text cannot be read as a number while the mapping does not say how numbers are written. It
// returns nil if the format makes no difference to the text.
func UndecidedNumber(text string) *reason.Problem {
	digits := strings.TrimPrefix(text, "-")
	if isDigits(digits) || !strings.ContainsFunc(digits, unicode.IsDigit) ||
		strings.Trim(ungrouped.Replace(digits), "0123456789., '") != "" {
		return nil
	}
	before, after, point := strings.Cut(digits, ".")
	if point && isDigits(before) && isDigits(after) && (len(after) != 3 || len(before) > 3 || before[0] == '0') {
		return nil // with a thousands separator it would not look like this
	}
	return reason.New(reason.NumberUndecided, text)
}

// exactDigits is how many digits of a number spreadsheets keep; they round longer ones.
const exactDigits = 15

// Rounded returns the problem that a spreadsheet cut off digits of a text, or nil if a person may have written the
// text. It knows the two forms of long numbers in a workbook saved as text, 7.9E+07 and 7.9E7; a reference such as 1E5
// is neither. A number cell with more digits than spreadsheets keep is rounded too, although nothing in it shows that.
// Rounded also finds dates that a spreadsheet made of a reference.
func Rounded(text string, kind table.Kind) *reason.Problem {
	switch {
	case kind == table.Number && wholeDigits(text) > exactDigits:
		return reason.New(reason.RoundedCell, text, exactDigits)
	case kind == table.Text && len(text) > 4 && (strings.IndexByte(text, 'E') > 0 || strings.IndexByte(text, 'e') > 0) && strings.Trim(text, "0123456789+-.,eE") == "" && scientific.MatchString(text):
		return reason.New(reason.Rounded, text)
	case kind == table.Text && len(text) < 30 && (strings.ContainsAny(text, "aeiourt") || strings.Contains(text, "00:00:00")) && dated.MatchString(text):
		return reason.New(reason.RoundedDate, text)
	}
	return nil
}

// dated matches dates that spreadsheets, and programs that read them, make of a reference: 03-Apr, Apr-24, 3-Apr-24 and
// 2024-04-03 00:00:00. References that really contain a month mostly have it in capitals (APR), which do not match.
var dated = regexp.MustCompile(strings.ReplaceAll(`^(?:\d{1,2}[-./] ?MMM\.?(?:-\d\d(?:\d\d)?)?|MMM\.?[- ]\d\d|\d{4}-\d\d-\d\d[ T]00:00:00(?:\.0+)?)$`, "MMM",
	"(?:Jan|Feb|M[aä]r|Mrz|Apr|Ma[iy]|Jun|Jul|Aug|Sept?|O[ck]t|Nov|De[cz]|ene|feb|mar|abr|may|jun|jul|ago|sept?|oct|nov|dic|janv|f[ée]vr?|mars|avr|mai|juin|juil|ao[uû]t|d[ée][cz]|gen|apr|mag|giu|lug|set|ott|out)"))

// wholeDigits counts the digits of a number before its point, without leading zeros.
func wholeDigits(number string) int {
	whole, _, _ := strings.Cut(strings.TrimLeft(number, "-0"), ".")
	return len(whole)
}

// scientific matches 7.9E+07, 7,9E+07, 1E+15 and 79.0E+6, as spreadsheets write them, and 7.9E7, as Java does. A
// reference 2E-10 does not match: a spreadsheet that took it for a number would have written 2.00E-10.
var scientific = regexp.MustCompile(`(?i)^-?(\dE\+\d{2,3}|\d{1,3}[.,]\d+E[+-]?\d{1,3})$`)
