package mapping

import (
	"fmt"
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
)

// turnedWords are what dates_turned may say.
var turnedWords = []any{"accept", "stop"}

const turnedHint = "A column looks like this when a spreadsheet program has read the day as the month wherever it could, which makes the date cells wrong: " +
	"import the original export, as it was before anyone opened it. If the date cells are correct, write dates_turned: accept in the mapping, at the top or for this field."

func (c *compiler) acceptsTurned(w word, above bool) bool {
	if !w.given() {
		return above
	}
	if !slices.Contains(turnedWords, any(w.text)) {
		c.fault(w.node, fmt.Sprintf("%q says nothing about dates that look turned around", w.text), "write accept or stop")
	}
	return w.text == "accept"
}

// DatesTurned is the fault of importing a column whose date cells a spreadsheet program has probably turned around, of which
// words tell. It is nil where the mapping reads no dates from the column, or says that they are right.
func (m *Mapper) DatesTurned(column int, words string) *diagnostic.Fault {
	at, ok := m.datesFrom(column)
	if !ok {
		return nil
	}
	fault := at.fault(words, turnedHint)
	return &fault
}

// datesFrom is the place of the mapping that reads dates from a column: a field, or an expression with date() around it.
func (m *Mapper) datesFrom(column int) (place, bool) {
	for _, f := range m.everyField() {
		if f.dates.Turned {
			continue
		}
		dates := f.target.Type == payload.TypeDate || f.dateAs != nil
		if dates && slices.Contains(f.reads(), column) || f.program.Dates(column) {
			return f.place, true
		}
	}
	if m.mapping.dates.Turned {
		return place{}, false
	}
	for _, f := range slices.Concat(m.skip, m.only) {
		if f.program.Dates(column) {
			return f.place, true
		}
	}
	for _, c := range m.checks.own {
		if c.program.Dates(column) {
			return c.place, true
		}
	}
	return place{}, false
}

// everyField are the key, the fields, and those of entries and components.
func (m *Mapper) everyField() []*boundField {
	list := append([]*boundField{m.key}, m.fields...)
	for _, f := range m.fields {
		if f.list != nil {
			list = append(list, f.list.fields...)
		}
		if f.parts != nil {
			list = append(list, f.parts.items...)
		}
	}
	return list
}
