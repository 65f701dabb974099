package mapping

import (
	"docketsync/mapping/table"
	"fmt"
	"strings"
	"unicode"
)

// numberConvention is how numbers are written as text, by the example of a mapping file: "1.234,56".
type numberConvention struct {
	text    string
	group   string // what may part the thousands; "" when they are never parted
	decimal string
}

// numberConventionOf reads an example, which is 1234.56 with the signs that are used.
func numberConventionOf(text string) (*numberConvention, bool) {
	text = ungrouped.Replace(table.Trim(text))
	rest, ok := strings.CutPrefix(text, "1")
	group, rest, found := strings.Cut(rest, "234")
	decimal, ends := strings.CutSuffix(rest, "56")
	ok = ok && found && ends && (decimal == "." || decimal == ",") && strings.Contains("., '", group) && len(group) <= 1 && group != decimal
	return &numberConvention{text, group, decimal}, ok
}

// ungrouped spells the blanks and apostrophes that part thousands in one way each.
var ungrouped = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "’", "'")

// read gives the number in plain digits, exactly those of the text: "1.234,50" is 1234.50. Thousands may be parted or not, but
// only all of them and in threes.
func (c *numberConvention) read(text string) (string, *problem) {
	sign, digits := "", ungrouped.Replace(text)
	if rest, ok := strings.CutPrefix(digits, "-"); ok {
		sign, digits = "-", rest
	}
	whole, fraction, point := strings.Cut(digits, c.decimal)
	plain, ok := c.whole(whole)
	if !ok || point && !isDigits(fraction) {
		return "", newProblem(codeNumber, fmt.Sprintf("%s is not a number written as %s", quote(text), c.text),
			"Correct it in the source, or state how the column is written with numbers: in the mapping.")

	}
	if point {
		plain += "." + fraction
	}
	return sign + plain, nil
}

// whole takes the signs between thousands out.
func (c *numberConvention) whole(text string) (string, bool) {
	if c.group == "" || !strings.Contains(text, c.group) {
		return text, isDigits(text)
	}
	groups := strings.Split(text, c.group)
	for n, group := range groups {
		if !isDigits(group) || len(group) > 3 || n > 0 && len(group) != 3 || n == 0 && group[0] == '0' {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

// undecidedNumber says why a text cannot be taken as a number while the mapping does not state how numbers are written; nil
// when that makes no difference to it.
func undecidedNumber(text string) *problem {
	digits := strings.TrimPrefix(text, "-")
	if isDigits(digits) || !strings.ContainsFunc(digits, unicode.IsDigit) ||
		strings.Trim(ungrouped.Replace(digits), "0123456789., '") != "" {
		return nil
	}
	before, after, point := strings.Cut(digits, ".")
	if point && isDigits(before) && isDigits(after) && (len(after) != 3 || len(before) > 3 || before[0] == '0') {
		return nil // no thousands could be parted so
	}
	return newProblem(codeNumber, fmt.Sprintf("%s has signs between its digits, and nothing says whether they part thousands or decimals", quote(text)),
		`State how the column's numbers are written, as numbers: "1.234,56" or numbers: "1,234.56" in the mapping.`)

}
