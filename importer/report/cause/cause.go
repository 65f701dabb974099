// Package cause says why records did not go in, grouped by what a person corrects once.
//
// A cause is outcome, code and field; for lookups and lists of values also the value; for the service's refusals its words, without
// the ids and numbers in them. At most 1,000 are told apart. A problem is the next larger thing, what a person is told once: all the
// causes of one code and field, with the values that are at fault. Blame finds the cells that the reasons of a record point at;
// NewMissing collects the names for which a lookup has no id.
//
// It reads records one by one and writes nothing, so that reports, certificates and the console group them alike.
package cause

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/mapping/reason"
)

// Cause is one reason for which records did not go in (or, among the notes, one oddity), with all that it concerns.
// Causes are told apart by outcome, code with its form, and field; those of a lookup or a list of
// values also by the value that was not found, because each is mended once; and those of the service by its words, because
// it gives no codes.
type Cause struct {
	Outcome outcome.Outcome `json:"outcome,omitempty"` // empty for notes
	By      string          `json:"by,omitempty"`      // "docketsync" or "service": who said no
	Code    string          `json:"code"`
	Field   string          `json:"field,omitempty"`
	Column  string          `json:"column,omitempty"`
	Value   string          `json:"value,omitempty"`
	// Message says what is wrong; where the messages of the records differ, "…" stands for the part that does.
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Form and Args are those of the first reason.
	Form string   `json:"form,omitempty"`
	Args []string `json:"args,omitempty"`
	// Rows counts the rows that the cause keeps out: all rows of the records that have it, since a record goes in as a
	// whole. A record with two causes counts under both.
	Rows    int     `json:"rows"`
	Records int     `json:"records"`
	Example Example `json:"example"`

	key    key
	first  int      // how many causes were met before it
	shared []string // Args, with the mark for those in which the reasons differ; nil where one has its words alone, or where they are the service's
	said   [2]string
}

// Said is the message and the hint of the example, in the words of its own record: without "…".
func (c Cause) Said() (message, hint string) { return c.said[0], c.said[1] }

// Example is the first place where a cause was met.
type Example struct {
	File  string `json:"file,omitempty"`
	Sheet string `json:"sheet,omitempty"`
	Row   int    `json:"row,omitempty"`
	Cell  string `json:"cell,omitempty"`
	Value string `json:"value,omitempty"`
	Key   string `json:"key,omitempty"`

	source int // as of a ledger.Reason
}

// key is what tells causes apart.
type key struct {
	outcome                      outcome.Outcome
	by, code, form, field, value string
}

// Who said no.
const (
	Docketsync = "docketsync"
	Service    = "service"
)

// maxCauses bounds how many causes are told apart: what comes after them is counted under one that says so.
const maxCauses = 1000

// codeOther is the code of the cause of what comes after maxCauses.
const codeOther = "other"

// Grouping collects causes.
type Grouping struct {
	causes map[key]*Cause
}

// Add counts a record under a cause. The occurrences of one cause in one record have to be joined before.
func (g *Grouping) Add(run ledger.Run, r ledger.Record, c Cause) {
	if g.causes == nil {
		g.causes = map[key]*Cause{}
	}
	known := g.causes[c.key]
	if known == nil && len(g.causes) >= maxCauses {
		c = Cause{Outcome: c.Outcome, By: c.By, Code: codeOther, Message: "Further causes, too many to tell apart here",
			Hint: "Look at the records one by one, or correct the causes above first.", Example: c.Example, key: c.key.other()}
		known = g.causes[c.key]
	}
	if known == nil {
		c.Example, c.first, c.said = example(run, r, c.Example), len(g.causes), [2]string{c.Message, c.Hint}
		if c.By != Service {
			c.shared = slices.Clone(c.Args)
		}
		g.causes[c.key] = &c
		known = &c
	}
	known.Records++
	known.Rows += len(r.Rows)
	known.join(c)
}

// join leaves of a cause's words what those of another one say as well.
func (c *Cause) join(other Cause) {
	if c.shared == nil || len(c.shared) != len(other.Args) {
		c.Message, c.Hint = c.words()
		c.shared = nil
		c.Message, c.Hint = common(c.Message, other.Message), common(c.Hint, other.Hint)
		return
	}
	for n, own := range c.shared {
		if own != other.Args[n] {
			c.shared[n] = mark
		}
	}
}

// words are what the reasons of a cause have in common.
func (c *Cause) words() (message, hint string) {
	if c.shared == nil {
		return c.Message, c.Hint
	}
	return reason.Words(c.Code, c.Form, c.shared)
}

// other is the key of all that is not told apart.
func (k key) other() key { return key{outcome: k.outcome, by: k.by, code: codeOther} }

// List returns the causes, those of the most records first, so that what cuts a list off never hides the largest; then the more
// pressing ones, then in the order in which they were met.
func (g *Grouping) List() []Cause {
	list := make([]Cause, 0, len(g.causes))
	for _, c := range g.causes {
		told := *c
		told.Message, told.Hint = c.words()
		list = append(list, told)
	}
	slices.SortFunc(list, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Pressing(), b.Pressing()), cmp.Compare(a.first, b.first))
	})
	return list
}

// Argument is an argument of the first reason by its name in the sentence, "" where it has none.
func (c Cause) Argument(name string) string { return reason.Argument(c.Code, c.Form, c.Args, name) }

func (c Cause) Pressing() int {
	switch c.Outcome {
	case outcome.InDoubt:
		return 0
	case outcome.Rejected:
		if c.By == Docketsync {
			return 1
		}
		return 2
	case outcome.Failed:
		return 3
	}
	return 4
}

// Counted is how many rows it concerns, or records where these have none, as what is no longer in the export.
func (c Cause) Counted() string {
	if c.Rows == 0 {
		return wording.Counted(c.Records, "record")
	}
	return wording.Counted(c.Rows, "row")
}

// Words is the example in a line: where it is, and what stands there.
func (e Example) Words() string {
	var parts []string
	switch {
	case e.Cell != "":
		parts = append(parts, e.Cell)
	case e.Row > 0:
		parts = append(parts, fmt.Sprintf("row %d", e.Row))
	}
	if e.File != "" {
		file := wording.BaseName(e.File)
		if e.Sheet != "" {
			file += ", " + e.Sheet
		}
		parts = append(parts, "of "+file)
	}
	if e.Value != "" {
		parts = append(parts, "“"+e.Value+"”")
	}
	if e.Key != "" {
		parts = append(parts, "("+e.Key+")")
	}
	return strings.Join(parts, " ")
}

// Label is a cause in a line.
func (c Cause) Label() string {
	text := c.Message
	if c.Field != "" && !strings.Contains(text, c.Field) {
		text = c.Field + ": " + text
	}
	if c.Value != "" && !strings.Contains(text, c.Value) {
		text += " (" + c.Value + ")"
	}
	return text
}

// Places numbers causes in the order in which they are listed.
type Places map[key]int

// NewPlaces numbers the causes of lists, one list behind the other.
func NewPlaces(lists ...[]Cause) Places {
	numbered := Places{}
	for _, c := range slices.Concat(lists...) {
		numbered[c.key] = len(numbered)
	}
	return numbered
}

// Of are the places of causes, each once; never nil. A cause beyond the most that are told apart has the place of all those.
func (p Places) Of(causes []Cause) []int {
	list := []int{}
	for _, c := range causes {
		place, ok := p[c.key]
		if !ok {
			place, ok = p[c.key.other()]
		}
		if ok && !slices.Contains(list, place) {
			list = append(list, place)
		}
	}
	return list
}
