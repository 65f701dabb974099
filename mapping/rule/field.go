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

// Field is what the file says about one target field.
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

	Component bool // its value is sent as text, whatever its type
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
	KeepTrim bool // keep white space around the text
	// NumbersTurned imports the field's numbers that can be read as declared, even if many others seem to have the
	// separators exchanged.
	NumbersTurned bool
	// KeepRounded accepts values that look like numbers rounded by a spreadsheet.
	KeepRounded bool
	DigitsAlone bool // take number cells without what their number format adds
	Dates       date.Reader
	DateAs      *date.Pattern
	Numbers     *value.NumberConvention // nil if none is declared
	Booleans    value.Booleans

	Inner      []*Field // of an entry, or the components
	Items      *Items
	Components *Components
}

// Origin says where the value of a field comes from.
type Origin uint8

const (
	FromNowhere Origin = iota
	FromColumns
	FromConstant
	FromExpression
	FromPart
	FromItems
	FromComponents
)

// Part is a part of an entry that came from a cell, a pair of columns or a flag.
type Part uint8

const (
	PartNone Part = iota
	PartClass
	PartText
)

// EmptyPolicy says what an empty value becomes.
type EmptyPolicy uint8

// The policies are named after the lower-case words of the file.
const (
	EmptyOmit EmptyPolicy = iota
	EmptyNull
	EmptyKeep
	EmptyReject
)

// UnknownPolicy says what becomes of a word that the field's values do not list.
type UnknownPolicy uint8

// The policies are named after the lower-case words of the file.
const (
	UnknownReject UnknownPolicy = iota
	UnknownKeep
	UnknownDefault
	UnknownEmpty
)

// ColumnRefs returns the columns that the field itself names.
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

// From says in one word where the field comes from.
func (f *Field) From() string {
	if f.Origin == FromColumns && len(f.Columns) == 1 {
		return "column"
	}
	return [...]string{FromNowhere: "nothing", FromColumns: "columns", FromConstant: "constant", FromExpression: "expression", FromPart: "part",
		FromItems: "entries", FromComponents: "components"}[f.Origin]
}

// Called returns the name for the field in messages: its column if it has exactly one, otherwise its path.
func (f *Field) Called() string {
	if len(f.Columns) == 1 {
		return fmt.Sprintf("the column %q", f.Columns[0].Name)
	}
	return f.Path
}

// Infers reports whether the patterns of the field's dates come from the whole column.
func (f *Field) Infers() bool {
	return f.Target.Type == payload.TypeDate && f.Dates.Proof == date.ToInfer && f.Origin != FromConstant
}

// ShownTypes are the types that take a number cell as its sheet shows it. All others take its digits.
var ShownTypes = []payload.Type{payload.TypeText, payload.TypeURL, payload.TypeGUID, payload.TypeGUIDs}

// TakesShown reports whether the field takes a number cell as its sheet shows it.
func (f *Field) TakesShown() bool {
	return !f.DigitsAlone && slices.Contains(ShownTypes, f.Target.Type)
}

// ItemsMode says how rows become the entries of a list.
type ItemsMode uint8

const (
	ItemsRows  ItemsMode = iota // each row of the record is one entry
	ItemsSplit                  // one cell holds all entries
	ItemsPairs                  // numbered columns
	ItemsFlags                  // numbered columns that only say whether a class applies
	ItemsNone                   // always the empty list
)

// Items says how rows become the entries of goods and services, or of files.
type Items struct {
	Mode    ItemsMode
	Column  Column // for ItemsSplit
	Entries string // for ItemsSplit: the separator between entries
	Class   string // for ItemsSplit: the separator between class and text
	Classes Column // template for ItemsPairs and ItemsFlags
	Texts   Column // template for ItemsPairs
}

// Components says how the names of update_case components become ids.
type Components struct {
	Lookup string
	Names  []Column // the name of each component, with its place
}

// TypeJSON is the type of a component whose value is JSON, which the service takes as text.
const TypeJSON payload.Type = "JSON"

// Values is the values: of a field: what each word of a column becomes.
type Values struct {
	Exact  map[string]Outcome
	Folded map[string]Outcome
	Words  []string
}

// Outcome is what a word becomes. Empty means no value.
type Outcome struct {
	Text  string
	Empty bool
}

// Find returns what a word becomes, and false if the file does not list the word.
func (t *Values) Find(text string) (Outcome, bool) {
	if found, ok := t.Exact[text]; ok {
		return found, true
	}
	found, ok := t.Folded[table.Fold(text)]
	return found, ok
}

// Unknown returns the reason for rejecting a word that the file does not list.
func (t *Values) Unknown(text string) *reason.Problem {
	if near := diagnostic.Nearest(text, t.Words); near != "" {
		return reason.New(reason.ValueNear, text, reason.QuoteAll(t.Words), strconv.Quote(near))
	}
	return reason.New(reason.ValueUnknown, text, reason.QuoteAll(t.Words))
}
