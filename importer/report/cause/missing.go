package cause

import (
	"cmp"
	"slices"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// MissingName is a name that rows use and a lookup has no id for.
type MissingName struct {
	Lookup  string  `json:"lookup"`
	Name    string  `json:"name"`
	Rows    int     `json:"rows"`
	Example Example `json:"example"`
}

// MaxMissing limits how many missing names are told apart.
const MaxMissing = 100_000

// Waits reports whether the code is that of a name without an id: then no cell has to be corrected.
func Waits(code string) bool { return code == reason.LookupUnknown || code == reason.LookupUnfilled }

// Waiting counts the records that only names without an id keep out.
type Waiting struct {
	Records int `json:"records"`
	Rows    int `json:"rows"`
	// IDs is how many names need one, at most MaxMissing.
	IDs int `json:"ids"`

	names map[string]bool
}

// Add adds a rejected record if it is one of them. w may be nil; the result is nil until one is found.
func (w *Waiting) Add(r ledger.Record) *Waiting {
	if len(r.Reasons) == 0 || slices.ContainsFunc(r.Reasons, func(why ledger.Reason) bool { return !Waits(why.Code) }) {
		return w
	}
	if w == nil {
		w = &Waiting{names: map[string]bool{}}
	}
	w.Records++
	w.Rows += len(r.Rows)
	for _, why := range r.Reasons {
		name := why.Message // names lookup and name, if a release without arguments stored it
		if lookup := why.Argument("lookup"); lookup != "" {
			name = lookup + "\n" + why.Argument("text") // one for all fields that use the lookup
		}
		if name = table.Fold(name); w.IDs < MaxMissing && !w.names[name] {
			w.names[name] = true
			w.IDs++
		}
	}
	return w
}

// Ids says how many names need an id.
func (w *Waiting) Ids() string {
	text := wording.Counted(w.IDs, "id")
	if w.IDs == MaxMissing {
		text += " or more"
	}
	return text
}

// missing collects the names in a run's rejected records that lookups have no id for.
type missing struct {
	run    ledger.Run
	code   string
	lookup func(field string) string
	names  map[[2]string]*MissingName
	order  []*MissingName
}

// NewMissing begins a collection of names that were rejected with a code. lookup returns the lookup that a field uses,
// "" for one that a person cannot fill in. Spellings that one line of a lookup serves are one name.
func NewMissing(run ledger.Run, code string, lookup func(field string) string) *missing {
	return &missing{run: run, code: code, lookup: lookup, names: map[[2]string]*MissingName{}}
}

// Add adds the names that a record misses. A name that a record uses twice counts its rows once. Names beyond
// MaxMissing are left out.
func (m *missing) Add(r ledger.Record) {
	var counted []*MissingName
	for _, why := range r.Reasons {
		if why.Code != m.code || why.Value == "" {
			continue
		}
		name := m.name(m.lookup(why.Field), r, why)
		if name != nil && !slices.Contains(counted, name) {
			counted = append(counted, name)
			name.Rows += len(r.Rows)
		}
	}
}

func (m *missing) name(lookup string, r ledger.Record, why ledger.Reason) *MissingName {
	text := strings.TrimSpace(why.Value)
	key := [2]string{lookup, table.Fold(text)}
	if known := m.names[key]; known != nil || lookup == "" || len(m.order) == MaxMissing {
		return known
	}
	name := &MissingName{Lookup: lookup, Name: text, Example: example(m.run, r, newExample(why))}
	m.names[key] = name
	m.order = append(m.order, name)
	return name
}

// Of lists the names that a lookup misses, those of the most rows first.
func (m *missing) Of(lookup string) []MissingName {
	var list []MissingName
	for _, name := range m.order {
		if name.Lookup == lookup {
			list = append(list, *name)
		}
	}
	slices.SortStableFunc(list, func(a, b MissingName) int { return cmp.Compare(b.Rows, a.Rows) })
	return list
}
