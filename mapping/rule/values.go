package rule

import (
	"strconv"

	"docketsync/config/diagnostic"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// Values is the values: of a field: what the words of a column become.
type Values struct {
	Exact  map[string]Outcome
	Folded map[string]Outcome
	Words  []string
}

// Outcome is what a word becomes; empty stands for no value.
type Outcome struct {
	Text  string
	Empty bool
}

// Find gives what a word becomes; false for one that the file does not list.
func (t *Values) Find(text string) (Outcome, bool) {
	if found, ok := t.Exact[text]; ok {
		return found, true
	}
	found, ok := t.Folded[table.Fold(text)]
	return found, ok
}

// Unknown is the reason against a word that the file does not list.
func (t *Values) Unknown(text string) *reason.Problem {
	if near := diagnostic.Nearest(text, t.Words); near != "" {
		return reason.New(reason.ValueNear, text, reason.QuoteAll(t.Words), strconv.Quote(near))
	}
	return reason.New(reason.ValueUnknown, text, reason.QuoteAll(t.Words))
}
