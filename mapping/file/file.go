// Package file reads mapping files. It turns YAML into the rules that a mapper runs, or reports every mistake that can
// be found without the header of a source: all at once, each with its line, its column and what to do. Rows are mapped
// without looking at the file again; everything needed to find mistakes is in this package alone.
//
//	form.go    what may be written, with the descriptions that editors show
//	file.go    the compiler, and settings for all fields
//	field.go   fields, by the targets of the operation
//	origin.go  where a field's value comes from, and the key
//	step.go    how the value is converted
//	items.go   lists of entries, and components
//
// lookup.go, order.go, check.go and test.go read the blocks of these names.
//
// A mistake does not stop the reading: the rules are read as far as possible, so that a caller who has the source's
// header can find the mistakes that show only there. The package imports rule and the packages below it. Only mapping
// imports it; others call mapping.Parse.
package file

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/config/document"
	"docketsync/mapping/date"
	"docketsync/mapping/expr"
	"docketsync/mapping/reason"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// Read reads a mapping file; faults call it by name. The error is of type diagnostic.Faults. With it come the rules as
// far as the mistakes allow, or nil if nothing could be read.
func Read(name string, data []byte, o rule.Options) (*rule.Rules, error) {
	f, err := document.Parse(name, data)
	if err != nil {
		return nil, err
	}
	c := &compiler{file: f, options: o}
	m := c.rules()
	return m, c.faults.Err()
}

// compiler makes the rules of a file and collects every fault.
type compiler struct {
	file    *document.File
	options rule.Options
	faults  diagnostic.Faults
	form    mappingForm
	lookups []rule.Lookup
	names   []string // of the lookups
	dates   date.Reader
	numbers *value.NumberConvention
	words   value.Booleans
	blanks  *value.Blanks
	empty   rule.EmptyPolicy
	today   bool // an expression uses today
}

func (c *compiler) fault(n *document.Node, message, hint string) {
	c.faults = append(c.faults, c.file.At(n, message, hint))
}

func (c *compiler) faultAt(p rule.Place, message, hint string) {
	c.faults = append(c.faults, p.Fault(message, hint))
}

// inside returns the place of a scalar after its opening quote.
func (c *compiler) inside(n *document.Node) rule.Place {
	return rule.Place(c.file.AtOffset(n, 0, "", ""))
}

func (c *compiler) place(n *document.Node) rule.Place { return rule.Place(c.file.At(n, "", "")) }

// decode fills a form and keeps the faults.
func (c *compiler) decode(n *document.Node, into any) bool {
	faults := c.file.Decode(n, into)
	c.faults = append(c.faults, faults...)
	return len(faults) == 0
}

// pairs returns the keys and values of a block. Anything else is a fault, and has none.
func (c *compiler) pairs(n *document.Node, expected string) iter.Seq2[*document.Node, *document.Node] {
	if n.Kind != document.Block {
		c.faults = append(c.faults, c.file.Expected(n, expected))
	}
	return document.Pairs(n)
}

// misspelt reports whether a block has an unknown key that is probably meant to be this one. That fault has then been
// reported already.
func (c *compiler) misspelt(n *document.Node, key string, known []string) bool {
	for written := range document.Pairs(n) {
		if !slices.Contains(known, written.Value) && diagnostic.Nearest(written.Value, known) == key {
			return true
		}
	}
	return false
}

func (c *compiler) rules() *rule.Rules {
	if c.file.Root() == nil {
		c.fault(nil, "the mapping file is empty", "start it with operation:, key: and fields:")
		return nil
	}
	c.decode(c.file.Root(), &c.form)
	if n := c.form.Extends.Node; n != nil && !c.file.HasBase() {
		if n.Kind != document.Scalar {
			return nil // the fault has been reported
		}
		c.fault(n, "the base of this mapping is not read here", "edit both files with a text editor, and check them with docketsync check")
		return nil
	}
	m := &rule.Rules{Options: c.options, Fill: c.form.Rows.Fill, Filled: c.form.Rows.Filled, Group: c.form.Rows.Group, MostRows: c.mostRows()}
	c.operation(m)
	c.readLookups()
	m.Lookups = c.lookups
	c.defaults()
	m.Dates = c.dates
	c.readKey(m)
	m.Skip, m.Only = c.filters(c.form.Rows.Skip), c.filters(c.form.Rows.Only)
	c.readFields(m)
	for _, f := range m.Fields {
		m.Group = m.Group || f.Items != nil && f.Items.Mode == rule.ItemsRows
	}
	c.readOrder(m)
	m.Levels, m.Checks = c.readChecks(m.Operation)
	m.Tests = c.readTests()
	m.AsksToday = c.today
	return m
}

