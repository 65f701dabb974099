package diagnostic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is one mistake in a file. Line and Column count from 1, Column in characters; Message says what is wrong in a
// sentence without a full stop; Hint, when not empty, what to do about it; Excerpt is the line of the file and beneath
// it a line with a caret.
type Fault struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Excerpt string `json:"excerpt,omitempty"`
}

// Error gives the fault as a person reads it:
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

// Error gives all faults in the order of their positions, one after the other.
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

// Err returns the faults in the order of their positions, each once, as an error of type Faults; nil when there are
// none.
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
