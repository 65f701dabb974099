package mapping

import (
	"cmp"
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
	order     *boundField // nil for none
	skip      []*boundFilter
	only      []*boundFilter
	fields    []*boundField
	every     []*boundField // the fields, each with those of its entries or components behind it
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
	trace     func(*boundField, []byte, []reason.Reason) // while Explain runs: receives every field of an entry, its value or why not
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
	inner   []*boundField    // of an entry, or the components
	list    *boundItems
	ids     []string // of the components

	said // by the row read last, for the checks
	// Where the field's member stands in the payload; equal when it has none.
	start, end int
}

// said is what one row says about a field.
type said struct {
	given  bool        // there is a value
	source string      // the text it was made of
	column int         // where it stood, -1 for no single cell
	moment date.Moment // of dates
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
	b := &binder{mapping: m, columns: newColumns(h), lookups: map[string]*lookup.Table{}, reported: map[[2]int]bool{}}
	b.columns.strange = !slices.ContainsFunc(m.Columns(), func(name string) bool { return len(b.columns.Find(name)) > 0 })
	for _, spec := range m.lookups {
		switch given := lookups[spec.Name]; {
		case given != nil:
			b.lookups[spec.Name] = given
		case spec.Inline != nil:
			b.lookups[spec.Name] = spec.Inline
		default:
			b.add(spec.place.fault(fmt.Sprintf("the lookup %q was not read", spec.Name), ""))
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
	for _, f := range mapper.fields {
		mapper.every = append(append(mapper.every, f), f.inner...)
	}
	mapper.order = b.order(m, mapper)
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
	reported map[[2]int]bool // by line and column
	early    bool            // what is bound is asked before the dates of columns are proven
}

// add keeps a fault unless the same place has one: an alias shows the same node in several fields.
func (b *binder) add(fault diagnostic.Fault) {
	place := [2]int{fault.Line, fault.Column}
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

// order finds the field by whose date records are sent. One of its own is among all that are read.
func (b *binder) order(m *Mapping, mapper *Mapper) *boundField {
	if m.ownOrder != nil {
		own := b.field(m.ownOrder)
		mapper.every = append(mapper.every, own)
		return own
	}
	for _, f := range mapper.fields {
		if f.field == m.order {
			return f
		}
	}
	return nil
}

func (b *binder) field(f *field) *boundField {
	bound := &boundField{field: f, inner: b.fields(f.inner)}
	if f.lookup != "" {
		bound.table = b.lookups[f.lookup]
	}
	for _, ref := range f.columns {
		bound.at = append(bound.at, b.column(ref))
	}
	if f.expr != nil {
		bound.program = b.program(f.expr)
	}
	if f.origin == fromConstant {
		bound.always, bound.lacking = f.constantJSON(f.constant, bound.table, b.wrong)
	}
	if f.fallback != nil {
		bound.instead, bound.lacking = f.constantJSON(f.fallback, bound.table, b.wrong)
	}
	if f.items != nil {
		bound.list = b.items(f.items, bound.inner)
	}
	if f.components != nil {
		bound.ids = b.componentIDs(f.components)
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
		b.add(e.place.fault(wrong.Message, wrong.Hint))
	}
	return p
}

// columnDates are the declarations of the columns that a date field reads alone, and under "" those of the file.
func (m *Mapping) columnDates() map[string]expr.ColumnDate {
	dates := map[string]expr.ColumnDate{"": {Reader: m.dates, Blanks: m.key.blanks}}
	for _, f := range m.dated() {
		if f.target.Type == payload.TypeDate && len(f.columns) == 1 {
			dates[f.columns[0].name] = expr.ColumnDate{Reader: f.dates, Blanks: f.blanks}
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
			b.add(call.place.fault("date() requires a pattern with dates: proven",
				`add the pattern: date(row["…"], "DD/MM/YYYY")`))
		}
	}
}

func (b *binder) filters(filters []filter, why string) []*boundFilter {
	var bound []*boundFilter
	for _, f := range filters {
		bound = append(bound, &boundFilter{f.formula, b.program(f.formula), why + cmp.Or(f.name, reason.Clip(f.Text, 80))})
	}
	return bound
}

// wrong takes a constant that cannot be what its field needs.
func (b *binder) wrong(p place, fail *reason.Problem) { b.add(p.fault(fail.Message, fail.Hint)) }

// boundItems is where the entries of a list stand.
type boundItems struct {
	split   int
	classes []int
	texts   []int
	sources []int // columns of the entry's own, to tell a row without an entry
}

func (b *binder) items(plan *itemsPlan, inner []*boundField) *boundItems {
	bound := &boundItems{}
	switch plan.mode {
	case itemsSplit:
		bound.split = b.column(plan.column)
	case itemsPairs, itemsFlags:
		bound.classes = b.series(plan.classes)
		if plan.texts.name != "" {
			bound.texts = b.series(plan.texts)
		}
	case itemsRows:
		for _, f := range inner {
			bound.sources = append(bound.sources, f.reads()...)
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

// componentIDs finds the ids of components by their names.
func (b *binder) componentIDs(plan *componentsPlan) []string {
	var all []string
	for _, ref := range plan.names {
		id, isID := value.GUID(ref.name)
		if ids := b.lookups[plan.lookup]; ids != nil {
			if _, listed := ids.ID(ref.name); listed || !isID {
				var fail *reason.Problem
				if id, fail = ids.Find(ref.name); fail != nil {
					b.wrong(ref.place, fail)
				}
			}
		}
		all = append(all, id)
	}
	return all
}
