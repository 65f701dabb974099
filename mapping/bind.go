package mapping

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/mapping/date"
	"docketsync/mapping/expr"
	"docketsync/mapping/lookup"
	"docketsync/mapping/reason"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// Mapper turns the rows under one header into records. Only one goroutine may use it at a time.
type Mapper struct {
	mapping   *Mapping
	header    table.Header
	key       *boundField
	order     *boundField // nil if there is none
	skip      []*boundFilter
	only      []*boundFilter
	fields    []*boundField
	every     []*boundField // the fields, each followed by those of its entries or components
	reads     []bool        // by column: whether the mapping reads it
	filling   []int         // see fillsFilters
	folded    []string      // the names of the header
	keyed     []int         // the columns that the key is made of
	checks    checkPlan
	respelled respelled

	// The fields below belong to the current record.
	rows    []table.Row
	row     *table.Row
	above   above
	asked   table.Row // the row given to Key, kept here so that Key does not allocate
	entry   entry
	quiet   bool // an empty value is not a reason yet
	reasons []reason.Reason
	notes   []reason.Reason
	out     []byte
	passed  passed
	// passedKey is the key of the row that passed, or "" if it must be worked out again.
	passedKey string
	twin      []byte                                     // of the key, with spare capacity
	fileSums  []uint64                                   // traits of a folder's files
	trace     func(*boundField, []byte, []reason.Reason) // set while Explain runs: receives every field of an entry, with its value or the reasons for none
}

// boundField is a field whose columns have positions and whose constants are resolved.
type boundField struct {
	*rule.Field
	at      []int
	program *expr.Program
	table   *lookup.Table
	always  []byte                // the constant, as JSON
	instead []byte                // the default, as JSON
	lacking *rule.MissingConstant // why there is no constant or no default yet: a lookup has no id for it
	inner   []*boundField         // of an entry, or the components
	list    *boundItems
	ids     []string // of the components

	readings table.Readings // of all rows that were mapped

	said // by the row read last, for the checks
	// The position of the field's member in the payload; start equals end if it has none.
	start, end int
}

// said is what one row says about a field.
type said struct {
	given  bool        // there is a value
	source string      // the text it was made of
	column int         // where it stood, -1 if not in a single cell
	moment date.Moment // for dates
}

type boundFilter struct {
	*rule.Formula
	program *expr.Program
	reason  string
}

// Bind finds the mapping's columns in the header of a source and takes the lookups that Lookups returns, by name;
// inline lookups may be left out. The error is of type diagnostic.Faults: every column that the file does not have,
// with the nearest one that it has, and every constant that a lookup does not know. A constant that the lookup has
// without an id is no fault; it rejects the records that need it.
func (m *Mapping) Bind(h table.Header, lookups map[string]*lookup.Table) (*Mapper, error) {
	b := &binder{columns: rule.NewColumns(h), lookups: map[string]*lookup.Table{}}
	b.columns.Strange = !slices.ContainsFunc(m.Columns(), func(name string) bool { return len(b.columns.Find(name)) > 0 })
	for _, spec := range m.rules.Lookups {
		switch given := lookups[spec.Name]; {
		case given != nil:
			b.lookups[spec.Name] = given
		case spec.Inline != nil:
			b.lookups[spec.Name] = spec.Inline
		default:
			b.add(spec.Place.Fault(fmt.Sprintf("the lookup %q was not read", spec.Name), ""))
			b.lookups[spec.Name] = lookup.New(spec.Name)
		}
	}
	b.scope = &expr.Scope{Lookups: b.lookups, Dates: m.columnDates()}
	if !m.rules.Options.Today.IsZero() {
		b.scope.Today = m.rules.Options.Today.Format("2006-01-02")
	}
	mapper := &Mapper{mapping: m, header: h, reads: b.columns.Read, passed: noRow}
	b.early = true
	mapper.key = b.field(m.rules.Key)
	mapper.skip, mapper.only = b.filters(m.rules.Skip, "filtered: "), b.filters(m.rules.Only, "filtered, not: ")
	b.early = false
	mapper.fields = b.fields(m.rules.Fields)
	for _, f := range mapper.fields {
		mapper.every = append(append(mapper.every, f), f.inner...)
	}
	mapper.filling = mapper.fillsFilters()
	mapper.keyed = mapper.key.reads()
	for _, name := range h.Names {
		mapper.folded = append(mapper.folded, table.FoldName(name))
	}
	mapper.order = b.order(m, mapper)
	mapper.checks = planChecks(m, mapper.fields)
	mapper.checks.own = b.ownChecks(m.rules.Checks)
	if err := b.faults.Err(); err != nil {
		return nil, err
	}
	return mapper, nil
}

