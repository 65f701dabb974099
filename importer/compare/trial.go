package compare

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"time"

	"github.com/google/uuid"

	"docketsync/apiclient/jsontext"
	"docketsync/importer/ledger"
	"docketsync/mapping"
	"docketsync/mapping/lookup"
	"docketsync/mapping/table"
)

// trial maps records again, with some of what one plan was made from exchanged for what the other was made from.
type trial struct {
	old, now *About
	compiled map[made]*mapping.Mapping
	bound    map[bind]*mapping.Mapper
}

// made says from which plan each thing comes that a value is made from: bits that are set stand for the newer plan.
type made uint8

const (
	cells made = 1 << iota
	mappings
	switches
	day
	everything = cells | mappings | switches | day
)

// bind is a mapping and the source to whose header it is bound.
type bind struct {
	made
	source int
}

// side returns the plan that a thing comes from.
func (t *trial) side(with, thing made) *About {
	if with&thing != 0 {
		return t.now
	}
	return t.old
}

// mapper returns the mapper for rows of one plan's source, or nil if there is none, or it asks for columns that do not
// exist.
func (t *trial) mapper(with made, source int) *mapping.Mapper {
	at := bind{with, source}
	if m, ok := t.bound[at]; ok {
		return m
	}
	t.bound[at] = nil
	about := t.side(with, cells)
	m := t.mapping(with)
	if m == nil || source >= len(about.sources) || len(about.sources[source].Header) == 0 {
		return nil
	}
	lookups := map[string]*lookup.Table{}
	for _, spec := range m.Lookups() {
		if lookups[spec.Name] = spec.Inline; spec.Inline == nil {
			lookups[spec.Name] = lookup.OfLedger(spec.Name, anyID(spec.Name))
		}
	}
	if mapper, err := m.Bind(table.Header{Names: about.sources[source].Header}, lookups); err == nil {
		t.bound[at] = mapper
	}
	return t.bound[at]
}

// mapping returns the mapping of one plan, which may be read with the other's day and switches.
func (t *trial) mapping(with made) *mapping.Mapping {
	with &^= cells
	if m, ok := t.compiled[with]; ok {
		return m
	}
	t.compiled[with] = nil
	if about := t.side(with, mappings); about.whole() {
		at := t.side(with, day).Made
		if m, err := about.parse(time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC), switchesOf(t.side(with, switches).settings)); err == nil && !m.InfersDates() {
			t.compiled[with] = m
		}
	}
	return t.compiled[with]
}

// anyID gives each name of a lookup an id of its own, the same in both plans.
func anyID(table string) func(string) (id, trouble string, err error) {
	return func(name string) (string, string, error) {
		sum := sha256.Sum256([]byte(table + "\x00" + name))
		return uuid.UUID(sum[:16]).String(), "", nil
	}
}

// value returns what a field of a record becomes. ok is false if that cannot be told.
func (t *trial) value(with made, of subject) (value []byte, ok bool) {
	r := of.was
	if with&cells != 0 {
		r = of.is
	}
	rows, m := t.mapped(with, r)
	if m == nil {
		return nil, false
	}
	for _, step := range m.Explain(rows) {
		if step.Field != of.top {
			continue
		}
		value := slices.Clone([]byte(step.Value))
		for _, r := range step.Reasons {
			value = append(append(value, "!"...), r.Code...)
		}
		return value, true
	}
	return nil, true // the mapping gives it none
}

// mapped returns the rows of a record and their mapper, or nil if its plan does not keep the rows or there is no
// mapper.
func (t *trial) mapped(with made, r ledger.Record) (rows []table.Row, m *mapping.Mapper) {
	for _, row := range r.Rows {
		stored, err := table.StoredCells(row.Cells)
		if err != nil || stored == nil {
			return nil, nil
		}
		rows = append(rows, table.Row{Source: row.Source, Number: row.Number, Cells: stored})
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return rows, t.mapper(with, rows[0].Source)
}

// factor returns which of the things in made a suspect belongs to, or 0 if it cannot be tried.
func factor(c Cause) made {
	_, about := spelled[c.Of]
	switch {
	case c.Kind == Cell, c.Kind == Row:
		return cells
	case c.Kind == Mapping:
		return mappings
	case c.Kind == Day:
		return day
	case c.Kind == Switch && about:
		return switches
	}
	return 0
}

// decide says which of several suspects caused a change.
func (t *trial) decide(of subject, list []Cause) Finding {
	open := Finding{list, Either}
	was, ok := t.value(0, of)
	is, alsoOK := t.value(everything, of)
	if !ok || !alsoOK || !t.reproduced(of, was, is) {
		return open
	}
	if bytes.Equal(was, is) {
		rest := slices.DeleteFunc(slices.Clone(list), func(c Cause) bool { return factor(c) != 0 })
		return found(rest, list)
	}
	var factors []made
	for _, c := range list {
		if f := factor(c); f != 0 && !slices.Contains(factors, f) {
			factors = append(factors, f)
		}
	}
	var alone, needed []made
	for _, f := range factors {
		with, ok := t.value(f, of)
		without, alsoOK := t.value(everything&^f, of)
		if !ok || !alsoOK {
			return open
		}
		if bytes.Equal(with, is) {
			alone = append(alone, f)
		}
		if !bytes.Equal(without, is) {
			needed = append(needed, f)
		}
	}
	switch {
	case len(alone) == 1:
		return Finding{ofFactors(list, alone), Proven}
	case len(alone) > 1:
		return Finding{ofFactors(list, alone), Either}
	case len(needed) == 1:
		return Finding{ofFactors(list, needed), Proven}
	case len(needed) > 1:
		return Finding{ofFactors(list, needed), Together}
	}
	return open
}

// ofFactors returns the causes in a list that belong to some factors.
func ofFactors(list []Cause, factors []made) []Cause {
	return slices.DeleteFunc(slices.Clone(list), func(c Cause) bool { return !slices.Contains(factors, factor(c)) })
}

// found returns the finding for what is left of a list of suspects.
func found(rest, all []Cause) Finding {
	switch len(rest) {
	case 0:
		return Finding{all, Either}
	case 1:
		return Finding{rest, Proven}
	}
	return Finding{rest, Either}
}

// reproduced reports whether a trial makes what the two plans have. If names are looked up, only the presence of a
// value can be checked.
func (t *trial) reproduced(of subject, was, is []byte) bool {
	for _, side := range []struct {
		about *About
		r     ledger.Record
		made  []byte
	}{{t.old, of.was, was}, {t.now, of.is, is}} {
		if side.r.State == ledger.Rejected {
			continue
		}
		object, _ := jsontext.Parse(side.r.Payload) // what is not a payload has no fields
		has := object.Value(of.top)
		looked := slices.ContainsFunc(origins(side.about, side.r, of.top), func(o ledger.Origin) bool { return o.Lookup != "" })
		if (len(has) == 0) != (len(side.made) == 0) || !looked && !bytes.Equal(has, side.made) || bytes.IndexByte(side.made, '!') == 0 {
			return false
		}
	}
	return true
}

// keyOf returns the key that a plan's mapping gives a row of the other plan, or why it leaves the row out.
func (t *trial) keyOf(r ledger.Record, with made) (key, skip string, ok bool) {
	rows, m := t.mapped(with, r)
	if m == nil {
		return "", "", false
	}
	key, skip, reasons := m.Key(rows[0])
	return key, skip, len(reasons) == 0
}
