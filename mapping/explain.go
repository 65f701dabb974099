package mapping

import (
	"encoding/json"
	"strings"
)

// Step is the journey of one field: the cells it was made of, how, and what became of them.
type Step struct {
	Field string          `json:"field"`
	From  string          `json:"from"` // column, columns, constant, expression, entries, components
	Cells []Source        `json:"cells,omitempty"`
	Value json.RawMessage `json:"value,omitempty"` // as it stands in the payload; nothing when the field is left out or rejected
	// Reasons are why there is no value, Notes what is odd about it.
	Reasons []Reason `json:"reasons,omitempty"`
	Notes   []Reason `json:"notes,omitempty"`
}

// Source is a cell that a field was made of.
type Source struct {
	Column  string `json:"column"`
	Cell    string `json:"cell"` // its address
	Content Cell   `json:"content"`
}

// Explain shows how a record comes about, field by field in the order of the payload, the key first. It maps the rows as
// Map does, without the checks, which look at several fields.
func (m *Mapper) Explain(rows []Row) []Step {
	if len(rows) == 0 {
		return nil
	}
	m.begin(rows)
	m.row = &rows[0]
	key := Step{Field: "key", From: m.key.from(), Cells: m.sources(m.key, rows)}
	if text := m.keyText(); text != "" {
		key.Value = appendString(nil, text)
	}
	key.Reasons, key.Notes = m.reasons, m.notes
	steps := []Step{key}
	for _, f := range m.fields {
		m.begin(rows)
		step := Step{Field: f.path, From: f.from(), Cells: m.sources(f, rows)}
		if value, r := m.recordValue(nil, f); r == written {
			step.Value = value
		}
		step.Reasons, step.Notes = m.reasons, m.notes
		steps = append(steps, step)
	}
	return steps
}

// from says in a word where a field comes from.
func (f *field) from() string {
	switch f.origin {
	case fromConstant:
		return "constant"
	case fromExpression:
		return "expression"
	case fromItems:
		return "entries"
	case fromComponents:
		return "components"
	}
	if len(f.columns) > 1 {
		return "columns"
	}
	return "column"
}

// sources are the cells that a field reads, of every row, each once.
func (m *Mapper) sources(f *boundField, rows []Row) []Source {
	var list []Source
	seen := map[string]bool{}
	for _, row := range rows {
		for _, column := range f.reads() {
			at := CellName(column, row.Number)
			if !seen[at] {
				seen[at] = true
				list = append(list, Source{Column: strings.TrimSpace(m.name(column)), Cell: at, Content: row.Cell(column)})
			}
		}
	}
	return list
}

// reads lists the columns that a field reads.
func (f *boundField) reads() []int {
	columns := append([]int{}, f.at...)
	if f.program != nil {
		columns = append(columns, f.program.at...)
	}
	if l := f.list; l != nil {
		if l.mode == itemsSplit {
			columns = append(columns, l.split)
		}
		columns = append(append(columns, l.classes...), l.texts...)
		for _, inner := range l.fields {
			columns = append(columns, inner.reads()...)
		}
	}
	if f.parts != nil {
		for _, inner := range f.parts.items {
			columns = append(columns, inner.reads()...)
		}
	}
	return columns
}
