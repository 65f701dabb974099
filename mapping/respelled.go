package mapping

import (
	"slices"
	"strings"

	"docketsync/mapping/lookup"
	"docketsync/mapping/table"
)

// Respelling is a name that rows spell differently from the lookup that has it, or a word that the values of a field do
// not list, so that it became the default.
type Respelling struct {
	Lookup    string // or the path of the field
	Written   string // as the rows have it
	Found     string // as the lookup has it, or the default
	Rows      int
	Defaulted bool
}

// mostRespelled is how many names a mapper counts; it ignores further names.
const mostRespelled = 10_000

// respelled collects the names that were found in another spelling. Each row counts once for a name.
type respelled struct {
	names   map[Respelling]*Respelling // by what rows have of them
	list    []*Respelling
	counted []countedRow // in the current record
}

type countedRow struct {
	name *Respelling
	row  *table.Row
}

// Respelled returns the names that the rows mapped so far spell differently from the lookup, in the order in which they
// occurred.
func (m *Mapper) Respelled() []Respelling {
	list := make([]Respelling, len(m.respelled.list))
	for n, r := range m.respelled.list {
		list[n] = *r
	}
	return list
}

// respell counts a name that was found if its lookup spells it differently.
func (m *Mapper) respell(in *lookup.Table, written string) {
	if found := in.Spelling(written); found != "" {
		m.respellAs(Respelling{Lookup: in.Name(), Written: written}, found)
	}
}

func (m *Mapper) respellAs(key Respelling, found string) {
	r := &m.respelled
	name := r.names[key]
	if name == nil {
		if len(r.list) >= mostRespelled {
			return
		}
		key.Written = strings.Clone(key.Written)
		if r.names == nil {
			r.names = map[Respelling]*Respelling{}
		}
		name = &Respelling{Lookup: key.Lookup, Written: key.Written, Found: found, Defaulted: key.Defaulted}
		r.names[key] = name
		r.list = append(r.list, name)
	}
	if counted := (countedRow{name, m.row}); !slices.Contains(r.counted, counted) {
		r.counted = append(r.counted, counted)
		name.Rows++
	}
}
