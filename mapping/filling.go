package mapping

import (
	"slices"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// above is what the row above has in the columns that fill filters, and the key of its record.
type above struct {
	key   string
	cells []table.Cell
}

// fillsFilters returns the columns that filters read, if the rows of a record fill each other's cells. It leaves out
// columns that entries are made of: those are never filled.
func (m *Mapper) fillsFilters() (columns []int) {
	if !m.mapping.rules.Fill || !m.mapping.rules.Group {
		return nil
	}
	for _, f := range slices.Concat(m.skip, m.only) {
		columns = append(columns, f.program.At...)
	}
	return slices.DeleteFunc(columns, func(column int) bool {
		return slices.ContainsFunc(m.fields, func(f *boundField) bool { return f.list != nil && slices.Contains(f.reads(), column) })
	})
}

// filterFilled runs the filters on the current row. If the row above belongs to the same record, it runs them again
// with blank cells filled from that row. If the results differ and the mapping does not say which one holds, the row is
// rejected: a blank may mean the value above, or no value.
func (m *Mapper) filterFilled() string {
	skip := m.filter()
	if len(m.filling) == 0 {
		return skip
	}
	told := m.reasons
	m.reasons = nil
	key := m.keyText()
	filled, first, said := *m.row, -1, make([]table.Cell, len(m.filling))
	for n, column := range m.filling {
		said[n] = m.row.Cell(column)
		if m.isBlank(said[n]) && key != "" && key == m.above.key && !m.isBlank(m.above.cells[n]) && column < len(m.row.Cells) {
			if first < 0 {
				first, filled.Cells = column, slices.Clone(m.row.Cells)
			}
			said[n] = m.above.cells[n]
			filled.Cells[column] = said[n]
		}
	}
	m.above, m.reasons = above{key, said}, nil
	holds := m.mapping.rules.Filled
	if first < 0 || holds != nil && !*holds {
		m.reasons = told
		return skip
	}
	m.row = &filled
	again := m.filter()
	m.row = &m.asked
	if holds == nil && ((again == "") != (skip == "") || len(m.reasons) != len(told)) {
		m.reasons = nil
		m.fail(rowsField, first, "", reason.New(reason.DisagreeFilter, m.name(first), filled.Cell(first).Text))
		return ""
	}
	return again
}

func (m *Mapper) isBlank(cell table.Cell) bool {
	text := table.Trim(cell.Text)
	return text == "" || m.key.Blanks.Has(text)
}

// LeavesOut reports whether the mapping leaves out a row that is read ahead of its turn.
func (m *Mapper) LeavesOut(row table.Row) bool {
	before := m.above
	_, skip, _ := m.Key(row)
	m.above = before
	return skip != ""
}

// Heads reports whether a row is a repeated header, as in exports that were put together: the key columns hold their
// own names, and so does another cell that is read. unlike reports that some cell that is read says something else:
// below such a header that column holds something else.
func (m *Mapper) Heads(row table.Row) (is, unlike bool) {
	says := func(column int) bool { return table.SaysName(row.Cell(column).Text, m.folded[column]) }
	for _, column := range m.keyed {
		if !says(column) {
			return false, false
		}
	}
	for column, read := range m.reads {
		if read && !slices.Contains(m.keyed, column) && !m.isBlank(row.Cell(column)) {
			is, unlike = is || says(column), unlike || !says(column)
		}
	}
	if !is || len(m.keyed) == 0 || m.LeavesOut(row) {
		return false, false
	}
	return is, unlike
}
