// Package cause says why records did not go in, grouped by what a person corrects once.
//
// A cause is an outcome, a code and a field; for lookups and lists of values also the value; for refusals by the
// service its words, without ids and numbers. At most 1,000 causes are told apart. A problem is the next larger unit,
// which a person is shown once: all causes of one code and field, with the values at fault. Blame finds the cells that
// a record's reasons point at; NewMissing collects the names that a lookup has no id for.
//
// The package reads records one by one and writes nothing, so reports, certificates and the console group them alike.
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

// Cause is one reason why records did not go in (or, among the notes, one oddity), with everything it concerns.
// Outcome, code with its form, and field tell causes apart. Causes of a lookup or a list of values also differ by the
// value that was not found, because each is corrected once; causes of the service differ by its words, because it gives
// no codes.
type Cause struct {
	Outcome outcome.Outcome `json:"outcome,omitempty"` // empty for notes
	By      string          `json:"by,omitempty"`      // "docketsync" or "service": who said no
	Code    string          `json:"code"`
	Field   string          `json:"field,omitempty"`
	Column  string          `json:"column,omitempty"`
	Value   string          `json:"value,omitempty"`
	// Message says what is wrong, with "…" for the part that differs between the records.
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
	shared []string // Args, with the mark for those that differ between reasons; nil if the reasons have only words, or the service's
	said   [2]string
}

// Said returns the message and the hint of the example, in the words of its own record: without "…".
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

// maxCauses limits how many causes are told apart. Further ones count under a cause that says so.
const maxCauses = 1000

// codeOther is the code of the cause that counts everything beyond maxCauses.
const codeOther = "other"

// Grouping collects causes.
type Grouping struct {
	causes map[key]*Cause
}

// Add counts a record under a cause. The caller has joined the occurrences of one cause in one record.
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

// join keeps of a cause's words only what those of another cause say as well.
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

// words returns the message and hint that the reasons of a cause have in common.
func (c *Cause) words() (message, hint string) {
	if c.shared == nil {
		return c.Message, c.Hint
	}
	return reason.Words(c.Code, c.Form, c.shared)
}

// other returns the key of everything beyond maxCauses.
func (k key) other() key { return key{outcome: k.outcome, by: k.by, code: codeOther} }

// List returns the causes, those of the most records first, so that a list that is cut off never hides the largest;
// then by how pressing they are; then in the order in which they were met.
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

// Argument returns an argument of the first reason by its name in the sentence, or "" if there is none.
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

// Counted says how many rows the cause concerns, or how many records if they have no rows, such as those no longer in
// the export.
func (c Cause) Counted() string {
	if c.Rows == 0 {
		return wording.Counted(c.Records, "record")
	}
	return wording.Counted(c.Rows, "row")
}

// Words gives the example in one line: where it is, and what it says.
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

// Label gives a cause in one line.
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

// NewPlaces numbers the causes of several lists, one list after the other.
func NewPlaces(lists ...[]Cause) Places {
	numbered := Places{}
	for _, c := range slices.Concat(lists...) {
		numbered[c.key] = len(numbered)
	}
	return numbered
}

// Of returns the places of causes, each once; never nil. All causes beyond maxCauses share one place.
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
