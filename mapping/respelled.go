package mapping

import (
	"slices"
	"strings"

	"docketsync/mapping/lookup"
	"docketsync/mapping/table"
)

// Respelling is a name that rows spell otherwise than the lookup in which it was found, or a word that the values of a field do not
// know, so that it became the default.
type Respelling struct {
	Lookup    string // or the path of the field
	Written   string // as the rows have it
	Found     string // as the lookup has it, or the default
	Rows      int
	Defaulted bool
}

// mostRespelled is how many names a mapper counts; it knows nothing of those behind them.
const mostRespelled = 10_000

// respelled collects the names that were found by another spelling. Each row counts once for a name.
type respelled struct {
	names   map[Respelling]*Respelling // by what rows have of them
	list    []*Respelling
	counted []countedRow // in the record in hand
}

type countedRow struct {
	name *Respelling
	row  *table.Row
}

// Respelled lists the names that the rows mapped so far have in another spelling than the lookup, in the order in which
// they were met.
func (m *Mapper) Respelled() []Respelling {
	list := make([]Respelling, len(m.respelled.list))
	for n, r := range m.respelled.list {
		list[n] = *r
	}
	return list
}

// respell counts a name that was found, when it is spelled otherwise in its lookup.
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