// Missing returns the faults of Bind for columns that the mapping names and the header does not have. It works for a
// draft too.
func (m *Mapping) Missing(h table.Header) diagnostic.Faults {
	b := &binder{columns: rule.NewColumns(h)}
	for _, ref := range m.columnRefs() {
		if ref.Place.Line > 0 {
			b.column(ref)
		}
	}
	return b.faults
}

type binder struct {
	columns *rule.Columns
	lookups map[string]*lookup.Table
	scope   *expr.Scope
	faults  diagnostic.Faults
	early   bool // the parts being bound run before the dates of columns are proven
}

// add keeps a fault unless there is one for the same place, because with a YAML alias several fields share a node. It
// keeps each message about a sheet of rejected rows once, because its header is to be corrected, not the places in the
// mapping.
func (b *binder) add(fault diagnostic.Fault) {
	if !slices.ContainsFunc(b.faults, func(f diagnostic.Fault) bool {
		return f.File == fault.File && f.Line == fault.Line && f.Column == fault.Column || b.columns.Rejects() && f.Message == fault.Message
	}) {
		b.faults = append(b.faults, fault)
	}
}

func (b *binder) column(ref rule.Column) int {
	at, fault := b.columns.Resolve(ref)
	if fault != nil {
		b.add(*fault)
	} else {
		b.columns.Read[at] = true
	}
	return at
}

func (b *binder) fields(fields []*rule.Field) []*boundField {
	bound := make([]*boundField, len(fields))
	for i, f := range fields {
		bound[i] = b.field(f)
	}
	return bound
}

// order finds the field whose date decides the order of the records. A field of the order's own is added to the fields
// that are read.
func (b *binder) order(m *Mapping, mapper *Mapper) *boundField {
	if m.rules.OwnOrder != nil {
		own := b.field(m.rules.OwnOrder)
		mapper.every = append(mapper.every, own)
		return own
	}
	for _, f := range mapper.fields {
		if f.Field == m.rules.Order {
			return f
		}
	}
	return nil
}

func (b *binder) field(f *rule.Field) *boundField {
	bound := &boundField{Field: f, inner: b.fields(f.Inner)}
	if f.Lookup != "" {
		bound.table = b.lookups[f.Lookup]
	}
	for _, ref := range f.Columns {
		bound.at = append(bound.at, b.column(ref))
	}
	if f.Expr != nil {
		bound.program = b.program(f.Expr)
	}
	if f.Origin == rule.FromConstant {
		bound.always, bound.lacking = f.ConstantJSON(f.Constant, bound.table, b.wrong)
	}
	if f.Fallback != nil {
		bound.instead, bound.lacking = f.ConstantJSON(f.Fallback, bound.table, b.wrong)
	}
	if f.Items != nil {
		bound.list = b.items(f.Items, bound.inner)
	}
	if f.Components != nil {
		bound.ids = b.componentIDs(f.Components)
	}
	return bound
}

func (b *binder) program(e *rule.Formula) *expr.Program {
	b.bareDates(e)
	at := make([]int, len(e.Refs))
	for i, ref := range e.Refs {
		at[i] = b.column(ref)
	}
	p, wrong := e.Bind(at, b.scope)
	if wrong != nil {
		b.add(e.Place.Fault(wrong.Message, wrong.Hint))
	}
	return p
}

// columnDates returns the date declarations of the columns that a date field reads alone, and under "" the declaration
// of the file.
func (m *Mapping) columnDates() map[string]expr.ColumnDate {
	dates := map[string]expr.ColumnDate{"": {Reader: m.rules.Dates, Blanks: m.rules.Key.Blanks}}
	for _, f := range m.dated() {
		if f.Target.Type == payload.TypeDate && len(f.Columns) == 1 {
			dates[f.Columns[0].Name] = expr.ColumnDate{Reader: f.Dates, Blanks: f.Blanks}
		}
	}
	return dates
}

