package cause

import (
	"regexp"
	"slices"
	"strings"
)

// argument is what a message says about one record: a quoted text, a GUID, a date, a number or a list of numbers; or the mark that stands
// for such.
var argument = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|“[^”]*”|…|` +
	`[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|` +
	`\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}|` +
	`\d+(?:[-:.,/]\d+)*(?:(?:, | and )\d+)*`)

// mark stands in a message for an argument that differs between records.
const mark = "…"

// common is the sentence of two messages with one code, with the mark for every argument in which they differ; the first of them where
// they are not the same sentence.
func common(a, b string) string {
	if a == b || b == "" || !slices.Equal(argument.Split(a, -1), argument.Split(b, -1)) {
		return a
	}
	others, n := argument.FindAllString(b, -1), -1
	return argument.ReplaceAllStringFunc(a, func(own string) string {
		switch n++; {
		case own == others[n]:
			return own
		case strings.HasPrefix(own, `"`):
			return `"` + mark + `"`
		case strings.HasPrefix(own, "“"):
			return "“" + mark + "”"
		}
		return mark
	})
}
