package mapping

import (
	"fmt"
	"slices"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/mapping/date"
	"docketsync/mapping/expr"
	"docketsync/mapping/lookup"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// Mapper turns the rows under one header into records. It is for one goroutine at a time.
type Mapper struct {
	mapping   *Mapping
	header    table.Header
	scope     *expr.Scope
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
	reasons []reason.Reason
	notes   []reason.Reason
	out     []byte
	passed  passed
	// passedKey is the key of the row that passed, "" where it is to be worked out again.
	passedKey string
	twin      []byte                                     // of the key, and room behind it
	fileSums  []uint64                                   // traits of a folder's files
	trace     func(*boundField, []byte, []reason.Reason) // while Explain runs: told of every field of an entry, its value or why not
}

// boundField is a field whose columns have positions and whose constants are worked out.
type boundField struct {
	*field
	at      []int
	program *expr.Program
	table   *lookup.Table
	always  []byte           // the constant, as JSON
	instead []byte           // the default, as JSON
	lacking *missingConstant // why there is no constant, or no default, as long as a lookup waits for its id
	list    *boundItems
	parts   *boundComponents

	// What the last value was, for the checks.
	given  bool        // there was one
	source string      // the text it was made of
	column int         // where it stood, -1 for no single cell
	moment date.Moment // of dates
	note   *reason.Problem
	// Where the field's member stands in the payload; equal when it has none.
	start, end int
}

type boundFilter struct {
	*formula
	program *expr.Program
	reason  string
}

// Bind finds the mapping's columns in the header of a source and takes the lookups that Lookups lists, by name; those
// written in the mapping itself may be left out. The error is of type diagnostic.Faults: every column that the file does
// not have, with the nearest one it has, and every constant that a lookup does not know. One that stands in the lookup without
// an id rejects the records that need it.
func (m *Mapping) Bind(h table.Header, lookups map[string]*lookup.Table) (*Mapper, error) {
	b := &binder{mapping: m, columns: newColumns(h), lookups: map[string]*lookup.Table{}, reported: map[faultPlace]bool{}}
	b.columns.strange = !slices.ContainsFunc(m.Columns(), func(name string) bool { return len(b.columns.Find(name)) > 0 })
	for _, spec := range m.lookups {
		switch given := lookups[spec.Name]; {
		case given != nil:
			b.lookups[spec.Name] = given
		case spec.Inline != nil:
			b.lookups[spec.Name] = spec.Inline
		default:
			b.fault(spec.place, fmt.Sprintf("the lookup %q was not read", spec.Name), "")
			b.lookups[spec.Name] = lookup.New(spec.Name)
		}
	}
	b.scope = &expr.Scope{Lookups: b.lookups, Dates: m.columnDates()}
	if !m.options.Today.IsZero() {
		b.scope.Today = m.options.Today.Format("2006-01-02")
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
	lookups  map[string]*lookup.Table
	scope    *expr.Scope
	faults   diagnostic.Faults
	reported map[faultPlace]bool
	early    bool // what is bound is asked before the dates of columns are proven
}

type faultPlace struct{ line, column int }

func (b *binder) fault(p place, message, hint string) {
	b.add(p.fault(message, hint))
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
	at, fault := b.columns.resolve(ref)
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
		bound.always = bound.constantJSON(f.constant, b.wrong)
	}
	if f.fallback != nil {
		bound.instead = bound.constantJSON(f.fallback, b.wrong)
	}
	if f.items != nil {
		bound.list = b.items(f.items)
	}
	if f.components != nil {
		bound.parts = b.components(f.components)
	}
	return bound
}

func (b *binder) program(e *formula) *expr.Program {
	b.bareDates(e)
	at := make([]int, len(e.refs))
	for i, ref := range e.refs {
		at[i] = b.column(ref)
	}
	p, wrong := e.Bind(at, b.scope)
	if wrong != nil {
		b.fault(e.place, wrong.Message, wrong.Hint)
	}
	return p
}

// columnDates are the declarations of the columns that a date field reads alone, and under "" those of the file.
func (m *Mapping) columnDates() map[string]expr.ColumnDate {
	dates := map[string]expr.ColumnDate{"": {Reader: m.dates, Blanks: m.key.blanks}}
	for _, f := range m.fields {
		fields := []*field{f}
		if f.components != nil {
			fields = f.components.items
		}
		for _, f := range fields {
			if f.target.Type == payload.TypeDate && len(f.columns) == 1 {
				dates[f.columns[0].name] = expr.ColumnDate{Reader: f.dates, Blanks: f.blanks}
			}
		}
	}
	return dates
}

// bareDates reports date() without a pattern where the mapping declares none either. A column that a date field reads has proven
// its own when its rows are mapped, but not when the filters and the key are asked, early.
func (b *binder) bareDates(e *formula) {
	for _, call := range e.bare {
		read, own := b.scope.Dates[call.name]
		if !own {
			read = b.scope.Dates[""]
		}
		if read.Reader.Proof != date.NotInferred && (b.early || !own) {
			b.add(call.place.fault("date() has no pattern here, and dates: proven declares none",
				`write how the dates are written: date(row["…"], "DD/MM/YYYY")`))
		}
	}
}

func (b *binder) filters(filters []filter, why string) []*boundFilter {
	var bound []*boundFilter
	for _, f := range filters {
		bound = append(bound, &boundFilter{formula: f.formula, program: b.program(f.formula), reason: why + f.called()})
	}
	return bound
}

// wrong takes a constant that cannot be what its field needs.
func (b *binder) wrong(p place, fail *reason.Problem) { b.fault(p, fail.Message, fail.Hint) }

// boundItems is a list of entries bound to a header.
type boundItems struct {
	*itemsPlan
	fields  []*boundField
	split   int
	classes []int
	texts   []int
	sources []int // columns of the entry's own, to tell a row without an entry
}

func (b *binder) items(plan *itemsPlan) *boundItems {
	bound := &boundItems{itemsPlan: plan, fields: b.fields(plan.fields)}
	switch plan.mode {
	case itemsSplit:
		bound.split = b.column(plan.column)
	case itemsPairs:
		bound.classes = b.series(plan.classes)
		if plan.texts.name != "" {
			bound.texts = b.series(plan.texts)
		}
	case itemsFlags:
		bound.classes = b.series(plan.classes)
	case itemsRows:
		for _, f := range bound.fields {
			bound.sources = append(bound.sources, f.at...)
			if f.program != nil {
				bound.sources = append(bound.sources, f.program.At...)
			}
		}
	}
	return bound
}

func (b *binder) series(template columnRef) []int {
	found := b.columns.Series(template.name)
	if len(found) == 0 {
		b.add(template.place.fault(fmt.Sprintf("the file has no columns %q", template.name),
			b.columns.suggest(template.name)))
	}
	for _, column := range found {
		b.columns.read[column] = true
	}
	return found
}

// boundComponents are the components of a case with their ids.
type boundComponents struct {
	items []*boundField
	ids   []string
}

func (b *binder) components(plan *componentsPlan) *boundComponents {
	bound := &boundComponents{items: b.fields(plan.items)}
	for _, ref := range plan.names {
		id, isID := value.GUID(ref.name)
		if ids := b.lookups[plan.lookup]; ids != nil {
			if _, listed := ids.ID(ref.name); listed || !isID {
				var fail *reason.Problem
				if id, fail = ids.Find(ref.name); fail != nil {
					b.fault(ref.place, fail.Message, fail.Hint)
				}
			}
		}
		bound.ids = append(bound.ids, id)
	}
	return bound
}