// bareDates reports date() without a pattern if the mapping declares none either. A column that a date field reads has
// its patterns proven before its rows are mapped, but not yet when the filters and the key run (early).
func (b *binder) bareDates(e *rule.Formula) {
	for _, call := range e.BareDates {
		read, own := b.scope.Dates[call.Name]
		if !own {
			read = b.scope.Dates[""]
		}
		if read.Reader.Proof != date.NotInferred && (b.early || !own) {
			b.add(call.Place.Fault("date() requires a pattern with dates: proven",
				`add the pattern: date(row["…"], "DD/MM/YYYY")`))
		}
	}
}

func (b *binder) filters(filters []rule.Filter, why string) []*boundFilter {
	var bound []*boundFilter
	for _, f := range filters {
		bound = append(bound, &boundFilter{f.Formula, b.program(f.Formula), why + cmp.Or(f.Name, reason.Clip(f.Text, 80))})
	}
	return bound
}

// wrong reports a constant that its field cannot use.
func (b *binder) wrong(p rule.Place, fail *reason.Problem) { b.add(p.Fault(fail.Message, fail.Hint)) }

// boundItems says where the entries of a list stand.
type boundItems struct {
	split   int
	numbers []int // of the numbered columns
	classes []int
	texts   []int
	sources []int // columns of the entry itself, to recognize a row without an entry
}

func (b *binder) items(plan *rule.Items, inner []*boundField) *boundItems {
	bound := &boundItems{}
	switch plan.Mode {
	case rule.ItemsSplit:
		bound.split = b.column(plan.Column)
	case rule.ItemsPairs, rule.ItemsFlags:
		bound.numbers, bound.classes = b.series(plan.Classes, plan.Mode)
		if plan.Texts.Name != "" {
			var numbers []int
			numbers, bound.texts = b.series(plan.Texts, plan.Mode)
			b.paired(plan, bound.numbers, numbers)
		}
	case rule.ItemsRows:
		for _, f := range inner {
			bound.sources = append(bound.sources, f.reads()...)
		}
	}
	return bound
}

// series finds numbered columns. For flags each column has its class number in its name, so columns that all have the
// same name do not count.
func (b *binder) series(template rule.Column, mode rule.ItemsMode) (numbers, columns []int) {
	found := b.columns.Series(template.Name)
	if mode == rule.ItemsPairs {
		found = b.columns.Repeated(template.Name, found)
	}
	if len(found) == 0 {
		b.add(template.Place.Fault(fmt.Sprintf("the file has no columns %q", template.Name),
			b.columns.Suggest(template.Name)))
	}
	for i, c := range found {
		if i > 0 && found[i-1].Number == c.Number {
			b.add(template.Place.Fault(fmt.Sprintf("the file has two columns %q of the number %d", template.Name, c.Number), "give each a number of its own, or remove one"))
		}
		b.columns.Read[c.Column] = true
		numbers, columns = append(numbers, c.Number), append(columns, c.Column)
	}
	return numbers, columns
}

// paired reports a class column without a column for its goods, and the other way round.
func (b *binder) paired(plan *rule.Items, classes, texts []int) {
	lone := func(numbers, others []int, has, lacks rule.Column) {
		for _, n := range numbers {
			if len(others) > 0 && !slices.Contains(others, n) {
				number := strconv.Itoa(n)
				b.add(lacks.Place.Fault(fmt.Sprintf("the file has a column %q but no %q", strings.ReplaceAll(has.Name, "#", number), strings.ReplaceAll(lacks.Name, "#", number)),
					"add the other column, empty if need be, or rename this one if it is none of a pair"))
			}
		}
	}
	lone(classes, texts, plan.Classes, plan.Texts)
	lone(texts, classes, plan.Texts, plan.Classes)
}

// componentIDs finds the ids of components by their names.
func (b *binder) componentIDs(plan *rule.Components) []string {
	var all []string
	for _, ref := range plan.Names {
		id, isID := value.GUID(ref.Name)
		if ids := b.lookups[plan.Lookup]; ids != nil {
			if _, listed := ids.ID(ref.Name); listed || !isID {
				var fail *reason.Problem
				if id, fail = ids.Find(ref.Name); fail != nil {
					b.wrong(ref.Place, fail)
				}
			}
		}
		all = append(all, id)
	}
	return all
}
