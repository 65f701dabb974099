package mapping

import (
	"slices"

	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// faulty adds the faults of rows that are about what the mapping reads to the reasons. whole tells that of some row no cell is
// certain: whatever else there was to say of it would follow from that, so its faults are all that is said.
func (m *Mapper) faulty(rows ...table.Row) (whole bool) {
	var told []reason.Reason
	for i := range rows {
		m.row = &rows[i]
		for _, fault := range m.row.Faults {
			if m.concerns(fault) {
				whole = whole || fault.Whole()
				told = append(told, m.reason(rowField, fault.Column, m.row.Quoted(fault), reason.New(fault.Code, fault.Message, fault.Hint)))
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

// concerns tells if the fault is about anything that the mapping reads.
func (m *Mapper) concerns(f table.Fault) bool {
	return f.Whole() || f.Column < len(m.reads) && m.reads[f.Column]
}

// misled tells if the row has a fault where the filters look.
func (m *Mapper) misled(row table.Row) bool {
	return slices.ContainsFunc(row.Faults, func(fault table.Fault) bool {
		looks := func(f *boundFilter) bool { return slices.Contains(f.program.At, fault.Column) }
		return m.concerns(fault) && (fault.Whole() || slices.ContainsFunc(m.skip, looks) || slices.ContainsFunc(m.only, looks))
	})
}
