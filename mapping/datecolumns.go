package mapping

// DateProof gathers what the rows of a job say about how the dates of each field are written, for mappings with
// dates: proven. Its memory does not grow with the rows.
type DateProof struct {
	columns map[string]*DateColumn // by the field's path
}

// NewDateProof is a proof without any row.
func NewDateProof() *DateProof { return &DateProof{columns: map[string]*DateColumn{}} }

// column is what the rows say about a field.
func (p *DateProof) column(path string) *DateColumn {
	c := p.columns[path]
	if c == nil {
		c = &DateColumn{}
		p.columns[path] = c
	}
	return c
}
