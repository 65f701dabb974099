package cause

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/mapping/reason"
)

// Problem is one kind of trouble, reported once however many rows have it: all causes with one outcome, code and field.
// If each value is corrected on its own, such as a name that a lookup does not have, Values are the causes of those
// values.
type Problem struct {
	Cause
	Values []Cause `json:"values,omitempty"`
}

// ownValue reports whether each value of a code is corrected on its own. Spreadsheet errors are few, and each has a
// cause of its own: #N/A is a lookup that found nothing, #REF! a column that somebody deleted.
func ownValue(code, form string) bool {
	return strings.HasPrefix(code, "lookup_") || code == reason.ValueUnknown || code == reason.CellError && form == ""
}

// telling returns what tells causes of one outcome, code and field apart: for a refusal by the service its words
// without ids and numbers, for a value that was not found that value, and "" for all others.
func telling(r ledger.Reason, ofService bool) string {
	switch {
	case ofService:
		return pattern(r.Message)
	case ownValue(r.Code, r.Form):
		return r.Value
	}
	return ""
}

// kind returns a cause without its value, so that the causes of one kind count together. A record that has two of them
// counts once.
func (c Cause) kind() Cause {
	if c.By == Service || !ownValue(c.Code, c.Form) {
		return c
	}
	c.key.form, c.key.value, c.Value = "", "", ""
	return c
}

// Kinds returns the kinds of a record's causes, each once.
func Kinds(causes []Cause) []Cause {
	var list []Cause
	for _, c := range causes {
		list = once(list, c.kind())
	}
	return list
}

// Problems groups causes by their kinds.
func Problems(kinds, causes []Cause) []Problem {
	list := make([]Problem, 0, len(kinds))
	at := map[key]int{}
	for _, kind := range kinds {
		at[kind.key] = len(list)
		list = append(list, Problem{Cause: kind})
	}
	for _, c := range causes {
		if n, ok := at[c.kind().key]; ok && c.Value != "" && ownValue(c.Code, c.Form) {
			list[n].Values = append(list[n].Values, c)
		}
	}
	for n := range list {
		slices.SortStableFunc(list[n].Values, func(a, b Cause) int { return cmp.Compare(b.Rows, a.Rows) })
	}
	return list
}

// argument matches what a message says about one record: a quoted text, a GUID, a date, a number or a list of numbers,
// or the mark that stands for one.
var argument = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|“[^”]*”|…|` +
	`[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|` +
	`\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}|` +
	`\d+(?:[-:.,/]\d+)*(?:(?:, | and )\d+)*`)

// mark replaces an argument that differs between records.
const mark = "…"

// common merges two messages with one code: every argument in which they differ becomes the mark. If they are not the
// same sentence, it returns the first.
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
