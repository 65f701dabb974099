package cause

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/mapping/reason"
)

// Problem is a kind of trouble, told once however many rows have it: the causes of one outcome, code and field together.
// Where each value is mended on its own, as the names that a lookup does not have, Values are those causes.
type Problem struct {
	Cause
	Values []Cause `json:"values,omitempty"`
}

// ownValue tells whether each value of a code is mended on its own. Of the errors of spreadsheets there are few: #N/A is a lookup that
// found nothing, #REF! a column that somebody deleted.
func ownValue(code, form string) bool {
	return strings.HasPrefix(code, "lookup_") || code == reason.ValueUnknown || code == reason.CellError && form == ""
}

// telling is what tells the causes of one outcome, code and field apart: the value that was not found, of the service its words
// without the ids and numbers in them, and nothing of all others.
func telling(r ledger.Reason, ofService bool) string {
	switch {
	case ofService:
		return pattern(r.Message)
	case ownValue(r.Code, r.Form):
		return r.Value
	}
	return ""
}

// kind is a cause without its value, so that the causes of one kind are counted together. A record that has two of them
// counts once.
func (c Cause) kind() Cause {
	if c.By == Service || !ownValue(c.Code, c.Form) {
		return c
	}
	c.key.form, c.key.value, c.Value = "", "", ""
	return c
}

// Kinds are the kinds of a record's causes, each once.
func Kinds(causes []Cause) []Cause {
	var list []Cause
	for _, c := range causes {
		list = once(list, c.kind())
	}
	return list
}

// Problems puts the causes under their kinds.
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
