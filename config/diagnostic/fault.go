// Package diagnostic tells a person what is wrong in a file that somebody wrote: a configuration, a mapping, a list of
// names. A Fault says where (file, line, column), shows the line with a caret under the place, says in a sentence what
// is wrong, and what to do about it. Faults are all mistakes found in one go, in the order of the file, so that nobody
// has to correct them one by one.
//
// The package knows no format: package document finds the places in YAML, and readers of tables count lines themselves.
// It imports nothing of ours.
package diagnostic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Fault is one mistake in a file. Line and Column count from 1, Column in characters. Message says what is wrong, in a
// sentence without a full stop. Hint, if not empty, says what to do about it. Excerpt is the line of the file, followed
// by a line with a caret.
type Fault struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Excerpt string `json:"excerpt,omitempty"`
}

// Error formats the fault for a person:
//
//	docketsync.yaml:3:1: there is no setting "retrys"
//	    retrys:
//	    ^
//	  did you mean "retry"?
func (f Fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: %s", f.File, f.Line, f.Column, f.Message)
	if f.Excerpt != "" {
		for line := range strings.SplitSeq(f.Excerpt, "\n") {
			b.WriteString("\n    " + line)
		}
	}
	if f.Hint != "" {
		b.WriteString("\n  " + f.Hint)
	}
	return b.String()
}

// Faults are all mistakes found in one go.
type Faults []Fault

// Error returns all faults, one after the other, in the order of their positions.
func (f Faults) Error() string {
	var b strings.Builder
	for i, fault := range f.ordered() {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(fault.Error())
	}
	return b.String()
}

// Err returns the faults in the order of their positions, without duplicates, as an error of type Faults. It returns
// nil if there are none.
func (f Faults) Err() error {
	if len(f) == 0 {
		return nil
	}
	return f.ordered()
}

func (f Faults) ordered() Faults {
	sorted := slices.Clone(f)
	slices.SortStableFunc(sorted, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return slices.Compact(sorted)
}

// excerptRunes is how much of a long line is shown around the caret.
const excerptRunes = 120

// Excerpt returns a line of a file and below it a caret under the character in the column (from 1). Tabs before the
// caret are repeated in the second line, and wide characters count as two, so that the caret is in the right place
// however a terminal displays a tab. Only the part around the caret is shown of a very long line. Characters that would
// control a terminal are shown as a dot.
func Excerpt(line string, column int) string {
	runes := []rune(strings.TrimRight(line, "\r\n"))
	caret := min(max(column-1, 0), len(runes))
	from, to := 0, len(runes)
	if len(runes) > excerptRunes {
		from = max(0, min(caret-excerptRunes/2, len(runes)-excerptRunes))
		to = from + excerptRunes
	}
	var text, pad strings.Builder
	if from > 0 {
		text.WriteString("…")
		pad.WriteByte(' ')
	}
	for i, r := range runes[from:to] {
		if unicode.IsControl(r) && r != '\t' || unicode.Is(unicode.Cf, r) {
			r = '·'
		}
		text.WriteRune(r)
		if from+i < caret {
			pad.WriteString(blank(r))
		}
	}
	if to < len(runes) {
		text.WriteString("…")
	}
	return text.String() + "\n" + pad.String() + "^"
}

// blank returns white space as wide as the character.
func blank(r rune) string {
	switch {
	case r == '\t':
		return "\t"
	case unicode.In(r, unicode.Mn, unicode.Me):
		return ""
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return "  "
	}
	return " "
}
