package mapping

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/config/document"
	"docketsync/mapping/date"
	"docketsync/mapping/expr"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// Parse reads a mapping file. The name is what faults call it. The error is of type diagnostic.Faults and holds every
// mistake that can be seen without the source's header; Bind finds the others.
func Parse(name string, data []byte, o Options) (*Mapping, error) {
	f, err := document.Parse(name, data)
	if err != nil {
		return nil, err
	}
	c := &compiler{file: f, options: o}
	m := c.mapping()
	if err := c.faults.Err(); err != nil {
		return nil, err
	}
	return m, nil
}

// compiler makes a Mapping of a file and collects every fault on the way.
type compiler struct {
	file    *document.File
	options Options
	faults  diagnostic.Faults
	form    mappingForm
	lookups []LookupSpec
	names   []string // of the lookups
	dates   date.Reader
	numbers *value.NumberConvention
	words   value.Booleans
	blanks  *value.Blanks
	empty   emptyPolicy
}

func (c *compiler) fault(n *document.Node, message, hint string) {
	c.faults = append(c.faults, c.file.At(n, message, hint))
}

func (c *compiler) faultAt(p place, message, hint string) {
	c.faults = append(c.faults, p.fault(message, hint))
}

// inside is the place of a scalar behind its opening quote.
func (c *compiler) inside(n *document.Node) place { return place(c.file.AtOffset(n, 0, "", "")) }

func (c *compiler) place(n *document.Node) place { return place(c.file.At(n, "", "")) }

// decode fills a form and keeps the faults.
func (c *compiler) decode(n *document.Node, into any) bool {
	faults := c.file.Decode(n, into)
	c.faults = append(c.faults, faults...)
	return len(faults) == 0
}

// misspelt tells that a block has an unknown key which is probably meant to be this one: what is wrong has been said then.
func (c *compiler) misspelt(n *document.Node, key string, known []string) bool {
	for written := range document.Pairs(n) {
		if !slices.Contains(known, written.Value) && diagnostic.Nearest(written.Value, known) == key {
			return true
		}
	}
	return false
}

func (c *compiler) mapping() *Mapping {
	if c.file.Root() == nil {
		c.fault(nil, "the mapping file is empty", "start it with operation:, key: and fields:")
		return nil
	}
	c.decode(c.file.Root(), &c.form)
	m := &Mapping{options: c.options, fill: c.form.Rows.Fill, group: c.form.Rows.Group, most: c.mostRows()}
	c.operation(m)
	c.readLookups()
	m.lookups = c.lookups
	c.defaults()
	m.dates = c.dates
	c.readKey(m)
	m.skip, m.only = c.filters(c.form.Rows.Skip), c.filters(c.form.Rows.Only)
	c.readFields(m)
	for _, f := range m.fields {
		m.group = m.group || f.items != nil && f.items.mode == itemsRows
	}
	c.readOrder(m)
	m.checks, m.own = c.readChecks(m.operation)
	m.tests = c.readTests()
	return m
}

// mostRowsPerRecord is how many rows may be of one key unless the mapping says otherwise.
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

func (c *compiler) operation(m *Mapping) {
	w := c.form.Operation
	known := make([]string, len(payload.Operations))
	for i, op := range payload.Operations {
		known[i] = string(op)
	}
	switch op := payload.Operation(w.text); {
	case !w.given() && c.misspelt(c.file.Root(), "operation", document.Keys(c.form)):
	case !w.given():
		c.fault(c.file.Root(), "operation is required", "set operation: to one of "+strings.Join(known, ", "))
	case !slices.Contains(payload.Operations, op):
		c.fault(w.node, fmt.Sprintf("unknown operation %q", w.text), diagnostic.Suggest(w.text, known))
	default:
		m.operation = op
	}
	m.scope = string(m.operation)
	if c.form.Scope.given() {
		m.scope = table.Trim(c.form.Scope.text)
		if m.scope == "" {
			c.fault(c.form.Scope.node, "the scope is empty", "remove it, or set a name")
		}
	}
}

// defaults reads what the file states once for all fields.
func (c *compiler) defaults() {
	c.blanks = value.NewBlanks(c.form.Blanks.texts())
	c.dates = c.dateReader(c.form.Dates, c.form.Pivot, c.form.Zone, date.Reader{}, c.file.Root())
	c.dates.Turned = c.acceptsTurned(c.form.Turned, false)
	if c.form.Numbers.given() {
		c.numbers = c.numberConvention(c.form.Numbers)
	}
	if yes, no := c.form.Booleans.Yes, c.form.Booleans.No; len(yes)+len(no) > 0 {
		c.words = c.booleanWords(yes, no)
	}
	if c.form.Empty != nil {
		c.empty = c.emptyPolicy(c.form.Empty)
	}
}

