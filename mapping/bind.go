package mapping

import (
	"fmt"
	"slices"

	"docketsync/apiclient/jsontext"
	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/config/document"
	"docketsync/mapping/table"
)

// Mapper turns the rows under one header into records. It is for one goroutine at a time.
type Mapper struct {
	mapping   *Mapping
	header    table.Header
	scope     *scope
	key       *boundField
	skip      []*boundFilter
	only      []*boundFilter
	fields    []*boundField
	proving   []*boundField // whose date patterns the whole column has to prove
	reads     []bool        // by column: whether anything is made of it
	checks    checkPlan
	respelled respelled

	// What follows belongs to the record in hand.
	rows    []table.Row
	row     *table.Row
	asked   table.Row // that Key was asked about: kept here, asking allocates nothing
	entry   entry
	quiet   bool // an empty value is no reason yet
	reasons []Reason
	notes   []Reason
	out     []byte
	passed  passed
	// passedKey is the key of the row that passed, "" where it is to be worked out again.
	passedKey string
	twin      []byte                              // of the key, and room behind it
	fileSums  []uint64                            // traits of a folder's files
	trace     func(*boundField, []byte, []Reason) // while Explain runs: told of every field of an entry, its value or why not
}

// boundField is a field whose columns have positions and whose constants are worked out.
type boundField struct {
	*field
	at      []int
	program *program
	table   *Lookup
	always  []byte           // the constant, as JSON
	instead []byte           // the default, as JSON
	lacking *missingConstant // why there is no constant, or no default, as long as a lookup waits for its id
	list    *boundItems
	parts   *boundComponents

	// What the last value was, for the checks.
	given  bool   // there was one
	source string // the text it was made of
	column int    // where it stood, -1 for no single cell
	moment moment // of dates
	note   *problem
	// Where the field's member stands in the payload; equal when it has none.
	start, end int
}

// missingConstant is a constant whose id nobody has filled in yet. It is no mistake in the mapping: the records that need it are
// rejected, so that a check of a mapping just begun tells everything that is to be filled in.
type missingConstant struct {
	text string
	fail *problem
}

type boundFilter struct {
	*expression
	program *program
	reason  string
}

// Bind finds the mapping's columns in the header of a source and takes the lookups that Lookups lists, by name; those
// written in the mapping itself may be left out. The error is of type document.Faults: every column that the file does
// not have, with the nearest one it has, and every constant that a lookup does not know. One that stands in the lookup without
// an id rejects the records that need it.
func (m *Mapping) Bind(h table.Header, lookups map[string]*Lookup) (*Mapper, error) {
	b := &binder{mapping: m, columns: newColumns(h), lookups: map[string]*Lookup{}, reported: map[faultPlace]bool{}}
	b.columns.strange = !slices.ContainsFunc(m.Columns(), func(name string) bool { return len(b.columns.Find(name)) > 0 })
	for _, spec := range m.lookups {
		switch given := lookups[spec.Name]; {
		case given != nil:
			b.lookups[spec.Name] = given
		case spec.Inline != nil:
			b.lookups[spec.Name] = spec.Inline
		default:
			b.fault(spec.node, fmt.Sprintf("the lookup %q was not read", spec.Name), "")
			b.lookups[spec.Name] = NewLookup(spec.Name)
		}
	}
	b.scope = &scope{lookups: b.lookups, dates: m.columnDates()}
	if !m.options.Today.IsZero() {
		b.scope.today = m.options.Today.Format("2006-01-02")
	}
	mapper := &Mapper{mapping: m, header: h, scope: b.scope, reads: b.columns.read, passed: noRow}
	b.early = true
	mapper.key = b.field(m.key)
	mapper.skip, mapper.only = b.filters(m.skip, "filtered: "), b.filters(m.only, "filtered, not: ")
	b.early = false
	mapper.fields = b.fields(m.fields)
	mapper.proving = provingFields(mapper.fields)
	mapper.checks = planChecks(m, mapper.fields)
	mapper.checks.own = b.ownChecks(m.own)
	if err := b.faults.Err(); err != nil {
		return nil, err
	}
	return mapper, nil
}

