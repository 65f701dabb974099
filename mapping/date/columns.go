package date

// Columns gathers what the rows of a job say about how the dates of each field are written, for mappings with
// dates: proven. Its memory does not grow with the rows.
type Columns struct {
	columns map[string]*Column // by the field's path
}

// NewColumns is a proof without any row.
func NewColumns() *Columns { return &Columns{columns: map[string]*Column{}} }

// Column is what the rows say about a field.
func (p *Columns) Column(path string) *Column {
	c := p.columns[path]
	if c == nil {
		c = &Column{}
		p.columns[path] = c
	}
	return c
}
