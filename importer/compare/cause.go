package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/report/wording"
)

// Kind says which of the things that a plan is made from a cause is.
type Kind string

// The kinds of causes, in the order in which they are reported.
const (
	Row     Kind = "row"     // a row of the export is new or gone
	Cell    Kind = "cell"    // a cell of its row
	Others  Kind = "others"  // other records of the export, with which a check compares it
	Lookup  Kind = "lookup"  // a name's id
	Ledger  Kind = "ledger"  // what the ledger knew when the plan was made
	Mapping Kind = "mapping" // a line of the mapping
	Switch  Kind = "switch"  // a setting of the configuration
	Version Kind = "version" // docketsync's
	Day     Kind = "day"     // on which the plan was made
	Unknown Kind = "unknown" // nothing that the two plans show
)

var kinds = []Kind{Row, Cell, Others, Lookup, Ledger, Mapping, Switch, Version, Day, Unknown}

// Cause is why something changed.
type Cause struct {
	Kind Kind `json:"kind"`
	// Of is the column, the lookup, the place in the mapping ("fields.status.values.P") or the setting.
	Of   string `json:"of,omitempty"`
	Name string `json:"name,omitempty"` // that is looked up
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`
	// OldLine and NewLine are the lines in the mapping, 0 if it is not there; or in File, the base that the mapping
	// extends.
	File    string `json:"file,omitempty"`
	OldLine int    `json:"old_line,omitempty"`
	NewLine int    `json:"new_line,omitempty"`
}

// unkept replaces the name of a column or a setting that one of the plans does not keep.
const unkept = "(not kept with one of the plans)"

// Words says what changed, without the values of a single record.
func (c Cause) Words() string {
	switch c.Kind {
	case Row:
		return "the rows of the export"
	case Cell:
		if c.Of == unkept {
			return "a cell of the export that one of the plans does not keep"
		}
		return "column " + c.Of
	case Others:
		return "other records of the export"
	case Lookup:
		text := "lookup " + c.Of
		if c.Name != "" {
			text += fmt.Sprintf(": %q", c.Name)
		}
		return text + turned(c.Old, c.New)
	case Ledger:
		return "what the ledger knew" + wording.Prefixed(", by the lookup ", c.Of)
	case Mapping:
		return c.mapping()
	case Switch:
		if c.Of == unkept {
			return "a setting that one of the plans does not keep"
		}
		return "setting " + c.Of + turned(c.Old, c.New)
	case Version:
		return "docketsync's version" + turned(c.Old, c.New)
	case Day:
		return "the day of the plan" + turned(c.Old, c.New)
	}
	return "unknown"
}

func (c Cause) mapping() string {
	if c.Of == "" {
		return "the mapping"
	}
	line := wording.Prefixed(" ", c.File)
	switch {
	case c.NewLine > 0 && c.OldLine > 0 && c.NewLine != c.OldLine:
		line += fmt.Sprintf(" line %d (formerly %d)", c.NewLine, c.OldLine)
	case c.NewLine > 0:
		line += fmt.Sprintf(" line %d", c.NewLine)
	case c.OldLine > 0:
		line += fmt.Sprintf(" line %d of the old file", c.OldLine)
	}
	return "mapping" + line + ", " + c.Of + turned(c.Old, c.New)
}

func turned(old, now string) string {
	if old == "" && now == "" {
		return ""
	}
	shown := func(text string) string {
		if text == "" {
			return "(none)"
		}
		return wording.Short(text, 60)
	}
	return ": " + shown(old) + " → " + shown(now)
}

// Certainty says how the causes of a change relate to each other.
type Certainty string

// The certainties.
const (
	Proven   Certainty = "proven"   // all of them together are the cause, and nothing else is
	Together Certainty = "together" // none of them alone is the cause
	Either   Certainty = "either"   // it is one of them, or several; the plans do not show which
)

// Finding is why something changed, as far as the plans prove it.
type Finding struct {
	Causes    []Cause   `json:"causes"`
	Certainty Certainty `json:"certainty"`
}

// Words says what the causes are.
func (f Finding) Words() string {
	words := make([]string, 0, len(f.Causes))
	for _, c := range f.Causes {
		words = append(words, c.Words())
	}
	switch {
	case len(words) == 0:
		return "other causes"
	case len(words) == 1:
	case f.Certainty == Either:
		return "either " + strings.Join(words, ", or ")
	case f.Certainty == Together:
		return strings.Join(words, ", together with ")
	}
	return strings.Join(words, "; ")
}

// Change is what became of a record from the older plan to the newer.
type Change string

// The changes.
const (
	New       Change = "new"
	Gone      Change = "gone"
	Different Change = "different"
)

// Field is a value that changed.
type Field struct {
	Field string         `json:"field"`
	Old   *payload.Value `json:"old"`
	New   *payload.Value `json:"new"`
	// Reason is why the record is rejected in one of the plans, for the field that is to blame.
	Reason string `json:"reason,omitempty"`
	Finding
}

// Difference is a record in which the two plans differ.
type Difference struct {
	Key     string `json:"key"`
	Change  Change `json:"change"`
	OldRows []int  `json:"old_rows,omitempty"`
	NewRows []int  `json:"new_rows,omitempty"`
	// Finding is for a record that is new or gone, Fields for one that is different.
	Finding *Finding `json:"finding,omitempty"`
	Fields  []Field  `json:"fields,omitempty"`
}

// Group is the records that differ for the same reason.
type Group struct {
	Finding
	New       int      `json:"new"`
	Gone      int      `json:"gone"`
	Different int      `json:"different"`
	Samples   []sample `json:"samples"`
}

// Records returns how many records are in the group. A record that differs for several reasons is in several groups.
func (g Group) Records() int { return g.New + g.Gone + g.Different }

// sample is a record of a group.
type sample struct {
	Key    string `json:"key"`
	Change Change `json:"change"`
	Rows   []int  `json:"rows,omitempty"` // in the newer plan, or in the older if the record is gone
	Field  string `json:"field,omitempty"`
	Old    string `json:"old,omitempty"` // the cell, if the cause is one; otherwise the value
	New    string `json:"new,omitempty"`
	Reason string `json:"reason,omitempty"`
}

const (
	// samplesKept is how many records of a group are shown, and groupsTold how many groups are told apart. All further
	// records are in one group without a cause.
	samplesKept = 5
	groupsTold  = 2000
)

// groups collects differences by cause.
type groups struct {
	byName map[string]*Group
	others *Group
}

func (g *groups) add(d *Difference) {
	seen := map[*Group]bool{}
	fields := d.Fields
	if d.Finding != nil {
		fields = []Field{{Finding: *d.Finding}}
	}
	for _, f := range fields {
		group := g.of(f.Finding)
		if seen[group] {
			continue
		}
		seen[group] = true
		switch d.Change {
		case New:
			group.New++
		case Gone:
			group.Gone++
		default:
			group.Different++
		}
		if len(group.Samples) < samplesKept {
			group.Samples = append(group.Samples, sampleOf(d, f))
		}
	}
}

// of returns the group of a finding.
func (g *groups) of(f Finding) *Group {
	shared := f.shared()
	name := shared.name()
	if g.byName[name] == nil {
		if len(g.byName) == groupsTold {
			g.others = cmp.Or(g.others, &Group{Finding: Finding{Causes: []Cause{}, Certainty: Proven}})
			return g.others
		}
		g.byName[name] = &Group{Finding: shared}
	}
	return g.byName[name]
}

// shared returns what a finding has in common with those of other records.
func (f Finding) shared() Finding {
	shared := Finding{Certainty: f.Certainty}
	for _, c := range f.Causes {
		if c.Kind == Cell {
			c.Old, c.New = "", ""
		}
		shared.Causes = append(shared.Causes, c)
	}
	return shared
}

// Group returns the name of the group that a finding belongs to. The finding of a Group has the same.
func (f Finding) Group() string { return f.shared().name() }

// name tells findings apart.
func (f Finding) name() string {
	b := []byte(f.Certainty)
	for _, c := range f.Causes {
		for _, text := range []string{string(c.Kind), c.Of, c.Name, c.Old, c.New} {
			b = append(append(b, 0), text...)
		}
	}
	return string(b)
}

func sampleOf(d *Difference, f Field) sample {
	s := sample{Key: d.Key, Change: d.Change, Rows: d.NewRows, Field: f.Field, Reason: f.Reason}
	if d.Change == Gone {
		s.Rows = d.OldRows
	}
	if f.Old != nil {
		s.Old = f.Old.Text
	}
	if f.New != nil {
		s.New = f.New.Text
	}
	if len(f.Causes) == 1 && f.Causes[0].Kind == Cell && len(d.NewRows) < 2 {
		s.Old, s.New = f.Causes[0].Old, f.Causes[0].New
	}
	return s
}

// list returns the groups, those with one certain cause first, by kind and then by size.
func (g *groups) list() []Group {
	list := make([]Group, 0, len(g.byName)+1)
	for _, group := range g.byName {
		list = append(list, *group)
	}
	rank := func(g Group) int {
		if len(g.Causes) > 1 {
			return len(kinds)
		}
		return slices.Index(kinds, g.Causes[0].Kind)
	}
	slices.SortFunc(list, func(a, b Group) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Records(), a.Records()), cmp.Compare(a.Words(), b.Words()))
	})
	if g.others != nil {
		list = append(list, *g.others)
	}
	return list
}

// Counts says how many records are new, gone and different.
func Counts(added, gone, different int) string {
	var parts []string
	for _, part := range []struct {
		n    int
		word string
	}{{added, "new"}, {gone, "gone"}, {different, "different"}} {
		if part.n > 0 {
			parts = append(parts, wording.Thousands(part.n)+" "+part.word)
		}
	}
	return strings.Join(parts, ", ")
}

// Words says what changed in a record: `M-1 (row 3), status: "Filed" → "Registered"`.
func (s sample) Words() string {
	text := s.Key
	if len(s.Rows) == 1 {
		text += fmt.Sprintf(" (row %d)", s.Rows[0])
	}
	if s.Field != "" {
		text += ", " + payload.Label(s.Field)
	}
	switch {
	case s.Reason != "":
		text += ": rejected in one of the plans: " + s.Reason
	case s.Old != "" || s.New != "":
		text += fmt.Sprintf(": %q → %q", wording.Short(s.Old, 60), wording.Short(s.New, 60))
	}
	return text
}