type binder struct {
	mapping  *Mapping
	columns  *columns
	lookups  map[string]*Lookup
	scope    *scope
	faults   diagnostic.Faults
	reported map[faultPlace]bool
	early    bool // what is bound is asked before the dates of columns are proven
}

type faultPlace struct{ line, column int }

func (b *binder) fault(n *document.Node, message, hint string) {
	b.add(b.mapping.file.At(n, message, hint))
}

// add keeps a fault unless the same place has one: an alias shows the same node in several fields.
func (b *binder) add(fault diagnostic.Fault) {
	place := faultPlace{fault.Line, fault.Column}
	if !b.reported[place] {
		b.reported[place] = true
		b.faults = append(b.faults, fault)
	}
}

func (b *binder) column(ref columnRef) int {
	at, fault := b.columns.resolve(b.mapping.file, ref)
	if fault != nil {
		b.add(*fault)
	} else {
		b.columns.read[at] = true
	}
	return at
}

func (b *binder) fields(fields []*field) []*boundField {
	bound := make([]*boundField, len(fields))
	for i, f := range fields {
		bound[i] = b.field(f)
	}
	return bound
}

func (b *binder) field(f *field) *boundField {
	bound := &boundField{field: f}
	for _, ref := range f.columns {
		bound.at = append(bound.at, b.column(ref))
	}
	if f.lookup != "" {
		bound.table = b.lookups[f.lookup]
	}
	if f.expr != nil {
		bound.program = b.program(f.expr)
	}
	if f.origin == fromConstant {
		bound.always = b.constant(bound, f.constant)
	}
	if f.fallback != nil {
		bound.instead = b.constant(bound, f.fallback)
	}
	if f.items != nil {
		bound.list = b.items(f.items)
	}
	if f.components != nil {
		bound.parts = b.components(f.components)
	}
	return bound
}

func (b *binder) program(e *expression) *program {
	b.bareDates(e)
	at := make([]int, len(e.columns))
	for i, ref := range e.columns {
		at[i] = b.column(ref)
	}
	p, err := e.bind(at, b.scope)
	if err != nil {
		b.add(e.fault(b.mapping.file, err))
	}
	return p
}

func (b *binder) filters(filters []filter, why string) []*boundFilter {
	var bound []*boundFilter
	for _, f := range filters {
		bound = append(bound, &boundFilter{expression: f.expression, program: b.program(f.expression), reason: why + f.called()})
	}
	return bound
}

// constant works out a value that is the same for every row, as JSON.
func (b *binder) constant(f *boundField, n *document.Node) []byte {
	if isNull(n) {
		return []byte("null")
	}
	if n.Kind == document.List {
		out := []byte{'['}
		for _, element := range n.Content {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(out, b.scalar(f, element)...)
		}
		return append(out, ']')
	}
	out := b.scalar(f, n)
	if f.target.Type == payload.TypeGUIDs {
		return append(append([]byte{'['}, out...), ']')
	}
	return out
}

func (b *binder) scalar(f *boundField, n *document.Node) []byte {
	text := n.Value
	if !f.keepTrim {
		text = table.Trim(text)
	}
	if text == "" && f.target.Type == payload.TypeText && n.Value == "" {
		return []byte(`""`)
	}
	// A GUID stands for itself, also where the field has a lookup.
	if id, ok := guid(text); ok && f.table != nil && f.table.find == nil {
		return jsontext.AppendPlain(nil, id)
	}
	kind := table.Text
	switch f.target.Type { // a constant is written as YAML has it, whatever the source does
	case payload.TypeDate:
		kind = table.Date
	case payload.TypeNumber, payload.TypeInteger:
		kind = table.Number
	}
	out, fail := f.convert(nil, text, kind)
	switch {
	case fail.is(codeLookupUnfilled):
		f.lacking = &missingConstant{text, fail}
	case fail != nil:
		b.fault(n, fail.message, fail.hint)
	}
	return out
}
