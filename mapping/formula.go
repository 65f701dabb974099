package mapping

import (
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/mapping/date"
	"docketsync/mapping/expr"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// expressionKind tells a date that an expression worked out ("2024-03-01") from one that it passes on as written. A
// text that one of the mapping's own patterns fits counts as written.
func expressionKind(f *boundField, text string) table.Kind {
	if f.Target.Type != payload.TypeDate {
		return table.Text
	}
	if _, err := date.ParseISO(text); err != nil || slices.ContainsFunc(f.Dates.Patterns, func(p *date.Pattern) bool { return p.Fits(text) }) {
		return table.Text
	}
	return table.Date
}

// run evaluates an expression for the row. column is the column that the expression reads, or -1 if it does not read
// exactly one.
func (m *Mapper) run(f *boundField, p *expr.Program) (out any, column int, ok bool) {
	column, ok = -1, true
	if len(p.At) == 1 {
		column = p.At[0]
	}
	for slot, at := range p.At {
		cell := m.row.Cell(at)
		if cell.Kind == table.Error {
			m.fail(f, at, cell.Text, cellError(cell))
			ok = false
		}
		if f.TakesShown() && cell.Shown != nil && !cell.Partial() {
			seen, fine := m.shown(f, at, cell)
			cell, ok = table.Cell{Kind: table.Text, Text: seen.text}, ok && fine
		}
		if f.Target.Type == payload.TypeDate {
			m.checkPartial(f, at, cell)
		}
		if cell.Note != "" {
			m.doubt(f, at, cell.Text, reason.New(reason.Source, cell.Note))
		}
		if fail := f.Rounded(table.Trim(cell.Text), cell.Kind); fail != nil {
			m.fail(f, at, cell.Text, fail)
			ok = false
		}
		p.Set(slot, table.Trim(cell.Text))
	}
	if !ok {
		return nil, column, false
	}
	p.SetEntry(m.entry.class, m.entry.text)
	out, fail := p.Run(m.row)
	for _, found := range p.Found() {
		if len(m.rows) > 0 { // not while Key runs
			m.respell(found.Table, found.Name)
		}
	}
	if fail != nil {
		value := ""
		if column >= 0 {
			value = m.row.Cell(column).Text
		}
		m.fail(f, column, value, fail)
		return nil, column, false
	}
	return out, column, true
}
