package value

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"docketsync/mapping/reason"
)

// Pattern is a regular expression that a text must match as a whole.
type Pattern struct {
	text    string
	matcher *regexp.Regexp
}

// ParsePattern reads a regular expression. message says what is wrong with it, or is ""; hint says what to do.
func ParsePattern(text string) (_ *Pattern, message, hint string) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		_, reason, _ := strings.Cut(err.Error(), "error parsing regexp: ")
		return nil, "invalid regular expression: " + reason, `put it in single quotes, such as '\d{4}-\d+'`
	}
	if large := TooLarge(tree); large != "" {
		return nil, large, TooLargeHint
	}
	return &Pattern{text, regexp.MustCompile(`^(?:` + text + `)$`)}, "", ""
}

// maxSteps is the maximum size of a pattern: at each character of a text all of its steps may have to be tried.
const maxSteps = 2_500

const TooLargeHint = "use fewer repeats; max: limits the length of a text"

// TooLarge says that a regular expression is too large, or returns "".
func TooLarge(re *syntax.Regexp) string {
	if n := steps(re); n > maxSteps {
		return fmt.Sprintf("the pattern has %d steps with its repeats expanded; the maximum is %d", n, maxSteps)
	}
	return ""
}

// steps counts the steps of a regular expression with its repeats expanded.
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

// maxMatched is the capacity of a spreadsheet cell; a text that a mapping joins may be longer.
const maxMatched = 32_767

// Check says why a text does not match as a whole, or returns nil if it does.
func (p *Pattern) Check(text string) *reason.Problem {
	if p == nil {
		return nil
	}
	if n := utf8.RuneCountInString(text); n > maxMatched {
		return reason.New(reason.PatternLong, n, maxMatched)
	}
	if p.matcher.MatchString(text) {
		return nil
	}
	return reason.New(reason.Pattern, text, p.text)
}
