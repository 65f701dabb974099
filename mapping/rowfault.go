package mapping

import "slices"

// faulty adds the faults of rows that are about what the mapping reads to the reasons. whole tells that of some row no cell is
// certain: whatever else there was to say of it would follow from that, so its faults are all that is said.
func (m *Mapper) faulty(rows ...Row) (whole bool) {
	var told []Reason
	for i := range rows {
		m.row = &rows[i]
		for _, fault := range m.row.Faults {
			switch {
			case fault.Column == WholeRow:
				whole = true
			case fault.Column >= len(m.reads) || !m.reads[fault.Column]:
				continue
			}
			told = append(told, m.reason(rowField, fault.Column, m.row.Cell(fault.Column).Text, &problem{fault.Code, fault.Message, fault.Hint}))
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

// misled tells if the row has a fault where the filters look.
func (m *Mapper) misled(row Row) bool {
	return slices.ContainsFunc(row.Faults, func(fault Fault) bool {
		looks := func(f *boundFilter) bool { return slices.Contains(f.program.at, fault.Column) }
		return fault.Column == WholeRow || slices.ContainsFunc(m.skip, looks) || slices.ContainsFunc(m.only, looks)
	})
}
