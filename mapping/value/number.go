package value

import (
	"regexp"
	"strings"
	"unicode"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// CheckNumber says why a text cannot stand in JSON as a number with exactly its digits; nil when it can. whole asks for an
// integer.
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

// NumberConvention is how numbers are written as text, by the example of a mapping file: "1.234,56".
type NumberConvention struct {
	text    string
	Group   string // the thousands separator; "" for none
	Decimal string
}

// ParseNumberConvention reads an example, which is 1234.56 with the signs that are used.
func ParseNumberConvention(text string) (*NumberConvention, bool) {
	text = ungrouped.Replace(table.Trim(text))
	rest, ok := strings.CutPrefix(text, "1")
	group, rest, found := strings.Cut(rest, "234")
	decimal, ends := strings.CutSuffix(rest, "56")
	ok = ok && found && ends && (decimal == "." || decimal == ",") && strings.Contains("., '", group) && len(group) <= 1 && group != decimal
	return &NumberConvention{text, group, decimal}, ok
}

// ungrouped spells the blanks and apostrophes that part thousands in one way each.
var ungrouped = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "’", "'")

// Read gives the number in plain digits, exactly those of the text: "1.234,50" is 1234.50. Thousands may have separators or not, but
// only all of them and in threes.
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

// Reading says whether a text is another number where the signs between thousands and before decimals are exchanged: 1.234 as 1,234.56 and as 1.234,56.
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

// whole takes the signs between thousands out.
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

// UndecidedNumber says why a text cannot be taken as a number while the mapping does not state how numbers are written; nil
// when that makes no difference to it.
func UndecidedNumber(text string) *reason.Problem {
	digits := strings.TrimPrefix(text, "-")
	if isDigits(digits) || !strings.ContainsFunc(digits, unicode.IsDigit) ||
		strings.Trim(ungrouped.Replace(digits), "0123456789., '") != "" {
		return nil
	}
	before, after, point := strings.Cut(digits, ".")
	if point && isDigits(before) && isDigits(after) && (len(after) != 3 || len(before) > 3 || before[0] == '0') {
		return nil // no thousands separator would give this
	}
	return reason.New(reason.NumberUndecided, text)
}

// exactDigits is how many digits of a number spreadsheets keep; what is longer they round.
const exactDigits = 15

// Rounded says that a spreadsheet cut off digits of a text; nil where the text may be what somebody wrote. It knows the two forms
// that programs give long numbers when a workbook is saved as text, 7.9E+07 and 7.9E7: a reference such as 1E5 is neither. A
// number cell of more digits than spreadsheets keep is rounded as well, and nothing in it shows it.
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

// dated matches what spreadsheets, and programs that read them, write for a date that they made of a reference: 03-Apr, Apr-24, 3-Apr-24 and 2024-04-03 00:00:00. A
// reference with a month has capitals or none.
var dated = regexp.MustCompile(strings.ReplaceAll(`^(?:\d{1,2}[-./] ?MMM\.?(?:-\d\d(?:\d\d)?)?|MMM\.?[- ]\d\d|\d{4}-\d\d-\d\d[ T]00:00:00(?:\.0+)?)$`, "MMM",
	"(?:Jan|Feb|M[aä]r|Mrz|Apr|Ma[iy]|Jun|Jul|Aug|Sept?|O[ck]t|Nov|De[cz]|ene|feb|mar|abr|may|jun|jul|ago|sept?|oct|nov|dic|janv|f[ée]vr?|mars|avr|mai|juin|juil|ao[uû]t|d[ée][cz]|gen|apr|mag|giu|lug|set|ott|out)"))

// wholeDigits is how many digits of a number stand in front of its point, zeros at its front left out.
func wholeDigits(number string) int {
	whole, _, _ := strings.Cut(strings.TrimLeft(number, "-0"), ".")
	return len(whole)
}

// scientific matches 7.9E+07, 7,9E+07, 1E+15 and 79.0E+6, as spreadsheets write them, and 7.9E7, as Java does. A reference 2E-10 is none:
// a spreadsheet that had taken it for a number would have made it 2.00E-10.
var scientific = regexp.MustCompile(`(?i)^-?(\dE\+\d{2,3}|\d{1,3}[.,]\d+E[+-]?\d{1,3})$`)
