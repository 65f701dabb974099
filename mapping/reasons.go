package mapping

import (
	"slices"

	"docketsync/mapping/reason"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
)

// faulty adds the faults of the rows that concern what the mapping reads to the reasons. whole reports that in some row
// no cell is certain. Then those faults become the only reasons, because every other reason would follow from them.
func (m *Mapper) faulty(rows ...table.Row) (whole bool) {
	var told []reason.Reason
	for i := range rows {
		m.row = &rows[i]
		for _, fault := range m.row.Faults {
			if m.concerns(fault) {
				whole = whole || fault.Whole()
				told = append(told, m.reason(rowField, fault.Column, m.row.Quoted(fault), &fault.Problem))
			}
		}
	}
	if whole {
		m.reasons = told
	} else {
		m.reasons = append(m.reasons, told...)
	}
	return whole
}

// rowField stands for no field, in the reasons of faults.
var rowField = &boundField{Field: &rule.Field{}}

// concerns reports whether the fault is about anything that the mapping reads.
func (m *Mapper) concerns(f table.Fault) bool {
	return f.Whole() || f.Column == table.NoRecord || f.Column < len(m.reads) && m.reads[f.Column]
}

// belowTable reports whether a filter leaves out a row of a single cell because of that cell, such as the line below a
// table that says who printed it. In a record that has lost all its other cells, this cell may belong to any column. So
// only a filter counts that found its own words in the cell: one that would leave out neither an empty cell nor other
// words, as "is not live" would.
func (m *Mapper) belowTable(row table.Row) (skip string) {
	if len(row.Faults) == 0 || slices.ContainsFunc(row.Faults, func(f table.Fault) bool { return !f.Onward || f.Column != 1 }) {
		return ""
	}
	leavesOut := func(f *boundFilter, text string) bool {
		m.row = &table.Row{Number: row.Number, Source: row.Source, Cells: []table.Cell{{Kind: table.Text, Text: text}}}
		is := m.truth(f)
		failed := len(m.reasons) > 0
		m.row, m.reasons = &m.asked, m.reasons[:0] // whoever maps the row reports what is wrong with it
		return is && !failed
	}
	for _, f := range m.skip {
		if slices.Equal(f.program.At, []int{0}) && leavesOut(f, row.Cell(0).Text) && !leavesOut(f, "") && !leavesOut(f, otherWords) {
			return f.reason
		}
	}
	return ""
}

// otherWords are words that no filter looks for.
const otherWords = "\ufffd\ufffd"

// misled reports whether the row has a fault in a column that the filters read.
func (m *Mapper) misled(row table.Row) bool {
	return slices.ContainsFunc(row.Faults, func(fault table.Fault) bool {
		looks := func(f *boundFilter) bool { return slices.Contains(f.program.At, fault.Column) }
		return m.concerns(fault) && (fault.Whole() || slices.ContainsFunc(m.skip, looks) || slices.ContainsFunc(m.only, looks))
	})
}

func (m *Mapper) name(column int) string {
	if column < 0 || column >= len(m.header.Names) {
		return ""
	}
	return m.header.Names[column]
}

// fail adds a reason. What is wrong with the key's cell is said once, also where a field reads it.
func (m *Mapper) fail(f *boundField, column int, value string, p *reason.Problem) {
	added := m.reason(f, column, value, p)
	if len(m.reasons) > 0 && column >= 0 {
		said := m.reasons[0]
		if said.Field == m.key.Path && said.Code == added.Code && said.Cell == added.Cell && said.Message == added.Message {
			return
		}
	}
	m.reasons = append(m.reasons, added)
}

// doubt adds a note. What the source doubts about a cell is said once, however many fields use it.
func (m *Mapper) doubt(f *boundField, column int, value string, p *reason.Problem) {
	note := m.reason(f, column, value, p)
	if p.Code == reason.Source && slices.ContainsFunc(m.notes, func(n reason.Reason) bool { return n.Code == p.Code && n.Cell == note.Cell }) {
		return
	}
	m.notes = append(m.notes, note)
}

func (m *Mapper) reason(f *boundField, column int, value string, p *reason.Problem) reason.Reason {
	r := reason.Reason{Field: f.Path, Row: m.row.Number, Value: reason.Storable(reason.Clip(value, 200))}.Says(p)
	if n := len(m.rows); n > 1 && m.rows[0].Source != m.rows[n-1].Source { // rows come in the order of the sources
		r.Source = m.row.Source + 1
	}
	if column >= 0 {
		r.Column, r.Cell = m.name(column), table.CellName(column, m.row.Number)
	}
	return r
}
