package mapping

import (
	"slices"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// above is what the row above says in the columns that fill filters, and the record that it belongs to.
type above struct {
	key   string
	cells []table.Cell
}

// fillsFilters lists the columns that filters look at, where the rows of a record fill each other's cells. What an entry is made of is its own.
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

// filterFilled asks the filters about the row in hand, and again with its blank cells as in the row above where that is of the same record. Where
// the answers differ and the mapping does not say which one holds, the row is wrong: a blank may be what stands above, or none of it.
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

// LeavesOut tells of a row that is looked at ahead of its turn whether the mapping leaves it out.
func (m *Mapper) LeavesOut(row table.Row) bool {
	before := m.above
	_, skip, _ := m.Key(row)
	m.above = before
	return skip != ""
}

// Heads tells of a row whether it is a header once more, of exports that were put together: its key says the name of its own column, and another cell that is
// read does so too. It is unlike the first one where a cell that is read says something else: below such a one another column stands there.
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
