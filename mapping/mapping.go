package mapping

import (
	"slices"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/mapping/date"
	"docketsync/mapping/lookup"
	"docketsync/mapping/value"
)

// Mapping is a mapping file, checked and ready to be bound to the header of a source. It does not change and may be used
// by several goroutines.
type Mapping struct {
	options   Options
	operation payload.Operation
	scope     string
	fields    []*field // in the order of the payload; each target that is mapped
	key       *field
	order     *field      // the date by which records are sent, nil for none
	ownOrder  *field      // the same, where it is no field of the payload
	dates     date.Reader // what the file says of all dates
	skip      []filter
	only      []filter
	group     bool
	most      int
	fill      bool
	lookups   []LookupSpec
	checks    checkLevels
	own       []ownCheck
	tests     []testCase
}

// filter is an expression that leaves rows out, with the name that the mapping gives it ("" for none).
type filter struct {
	name string
	*formula
}

// LookupSpec says where the names of a lookup come from: one of a file, the ledger, a list of the service, or the mapping
// itself.
type LookupSpec struct {
	Name       string
	File       string // as written, relative to the mapping file
	Sheet      string
	NameColumn string // "" finds it
	IDColumn   string // "" finds it
	Ledger     string // scope of the records whose ids are wanted
	Service    string // name of a list of the service
	Inline     *lookup.Table
	place      place
}

// field is the plan of one target field.
type field struct {
	target payload.Field
	path   string // "files.number"
	place  place
	origin origin

	columns  []columnRef
	join     string
	constant *constant
	expr     *formula
	part     part
	split    string

	component bool // its value goes out as text, whatever its type
	blanks    *value.Blanks
	values    *valueTable
	lookup    string
	fallback  *constant // default
	unknown   unknownPolicy
	empty     emptyPolicy
	required  bool

	max      int
	truncate bool
	pattern  *value.Pattern
	keepTrim bool // white space around the text is kept
	// keepRounded takes values that look like numbers a spreadsheet has rounded.
	keepRounded bool
	digitsAlone bool // of number cells, without what their number format adds
	dates       date.Reader
	dateAs      *date.Pattern
	numbers     *value.NumberConvention // nil when none is stated
	booleans    value.Booleans

	inner      []*field // of an entry, or the components
	items      *itemsPlan
	components *componentsPlan
}

// origin is where the value of a field comes from.
type origin uint8

const (
	fromNowhere origin = iota
	fromColumns
	fromConstant
	fromExpression
	fromPart
	fromItems
	fromComponents
)

// part is a part of an entry that a cell, a pair of columns or a flag gave.
type part uint8

const (
	partNone part = iota
	partClass
	partText
)

// emptyPolicy is what an empty value becomes.
type emptyPolicy uint8

const (
	emptyOmit emptyPolicy = iota
	emptyNull
	emptyKeep
	emptyReject
)

var emptyWords = map[string]emptyPolicy{"omit": emptyOmit, "null": emptyNull, "keep": emptyKeep, "reject": emptyReject}

// unknownPolicy is what a word becomes that the field's values do not know.
type unknownPolicy uint8

const (
	unknownReject unknownPolicy = iota
	unknownKeep
	unknownDefault
	unknownEmpty
)

var unknownWords = map[string]unknownPolicy{"reject": unknownReject, "keep": unknownKeep, "default": unknownDefault, "empty": unknownEmpty}

// Operation is what the mapping's rows become.
func (m *Mapping) Operation() payload.Operation { return m.operation }

// Scope is the name under which the ledger remembers the mapping's records: the operation unless the file says otherwise.
func (m *Mapping) Scope() string { return m.scope }

// Grouped tells whether several rows with one key make one record.
func (m *Mapping) Grouped() bool { return m.group }

// MostRows is how many rows may be of one key.
func (m *Mapping) MostRows() int { return m.most }

// Lookups lists the lookups that the file declares, in its order. Those with Inline are complete; for the others the caller
// makes a Lookup and hands it to Bind.
func (m *Mapping) Lookups() []LookupSpec { return m.lookups }

// Columns lists the columns that the mapping names, as it names them, each once. Columns counted by # are not among them.
func (m *Mapping) Columns() []string {
	var names []string
	for _, ref := range m.columnRefs() {
		if !slices.Contains(names, ref.name) {
			names = append(names, ref.name)
		}
	}
	return names
}

func (m *Mapping) columnRefs() []columnRef {
	refs := m.key.columnRefs()
	for _, f := range slices.Concat(m.skip, m.only) {
		refs = append(refs, f.refs...)
	}
	for _, f := range m.dated() {
		refs = append(refs, f.columnRefs()...)
	}
	for _, check := range m.own {
		refs = append(refs, check.refs...)
	}
	return refs
}

// columnRefs are the columns that a field names itself.
func (f *field) columnRefs() []columnRef {
	refs := slices.Clone(f.columns)
	if f.expr != nil {
		refs = append(refs, f.expr.refs...)
	}
	if f.items != nil && f.items.mode == itemsSplit {
		refs = append(refs, f.items.column)
	}
	return refs
}

// withInner lists fields, each with those of its entries or components behind it.
func withInner(fields []*field) []*field {
	var all []*field
	for _, f := range fields {
		all = append(append(all, f), f.inner...)
	}
	return all
}

// LookupOf returns the lookup that a field goes through, by the field's path as reasons have it
// ("files.number"); false when it has none.
func (m *Mapping) LookupOf(path string) (LookupSpec, bool) {
	for _, f := range withInner(m.fields) {
		for _, spec := range m.lookups {
			if f.path == path && spec.Name == f.lookup && f.lookup != "" {
				return spec, true
			}
		}
	}
	return LookupSpec{}, false
}

// Options are what an installation's configuration says that changes what payloads may carry, and the date of the run.
type Options struct {
	// Switches are those of the service.
	Switches payload.Switches
	// Today is the calendar day that checks and expressions go by; zero leaves out the checks that need it.
	Today time.Time
	// Lists are the names of the service's lists that the configuration has; nil where nobody knows.
	Lists []string
}