// mostRowsPerRecord is the default maximum number of rows with one key.
const mostRowsPerRecord = 20_000

func (c *compiler) mostRows() int {
	most := c.form.Rows.Most
	switch {
	case most == nil:
		return mostRowsPerRecord
	case *most < 1:
		c.fault(document.Member(document.Member(c.file.Root(), "rows"), "max_per_record"), fmt.Sprintf("max_per_record is %d", *most), "use 1 or more")
	}
	return *most
}

func (c *compiler) operation(m *rule.Rules) {
	w := c.form.Operation
	known := make([]string, len(payload.Operations))
	for i, op := range payload.Operations {
		known[i] = string(op)
	}
	switch op := payload.Operation(w.Text); {
	case !w.Given() && c.misspelt(c.file.Root(), "operation", document.Keys(c.form)):
	case !w.Given():
		c.fault(c.file.Root(), "operation is required", "set operation: to one of "+strings.Join(known, ", "))
	case !slices.Contains(payload.Operations, op):
		c.fault(w.Node, fmt.Sprintf("unknown operation %q", w.Text), diagnostic.Suggest(w.Text, known))
	default:
		m.Operation = op
	}
	m.Scope = string(m.Operation)
	if c.form.Scope.Given() {
		m.Scope = table.Trim(c.form.Scope.Text)
		if m.Scope == "" {
			c.fault(c.form.Scope.Node, "the scope is empty", "remove it, or set a name")
		}
	}
}

// defaults reads the settings for all fields.
func (c *compiler) defaults() {
	c.blanks = value.NewBlanks(c.form.Blanks.Texts())
	c.dates = c.dateReader(c.form.Dates, c.form.Pivot, c.form.Zone, date.Reader{}, c.file.Root())
	c.dates.Turned = c.acceptsTurned(c.form.Turned, false)
	if c.form.Numbers.Given() {
		c.numbers = c.numberConvention(c.form.Numbers)
	}
	if yes, no := c.form.Booleans.Yes, c.form.Booleans.No; len(yes)+len(no) > 0 {
		c.words = c.booleanWords(yes, no)
	}
	if c.form.Empty != nil {
		c.empty = c.emptyPolicy(c.form.Empty)
	}
}

var emptyWords = map[string]rule.EmptyPolicy{"omit": rule.EmptyOmit, "null": rule.EmptyNull, "keep": rule.EmptyKeep, "reject": rule.EmptyReject}

// emptyPolicy reads what an empty value becomes. Here null is a word, though YAML reads it as nothing.
func (c *compiler) emptyPolicy(n *document.Node) rule.EmptyPolicy {
	if document.IsNull(n) {
		return rule.EmptyNull
	}
	policy, ok := emptyWords[n.Value]
	if !ok || n.Kind != document.Scalar {
		c.fault(n, fmt.Sprintf("empty: %s is not valid", reason.Quote(n.Value)), "use omit, null, keep or reject")
	}
	return policy
}

func (c *compiler) booleanWords(yes, no rule.Words) value.Booleans {
	own := value.NewBooleans(yes.Texts(), no.Texts())
	for _, w := range yes {
		if value, known := own[table.Fold(w.Text)]; known && !value {
			c.fault(w.Node, fmt.Sprintf("%q is under both yes and no", w.Text), "remove one of them")
		}
	}
	return own
}

// wordProven replaces the patterns under dates: if every column must prove its own format.
const wordProven = "proven"