// emptyPolicy reads what an empty value becomes. null is a word here, which YAML takes for nothing.
func (c *compiler) emptyPolicy(n *document.Node) emptyPolicy {
	if document.IsNull(n) {
		return emptyNull
	}
	policy, ok := emptyWords[n.Value]
	if !ok || n.Kind != document.Scalar {
		c.fault(n, fmt.Sprintf("empty: %s is not valid", reason.Quote(n.Value)), "use omit, null, keep or reject")
	}
	return policy
}

func (c *compiler) booleanWords(yes, no words) value.Booleans {
	own := value.NewBooleans(yes.texts(), no.texts())
	for _, w := range yes {
		if value, known := own[table.Fold(w.text)]; known && !value {
			c.fault(w.node, fmt.Sprintf("%q is under both yes and no", w.text), "remove one of them")
		}
	}
	return own
}

// dateReader reads what is said about dates at one place, upon what was said before.
func (c *compiler) dateReader(patterns words, pivot *int, zone word, d date.Reader, n *document.Node) date.Reader {
	if pivot != nil {
		d.Pivot, d.PivotGiven = *pivot, true
		if *pivot < 0 || *pivot > 100 {
			c.fault(document.Member(n, "pivot"), fmt.Sprintf("pivot %d is out of range (0 to 100)", *pivot),
				"with pivot: 50, 49 is 2049 and 50 is 1950")
		}
	}
	if zone.given() {
		location, err := time.LoadLocation(zone.text)
		if err != nil || zone.text == "" || zone.text == "Local" {
			c.fault(zone.node, fmt.Sprintf("unknown time zone %q", zone.text), "use a name such as Europe/Madrid, America/New_York or UTC")
		}
		d.Zone = location
	}
	if patterns == nil {
		return d
	}
	d.Patterns, d.Proof = nil, date.NotInferred
	for _, w := range patterns {
		if strings.EqualFold(table.Trim(w.text), wordProven) {
			if d.Proof = date.ToInfer; len(patterns) > 1 {
				c.fault(w.node, "dates: proven cannot be combined with patterns", "keep the patterns, or use dates: proven alone")
			}
			continue
		}
		pattern, err := date.ParsePattern(w.text)
		switch {
		case err != nil:
			c.fault(w.node, err.Error(), "use a pattern such as DD/MM/YYYY, D.M.YY, MMM D, YYYY or YYYY-MM-DD hh:mm")
			continue
		case pattern.TwoDigitYear() && !d.PivotGiven:
			c.fault(w.node, fmt.Sprintf("the pattern %q has a two-digit year, so a pivot is required", w.text),
				"set pivot: 50 next to dates: (00–49 are 20xx, 50–99 are 19xx), or another pivot")
		}
		d.Patterns = append(d.Patterns, pattern)
	}
	return d
}

func (c *compiler) filters(list filterForms) []filter {
	var filters []filter
	for _, form := range list {
		if e := c.expression(form.expr, false); e != nil {
			c.mustBe(e, "a filter must be true or false", "bool")
			filters = append(filters, filter{form.name, e})
		}
	}
	return filters
}

// expression compiles an expression for its types; nil when it is faulty.
func (c *compiler) expression(w word, inItem bool) *formula {
	if table.Trim(w.text) == "" {
		c.fault(w.node, "the expression is empty", "")
		return nil
	}
	e, wrong := expr.New(w.text, inItem, c.names)
	if wrong != nil && wrong.Offset < 0 {
		c.fault(w.node, wrong.Message, wrong.Hint)
		return nil
	}
	if wrong != nil {
		c.faults = append(c.faults, c.file.AtOffset(w.node, wrong.Offset, wrong.Message, wrong.Hint))
		return nil
	}
	refs := func(columns []expr.Column) (list []columnRef) {
		for _, column := range columns {
			list = append(list, columnRef{column.Name, place(c.file.AtOffset(w.node, column.Offset, "", ""))})
		}
		return list
	}
	return &formula{e, c.place(w.node), refs(e.Columns), refs(e.Bare)}
}

// mustBe reports an expression whose result is none of the kinds. What the type checker cannot tell is let through and
// checked for every row.
func (c *compiler) mustBe(e *formula, why string, kinds ...string) {
	if e.Result == nil || e.Result.Kind().String() == "interface" || slices.Contains(kinds, e.Result.Kind().String()) {
		return
	}
	found := map[string]string{"string": "text", "bool": "true or false", "int": "a whole number", "float64": "a decimal number", "slice": "a list"}
	name := found[e.Result.Kind().String()]
	if name == "" {
		name = e.Result.String()
	}
	c.faultAt(e.place, fmt.Sprintf("the expression returns %s, but %s", name, why), "")
}
