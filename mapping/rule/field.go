package rule

import (
	"fmt"
	"slices"
	"strconv"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/mapping/date"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// Field is what the file says of one target field.
type Field struct {
	Target payload.Field
	Path   string // "files.number"
	Place  Place
	Origin Origin

	Columns  []Column
	Join     string
	Constant *Constant
	Expr     *Formula
	Part     Part
	Split    string

	Component bool // its value goes out as text, whatever its type
	Blanks    *value.Blanks
	Values    *Values
	Lookup    string
	Fallback  *Constant // default
	Unknown   UnknownPolicy
	Empty     EmptyPolicy
	Required  bool

	Max      int
	Truncate bool
	Pattern  *value.Pattern
	KeepTrim bool // white space around the text is kept
	// NumbersTurned imports those of the field's numbers that can be read as declared, also where many of the others are written the other way round.
	NumbersTurned bool
	// KeepRounded takes values that look like numbers a spreadsheet has rounded.
	KeepRounded bool
	DigitsAlone bool // of number cells, without what their number format adds
	Dates       date.Reader
	DateAs      *date.Pattern
	Numbers     *value.NumberConvention // nil when none is stated
	Booleans    value.Booleans

	Inner      []*Field // of an entry, or the components
	Items      *Items
	Components *Components
}

// Origin is where the value of a field comes from.
type Origin uint8

// The origins.
const (
	FromNowhere Origin = iota
	FromColumns
	FromConstant
	FromExpression
	FromPart
	FromItems
	FromComponents
)

// Part is a part of an entry that a cell, a pair of columns or a flag gave.
type Part uint8

// The parts.
const (
	PartNone Part = iota
	PartClass
	PartText
)

// EmptyPolicy is what an empty value becomes.
type EmptyPolicy uint8

// The policies, by the words of the file in lower case.
const (
	EmptyOmit EmptyPolicy = iota
	EmptyNull
	EmptyKeep
	EmptyReject
)

// UnknownPolicy is what a word becomes that the field's values do not know.
type UnknownPolicy uint8

// The policies, by the words of the file in lower case.
const (
	UnknownReject UnknownPolicy = iota
	UnknownKeep
	UnknownDefault
	UnknownEmpty
)

// ColumnRefs are the columns that a field names itself.
func (f *Field) ColumnRefs() []Column {
	refs := slices.Clone(f.Columns)
	if f.Expr != nil {
		refs = append(refs, f.Expr.Refs...)
	}
	if f.Items != nil && f.Items.Mode == ItemsSplit {
		refs = append(refs, f.Items.Column)
	}
	return refs
}

// From says in a word where a field comes from.
func (f *Field) From() string {
	if f.Origin == FromColumns && len(f.Columns) == 1 {
		return "column"
	}
	return [...]string{FromNowhere: "nothing", FromColumns: "columns", FromConstant: "constant", FromExpression: "expression", FromPart: "part",
		FromItems: "entries", FromComponents: "components"}[f.Origin]
}

// Called names what a field is made of: its column, or itself.
func (f *Field) Called() string {
	if len(f.Columns) == 1 {
		return fmt.Sprintf("the column %q", f.Columns[0].Name)
	}
	return f.Path
}

// Infers tells whether the patterns of the field's dates come from the whole column.
func (f *Field) Infers() bool {
	return f.Target.Type == payload.TypeDate && f.Dates.Proof == date.ToInfer && f.Origin != FromConstant
}

// ShownTypes are the types that take a number cell as its sheet shows it; to all others a number is its digits.
var ShownTypes = []payload.Type{payload.TypeText, payload.TypeURL, payload.TypeGUID, payload.TypeGUIDs}

// TakesShown tells whether the field takes a number cell as its sheet shows it.
func (f *Field) TakesShown() bool {
	return !f.DigitsAlone && slices.Contains(ShownTypes, f.Target.Type)
}

// ItemsMode is how the entries of a list come out of rows.
type ItemsMode uint8

// The modes.
const (
	ItemsRows  ItemsMode = iota // each row of the record is one entry
	ItemsSplit                  // one cell holds all
	ItemsPairs                  // counted columns
	ItemsFlags                  // counted columns that only say whether a class applies
	ItemsNone                   // [], never any
)

// Items is how the entries of goods and services, or of files, come out of rows.
type Items struct {
	Mode    ItemsMode
	Column  Column // of ItemsSplit
	Entries string // of ItemsSplit: between entries
	Class   string // of ItemsSplit: between class and text
	Classes Column // template of ItemsPairs and ItemsFlags
	Texts   Column // template of ItemsPairs
}

// Components is how the components of update_case go by their ids.
type Components struct {
	Lookup string
	Names  []Column // of each: its name and where that stands
}

// TypeJSON is the type of a component whose value is JSON, which the service takes as text.
const TypeJSON payload.Type = "JSON"

// Values is the values: of a field: what the words of a column become.
type Values struct {
	Exact  map[string]Outcome
	Folded map[string]Outcome
	Words  []string
}

// Outcome is what a word becomes; empty stands for no value.
type Outcome struct {
	Text  string
	Empty bool
}

// Find gives what a word becomes; false for one that the file does not list.
func (t *Values) Find(text string) (Outcome, bool) {
	if found, ok := t.Exact[text]; ok {
		return found, true
	}
	found, ok := t.Folded[table.Fold(text)]
	return found, ok
}

// Unknown is the reason against a word that the file does not list.
func (t *Values) Unknown(text string) *reason.Problem {
	if near := diagnostic.Nearest(text, t.Words); near != "" {
		return reason.New(reason.ValueNear, text, reason.QuoteAll(t.Words), strconv.Quote(near))
	}
	return reason.New(reason.ValueUnknown, text, reason.QuoteAll(t.Words))
}