// dateReader reads the date settings at one place of the file, on top of the settings d from above.
func (c *compiler) dateReader(patterns rule.Words, pivot *int, zone rule.Word, d date.Reader, n *document.Node) date.Reader {
	if pivot != nil {
		d.Pivot, d.PivotGiven = *pivot, true
		if *pivot < 0 || *pivot > 100 {
			c.fault(document.Member(n, "pivot"), fmt.Sprintf("pivot %d is out of range (0 to 100)", *pivot),
				"with pivot: 50, 49 is 2049 and 50 is 1950")
		}
	}
	if zone.Given() {
		location, err := time.LoadLocation(zone.Text)
		if err != nil || zone.Text == "" || zone.Text == "Local" {
			c.fault(zone.Node, fmt.Sprintf("unknown time zone %q", zone.Text), "use a name such as Europe/Madrid, America/New_York or UTC")
		}
		d.Zone = location
	}
	if patterns == nil {
		return d
	}
	d.Patterns, d.Proof = nil, date.NotInferred
	for _, w := range patterns {
		if strings.EqualFold(table.Trim(w.Text), wordProven) {
			if d.Proof = date.ToInfer; len(patterns) > 1 {
				c.fault(w.Node, "dates: proven cannot be combined with patterns", "keep the patterns, or use dates: proven alone")
			}
			continue
		}
		pattern, err := date.ParsePattern(w.Text)
		switch {
		case err != nil:
			c.fault(w.Node, err.Error(), "use a pattern such as DD/MM/YYYY, D.M.YY, MMM D, YYYY or YYYY-MM-DD hh:mm")
			continue
		case pattern.TwoDigitYear() && !d.PivotGiven:
			c.fault(w.Node, fmt.Sprintf("the pattern %q has a two-digit year, so a pivot is required", w.Text),
				"set pivot: 50 next to dates: (00–49 are 20xx, 50–99 are 19xx), or another pivot")
		}
		d.Patterns = append(d.Patterns, pattern)
	}
	return d
}

func (c *compiler) filters(list filterForms) []rule.Filter {
	var filters []rule.Filter
	for _, form := range list {
		if e := c.expression(form.expr, false); e != nil {
			e.Asks = true
			c.mustBe(e, "a filter must be true or false", "bool")
			filters = append(filters, rule.Filter{Name: form.name, Formula: e})
		}
	}
	return filters
}

// expression compiles an expression to check its types. It returns nil if the expression is faulty.
func (c *compiler) expression(w rule.Word, inItem bool) *rule.Formula {
	if table.Trim(w.Text) == "" {
		c.fault(w.Node, "the expression is empty", "")
		return nil
	}
	e, wrong := expr.New(w.Text, inItem, c.names)
	if wrong != nil && wrong.Offset < 0 {
		c.fault(w.Node, wrong.Message, wrong.Hint)
		return nil
	}
	if wrong != nil {
		c.faults = append(c.faults, c.file.AtOffset(w.Node, wrong.Offset, wrong.Message, wrong.Hint))
		return nil
	}
	c.today = c.today || e.Today
	refs := func(columns []expr.Column) (list []rule.Column) {
		for _, column := range columns {
			list = append(list, rule.Column{Name: column.Name, Place: rule.Place(c.file.AtOffset(w.Node, column.Offset, "", ""))})
		}
		return list
	}
	return &rule.Formula{Expression: e, Place: c.place(w.Node), Refs: refs(e.Columns), BareDates: refs(e.Bare)}
}

// mustBe reports an expression whose result is none of the kinds. If the type checker cannot tell, the expression is
// accepted and its result is checked for every row.
func (c *compiler) mustBe(e *rule.Formula, why string, kinds ...string) {
	if e.Result == nil || e.Result.Kind().String() == "interface" || slices.Contains(kinds, e.Result.Kind().String()) {
		return
	}
	found := map[string]string{"string": "text", "bool": "true or false", "int": "a whole number", "float64": "a decimal number", "slice": "a list"}
	name := found[e.Result.Kind().String()]
	if name == "" {
		name = e.Result.String()
	}
	c.faultAt(e.Place, fmt.Sprintf("the expression returns %s, but %s", name, why), "")
}
