package mapping

// Taken returns the columns, counted from 0, that fields of the payload are taken from, by the fields' names. Fields that are
// made of several columns, or of none, are not among them, and neither are the fields of entries and components.
func (m *Mapper) Taken() map[string]int {
	taken := map[string]int{}
	for _, f := range m.fields {
		if f.origin == fromColumns && len(f.at) == 1 {
			taken[f.path] = f.at[0]
		}
	}
	return taken
}
