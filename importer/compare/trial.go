package compare

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"docketsync/apiclient/jsontext"
	"docketsync/importer/ledger"
	"docketsync/mapping"
	"docketsync/mapping/lookup"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// trial maps records again, with some of what one plan was made from exchanged for what the other was.
type trial struct {
	old, now *About
	compiled map[made]*mapping.Mapping
	bound    map[bind]*mapping.Mapper
}

// made says of which plan each thing is that a value is made from: false for the older one.
type made struct{ cells, mapping, switches, day bool }

// bind is a mapping and the source to whose header it is bound.
type bind struct {
	made
	source int
}

func newTrial(old, now *About) *trial {
	return &trial{old: old, now: now, compiled: map[made]*mapping.Mapping{}, bound: map[bind]*mapping.Mapper{}}
}

func (t *trial) side(newer bool) *About {
	if newer {
		return t.now
	}
	return t.old
}

// mapper is what maps rows of one plan's source; nil where there is none, or it asks for columns that are not there.
func (t *trial) mapper(with made, source int) *mapping.Mapper {
	at := bind{with, source}
	if m, ok := t.bound[at]; ok {
		return m
	}
	t.bound[at] = nil
	about := t.side(with.cells)
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

// mapping is that of one plan, which may be read with the other's day and switches.
func (t *trial) mapping(with made) *mapping.Mapping {
	with.cells = false
	if m, ok := t.compiled[with]; ok {
		return m
	}
	t.compiled[with] = nil
	if about := t.side(with.mapping); about.whole() {
		day := t.side(with.day).Made
		if m, err := about.parse(time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.UTC), switchesOf(t.side(with.switches).settings)); err == nil && !m.InfersDates() {
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

// value is what a field of a record becomes; not ok where that cannot be told.
func (t *trial) value(with made, of subject) (value []byte, ok bool) {
	r := of.was
	if with.cells {
		r = of.is
	}
	rows, ok := rowsOf(r)
	if !ok {
		return nil, false
	}
	m := t.mapper(with, rows[0].Source)
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

// rowsOf are the rows of a record; not ok where its plan does not keep them.
func rowsOf(r ledger.Record) (rows []table.Row, ok bool) {
	for _, row := range r.Rows {
		cells, err := table.StoredCells(row.Cells)
		if err != nil || cells == nil {
			return nil, false
		}
		rows = append(rows, table.Row{Source: row.Source, Number: row.Number, Cells: cells})
	}
	return rows, len(rows) > 0
}

// factor is what of a record's making a suspect belongs to.
func factor(c Cause) (of made, tried bool) {
	switch c.Kind {
	case Cell, Row:
		return made{cells: true}, true
	case Mapping:
		return made{mapping: true}, true
	case Day:
		return made{day: true}, true
	case Switch:
		_, about := spelled[c.Of]
		return made{switches: true}, about
	}
	return of, false
}

func (m made) and(o made) made {
	return made{m.cells || o.cells, m.mapping || o.mapping, m.switches || o.switches, m.day || o.day}
}

func (m made) without(o made) made {
	return made{m.cells && !o.cells, m.mapping && !o.mapping, m.switches && !o.switches, m.day && !o.day}
}

// decide says which of several suspects a change is due to.
func (t *trial) decide(of subject, list []Cause) Finding {
	open := Finding{list, Either}
	before, after := made{}, made{true, true, true, true}
	was, ok := t.value(before, of)
	is, alsoOK := t.value(after, of)
	if !ok || !alsoOK || !t.reproduced(of, was, is) {
		return open
	}
	if bytes.Equal(was, is) {
		rest := slices.DeleteFunc(slices.Clone(list), func(c Cause) bool { _, tried := factor(c); return tried })
		return found(rest, list)
	}
	var factors []made
	for _, c := range list {
		if f, tried := factor(c); tried && !slices.Contains(factors, f) {
			factors = append(factors, f)
		}
	}
	var alone, needed []made
	for _, f := range factors {
		with, ok := t.value(before.and(f), of)
		without, alsoOK := t.value(after.without(f), of)
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
		return Finding{of.causes(list, alone), Proven}
	case len(alone) > 1:
		return Finding{of.causes(list, alone), Either}
	case len(needed) == 1:
		return Finding{of.causes(list, needed), Proven}
	case len(needed) > 1:
		return Finding{of.causes(list, needed), Together}
	}
	return open
}

// causes are those of a list that belong to some factors.
func (subject) causes(list []Cause, factors []made) (of []Cause) {
	for _, c := range list {
		if f, tried := factor(c); tried && slices.Contains(factors, f) {
			of = append(of, c)
		}
	}
	return of
}

// found is what is left of a list of suspects.
func found(rest, all []Cause) Finding {
	switch len(rest) {
	case 0:
		return Finding{all, Either}
	case 1:
		return Finding{rest, Proven}
	}
	return Finding{rest, Either}
}

// reproduced tells whether a trial makes what the two plans have. Where names are looked up, only whether there is a value can be told.
func (t *trial) reproduced(of subject, was, is []byte) bool {
	for _, side := range []struct {
		about *About
		r     ledger.Record
		made  []byte
	}{{t.old, of.was, was}, {t.now, of.is, is}} {
		if side.r.State == ledger.Rejected {
			continue
		}
		has := jsontext.Value(orEmpty(side.r.Payload), of.top)
		looked := slices.ContainsFunc(origins(side.about, side.r, of.top), func(o ledger.Origin) bool { return o.Lookup != "" })
		if (len(has) == 0) != (len(side.made) == 0) || !looked && !bytes.Equal(has, side.made) || bytes.IndexByte(side.made, '!') == 0 {
			return false
		}
	}
	return true
}

func orEmpty(text json.RawMessage) json.RawMessage {
	if len(text) == 0 || jsontext.Check(text) != nil {
		return json.RawMessage("{}")
	}
	return text
}

// keyOf is what a plan's mapping says of a row of the other plan: its key, or that it is left out.
func (t *trial) keyOf(r ledger.Record, with made) (key, skip string, ok bool) {
	rows, ok := rowsOf(r)
	if !ok {
		return "", "", false
	}
	m := t.mapper(with, rows[0].Source)
	if m == nil {
		return "", "", false
	}
	var reasons []reason.Reason
	if key, skip, reasons = m.Key(rows[0]); len(reasons) > 0 {
		return "", "", false
	}
	return key, skip, true
}
