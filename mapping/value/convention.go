package value

import (
	"fmt"
	"strings"
	"unicode"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// NumberConvention is how numbers are written as text, by the example of a mapping file: "1.234,56".
type NumberConvention struct {
	text    string
	Group   string // what may part the thousands; "" when they are never parted
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

// Read gives the number in plain digits, exactly those of the text: "1.234,50" is 1234.50. Thousands may be parted or not, but
// only all of them and in threes.
func (c *NumberConvention) Read(text string) (string, *reason.Problem) {
	sign, digits := "", ungrouped.Replace(text)
	if rest, ok := strings.CutPrefix(digits, "-"); ok {
		sign, digits = "-", rest
	}
	whole, fraction, point := strings.Cut(digits, c.Decimal)
	plain, ok := c.whole(whole)
	if !ok || point && !isDigits(fraction) {
		return "", reason.New(reason.Number, fmt.Sprintf("%s is not a number written as %s", reason.Quote(text), c.text),
			"Correct it in the source, or state how the column is written with numbers: in the mapping.")

	}
	if point {
		plain += "." + fraction
	}
	return sign + plain, nil
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
		return nil // no thousands could be parted so
	}
	return reason.New(reason.Number, fmt.Sprintf("%s has signs between its digits, and nothing says whether they part thousands or decimals", reason.Quote(text)),
		`State how the column's numbers are written, as numbers: "1.234,56" or numbers: "1,234.56" in the mapping.`)

}
