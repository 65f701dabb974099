package mapping

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// pattern is a regular expression that a text must match as a whole.
type pattern struct {
	text    string
	matcher *regexp.Regexp
}

// parsePattern reads a regular expression. message says what is wrong with it, "" for nothing, and hint what to do.
func parsePattern(text string) (_ *pattern, message, hint string) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		_, reason, _ := strings.Cut(err.Error(), "error parsing regexp: ")
		return nil, "the pattern is no regular expression: " + reason, `write it in single quotes, such as '\d{4}-\d+'`
	}
	if large := tooLarge(tree); large != "" {
		return nil, large, tooLargeHint
	}
	return &pattern{text, regexp.MustCompile(`^(?:` + text + `)$`)}, "", ""
}

// maxSteps is how large a pattern may be: at each character of a text all of its steps may have to be looked at.
const maxSteps = 2_500

const tooLargeHint = "repeat less in it; max: limits the length of a text"

// tooLarge says that a regular expression is, "" when it is not.
func tooLarge(re *syntax.Regexp) string {
	if n := steps(re); n > maxSteps {
		return fmt.Sprintf("the pattern has %d steps when its repeats are written out; at most %d are possible", n, maxSteps)
	}
	return ""
}

// steps counts the steps of a regular expression with its repeats written out.
func steps(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, part := range re.Sub {
		n += steps(part)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return n
}

// maxMatched is what a cell of a spreadsheet holds; what a mapping joins may be longer.
const maxMatched = 32_767

// check says why a text does not match as a whole; nil when it does.
func (p *pattern) check(text string) *problem {
	if p == nil {
		return nil
	}
	if n := utf8.RuneCountInString(text); n > maxMatched {
		return newProblem(codePattern, fmt.Sprintf("the text has %d characters, and a pattern is matched with at most %d", n, maxMatched), "Shorten it in the source.")
	}
	if p.matcher.MatchString(text) {
		return nil
	}
	return newProblem(codePattern, fmt.Sprintf("%s does not match the pattern %s", quote(text), p.text),
		"Correct it in the source, or the pattern in the mapping.")

}
