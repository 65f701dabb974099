package mapping

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/payload"
	"docketsync/mapping/reason"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
)

// Step is the journey of one field: the cells it was made of, how, and what became of them.
type Step struct {
	Field      string          `json:"field"`
	From       string          `json:"from"` // column, columns, constant, expression, entries, components, part, nothing
	Cells      []Source        `json:"cells,omitempty"`
	Expression string          `json:"expression,omitempty"`
	Lookup     string          `json:"lookup,omitempty"`
	Name       string          `json:"name,omitempty"`    // the name as the lookup has it
	Default    bool            `json:"default,omitempty"` // the value is the mapping's default
	Value      json.RawMessage `json:"value,omitempty"`   // as it stands in the payload; absent if the field is left out or rejected
	// Reasons say why there is no value, Notes what is odd about it.
	Reasons []reason.Reason `json:"reasons,omitempty"`
	Notes   []reason.Reason `json:"notes,omitempty"`
	// Parts are the fields of each entry, or the components, in their order. Their reasons are also among those of the
	// whole.
	Parts []Step `json:"parts,omitempty"`
}

// Source is a cell that a field was made of.
type Source struct {
	Column  string     `json:"column"`
	Cell    string     `json:"cell"` // its address
	Content table.Cell `json:"content"`
}

// Explain shows how a record comes about, field by field in the order of the payload, the key first. It maps the rows
// as Map does, but runs no checks, because they look at several fields.
func (m *Mapper) Explain(rows []table.Row) []Step {
	if len(rows) == 0 {
		return nil
	}
	m.begin(rows)
	m.row = &rows[0]
	key := Step{Field: "key", From: m.key.From(), Cells: m.sources(m.key, rows)}
	if text := m.keyText(); text != "" {
		key.Value = jsontext.AppendString(nil, text)
	}
	key.Reasons, key.Notes = m.reasons, m.notes
	steps := []Step{key}
	defer func() { m.trace = nil }()
	for _, f := range m.fields {
		m.begin(rows)
		var parts []Step
		m.trace = func(inner *boundField, value []byte, reasons []reason.Reason) {
			part := m.part(inner, value)
			part.Reasons = slices.Clone(reasons)
			parts = append(parts, part)
		}
		value, r := m.recordValue(nil, f)
		step := f.step(value, r)
		step.Cells, step.Parts = m.sources(f, rows), parts
		step.Reasons, step.Notes = m.reasons, m.notes
		steps = append(steps, step)
	}
	return steps
}

// part returns the journey of a field of the current entry. value is empty if the field was left out or rejected.
func (m *Mapper) part(f *boundField, value []byte) Step {
	r := omitted
	if len(value) > 0 {
		r = written
	}
	step := f.step(bytes.Clone(value), r)
	step.Cells = m.sources(f, []table.Row{*m.row})
	if f.Origin == rule.FromPart {
		column := m.entry.textColumn
		if f.Part == rule.PartClass {
			column = m.entry.classColumn
		}
		step.Cells = []Source{{Column: strings.TrimSpace(m.name(column)), Cell: table.CellName(column, m.row.Number), Content: m.row.Cell(column)}}
	}
	return step
}

// step says how the field's last value came about.
func (f *boundField) step(value []byte, r result) Step {
	step := Step{Field: f.Path, From: f.From(), Lookup: f.Lookup}
	if f.Expr != nil {
		step.Expression = f.Expr.Text
	}
	if r != written {
		return step
	}
	step.Value = value
	step.Default = f.instead != nil && bytes.Equal(value, f.instead) && f.fellBack()
	if f.table != nil && f.given && !step.Default {
		source := f.source
		if f.Origin == rule.FromConstant {
			source = table.Trim(f.Constant.Text())
		}
		step.Name = f.table.NameOf(source, f.Target.Name == "search_class_id")
	}
	return step
}

// fellBack reports whether the last value can only be the default: the cell was empty, or held a word that values does
// not list.
func (f *boundField) fellBack() bool {
	if !f.given || f.Values == nil {
		return !f.given
	}
	_, known := f.Values.Find(f.source)
	return !known
}

// sources returns the cells that a field reads, in every row, each once.
func (m *Mapper) sources(f *boundField, rows []table.Row) []Source {
	var list []Source
	seen := map[string]bool{}
	for _, row := range rows {
		for _, column := range f.reads() {
			at := table.CellName(column, row.Number)
			if !seen[at] {
				seen[at] = true
				list = append(list, Source{Column: strings.TrimSpace(m.name(column)), Cell: at, Content: row.Cell(column)})
			}
		}
	}
	return list
}

// reads returns the columns that a field reads.
func (f *boundField) reads() []int {
	columns := append([]int{}, f.at...)
	if f.program != nil {
		columns = append(columns, f.program.At...)
	}
	if l := f.list; l != nil {
		if f.Items.Mode == rule.ItemsSplit {
			columns = append(columns, l.split)
		}
		columns = append(append(columns, l.classes...), l.texts...)
	}
	for _, inner := range f.inner {
		columns = append(columns, inner.reads()...)
	}
	return columns
}

// Origins returns where each field that the mapping sets comes from: the key first, then the fields in the order of the
// payload. For lists and components it returns the fields of an entry. It is stored with a run, so that a value can be
// shown beside its cells long after the mapping has changed.
func (m *Mapper) Origins() []table.Origin {
	key := table.Origin{Field: "key", From: m.key.From(), Type: string(payload.TypeText), Columns: distinct(m.key.reads())}
	list := []table.Origin{key}
	for _, f := range m.fields {
		for n, inner := range f.inner {
			if f.list != nil {
				list = append(list, inner.entryOrigin(f))
				continue
			}
			o := inner.originOf()
			o.Field, o.Name = "components."+f.ids[n], inner.Target.Name
			list = append(list, o)
		}
		if f.Origin != rule.FromNowhere && f.list == nil && f.Components == nil {
			list = append(list, f.originOf())
		}
	}
	return list
}

func (f *boundField) originOf() table.Origin {
	return table.Origin{Field: f.Path, From: f.From(), Type: string(f.Target.Type), Columns: distinct(f.reads()), Lookup: f.Lookup}
}

// entryOrigin returns the origin of a field of an entry. A part of an entry comes from the cells that entries are made
// of.
func (f *boundField) entryOrigin(of *boundField) table.Origin {
	o := f.originOf()
	if f.Origin != rule.FromPart {
		return o
	}
	switch {
	case of.Items.Mode == rule.ItemsSplit:
		o.Columns = []int{of.list.split}
	case f.Part == rule.PartText && len(of.list.texts) > 0:
		o.Columns = distinct(of.list.texts)
	default:
		o.Columns = distinct(of.list.classes)
	}
	if f.table != nil {
		o.Names = f.table.ShortNames()
	}
	return o
}

func distinct(columns []int) []int {
	var list []int
	for _, column := range columns {
		if column >= 0 && !slices.Contains(list, column) {
			list = append(list, column)
		}
	}
	return list
}
