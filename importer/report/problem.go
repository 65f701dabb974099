package report

import (
	"cmp"
	"slices"
	"strings"

	"docketsync/importer/ledger"
)

// Problem is a kind of trouble, told once however many rows have it: the causes of one outcome, code and field together.
// Where each value is mended on its own, as the names that a lookup does not have, Values are those causes.
type Problem struct {
	Cause
	Values []Cause `json:"values,omitempty"`
}

// ownValue tells whether each value of a code is mended on its own.
func ownValue(code string) bool { return strings.HasPrefix(code, "lookup_") || code == "value_unknown" }

// kind is a cause without its value, so that the causes of one kind are counted together. A record that has two of them
// counts once.
func (c Cause) kind() Cause {
	if c.By == byService || !ownValue(c.Code) {
		return c
	}
	c.key.value, c.Value = "", ""
	return c
}

// kinds are the kinds of a record's causes, each once.
func kinds(causes []Cause) []Cause {
	var list []Cause
	for _, c := range causes {
		kind := c.kind()
		if !slices.ContainsFunc(list, func(known Cause) bool { return known.key == kind.key }) {
			list = append(list, kind)
		}
	}
	return list
}

// problems puts the causes under their kinds.
func problems(kinds, causes []Cause) []Problem {
	list := make([]Problem, 0, len(kinds))
	at := map[causeKey]int{}
	for _, kind := range kinds {
		at[kind.key] = len(list)
		list = append(list, Problem{Cause: kind})
	}
	for _, c := range causes {
		if n, ok := at[c.kind().key]; ok && c.Value != "" && ownValue(c.Code) {
			list[n].Values = append(list[n].Values, c)
		}
	}
	for n := range list {
		slices.SortStableFunc(list[n].Values, func(a, b Cause) int { return cmp.Compare(b.Rows, a.Rows) })
	}
	return list
}

// MissingName is a name that rows use and a lookup does not have.
type MissingName struct {
	Lookup  string  `json:"lookup"`
	Name    string  `json:"name"`
	Rows    int     `json:"rows"`
	Example Example `json:"example"`
}

// MaxMissing bounds how many missing names are told apart.
const MaxMissing = 100_000

// codeLookupUnknown is the code of mapping's reasons for a name that a lookup does not have.
const codeLookupUnknown = "lookup_unknown"

// Missing collects the names that lookups do not have from a run's rejected records.
type Missing struct {
	run ledger.Run
	// lookup says through which lookup a field goes ("" for none that could be filled in), same spells a name in the way in
	// which the lookup compares names, so that spellings which one line would serve are one name.
	lookup func(field string) string
	same   func(name string) string

	names  map[[2]string]*MissingName
	order  []*MissingName
	Beyond int // occurrences of names beyond MaxMissing
}

// NewMissing begins a collection; see Missing for the functions.
func NewMissing(run ledger.Run, lookup, same func(string) string) *Missing {
	return &Missing{run: run, lookup: lookup, same: same, names: map[[2]string]*MissingName{}}
}

// Add takes up what a record misses. A name that a record uses twice counts its rows once.
func (m *Missing) Add(r ledger.Record) {
	var counted []*MissingName
	for _, reason := range r.Reasons {
		lookup := ""
		if reason.Code == codeLookupUnknown && reason.Value != "" {
			lookup = m.lookup(reason.Field)
		}
		if lookup == "" {
			continue
		}
		name := m.name(lookup, r, reason)
		if name == nil {
			m.Beyond++
			continue
		}
		if !slices.Contains(counted, name) {
			counted = append(counted, name)
			name.Rows += len(r.Rows)
		}
	}
}

func (m *Missing) name(lookup string, r ledger.Record, reason ledger.Reason) *MissingName {
	text := strings.TrimSpace(reason.Value)
	key := [2]string{lookup, m.same(text)}
	if known := m.names[key]; known != nil || len(m.order) == MaxMissing {
		return known
	}
	name := &MissingName{Lookup: lookup, Name: text, Example: example(m.run, r, Example{Row: reason.Row, Cell: reason.Cell, Value: reason.Value})}
	m.names[key] = name
	m.order = append(m.order, name)
	return name
}

// Of lists the names that a lookup misses, those of the most rows first.
func (m *Missing) Of(lookup string) []MissingName {
	var list []MissingName
	for _, name := range m.order {
		if name.Lookup == lookup {
			list = append(list, *name)
		}
	}
	slices.SortStableFunc(list, func(a, b MissingName) int { return cmp.Compare(b.Rows, a.Rows) })
	return list
}
