package mapping

import (
	"slices"
	"strings"
)

// faulty adds the faults of rows that are about what the mapping reads to the reasons. whole tells that of some row no cell is
// certain: whatever else there was to say of it would follow from that, so its faults are all that is said.
func (m *Mapper) faulty(rows ...Row) (whole bool) {
	var told []Reason
	for i := range rows {
		m.row = &rows[i]
		for _, fault := range m.row.Faults {
			if m.concerns(fault) {
				whole = whole || fault.whole()
				told = append(told, m.reason(rowField, fault.Column, m.row.quoted(fault), &problem{fault.Code, fault.Message, fault.Hint}))
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
var rowField = &boundField{field: &field{}}

func (f Fault) whole() bool { return f.Column == WholeRow || f.Onward }

// concerns tells if the fault is about anything that the mapping reads.
func (m *Mapper) concerns(f Fault) bool {
	return f.whole() || f.Column < len(m.reads) && m.reads[f.Column]
}

// quoted is what a fault is about, as the row says it.
func (r Row) quoted(f Fault) string {
	if !f.whole() {
		return r.Cell(f.Column).Text
	}
	cells := r.Cells
	if f.Onward {
		cells = cells[:min(f.Column, len(cells))]
	}
	texts := make([]string, len(cells))
	for n, cell := range cells {
		texts[n] = cell.Text
	}
	return strings.Join(texts, " | ")
}

// misled tells if the row has a fault where the filters look.
func (m *Mapper) misled(row Row) bool {
	return slices.ContainsFunc(row.Faults, func(fault Fault) bool {
		looks := func(f *boundFilter) bool { return slices.Contains(f.program.at, fault.Column) }
		return m.concerns(fault) && (fault.whole() || slices.ContainsFunc(m.skip, looks) || slices.ContainsFunc(m.only, looks))
	})
}
