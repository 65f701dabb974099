package file

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/config/document"
	"docketsync/mapping/lookup"
	"docketsync/mapping/reason"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// readFields compiles the fields: block against the targets of the operation.
func (c *compiler) readFields(m *rule.Rules) {
	if m.Operation == "" {
		return
	}
	if c.form.Fields == nil && c.misspelt(c.file.Root(), "fields", document.Keys(c.form)) {
		return
	}
	if c.form.Fields == nil || document.IsNull(c.form.Fields) {
		c.fault(c.file.Root(), "fields is required", "add fields: with each field of the operation and its column")
		return
	}
	m.Fields = c.block(c.form.Fields, payload.Fields(m.Operation, c.options.Switches), "")
}

// block compiles the fields of a payload, or of an entry, whose paths have a prefix. The result is in the order of the
// targets.
func (c *compiler) block(n *document.Node, targets []payload.Field, prefix string) []*rule.Field {
	if n.Kind != document.Block {
		c.faults = append(c.faults, c.file.Expected(n, "a block of fields"))
		return nil
	}
	written := map[string]bool{}
	var fields []*rule.Field
	for key, value := range document.Pairs(n) {
		i := slices.IndexFunc(targets, func(t payload.Field) bool { return t.Name == key.Value })
		switch {
		case i < 0:
			c.unknownField(key, targets, prefix)
		case prefix == "" && c.file.TakesAway(value): // a removal of the base's field
		case !written[key.Value]:
			written[key.Value] = true
			if f := c.field(value, targets[i], prefix); f != nil {
				fields = append(fields, f)
			}
		}
	}
	for _, t := range targets {
		if t.Required && !written[t.Name] && !c.misspelt(n, t.Name, targetNames(targets)) {
			c.missing(n, t, prefix)
		}
	}
	inOrder(fields, targets)
	return fields
}

// inOrder sorts fields into the order of their targets.
func inOrder(fields []*rule.Field, targets []payload.Field) {
	names := targetNames(targets)
	slices.SortStableFunc(fields, func(a, b *rule.Field) int {
		return slices.Index(names, a.Target.Name) - slices.Index(names, b.Target.Name)
	})
}

func targetNames(targets []payload.Field) []string {
	names := make([]string, len(targets))
	for i, t := range targets {
		names[i] = t.Name
	}
	return names
}

func (c *compiler) unknownField(key *document.Node, targets []payload.Field, prefix string) {
	operation, hint := c.form.Operation.Text, diagnostic.Suggest(key.Value, targetNames(targets))
	if c.options.Switches.Variant == payload.VariantB && slices.Contains([]string{"client_id", "other_supervisors"}, key.Value) && operation == string(payload.CreateCase) {
		c.fault(key, fmt.Sprintf("create_case has no field %q in variant B, which the configuration sets", key.Value),
			"remove it, or set create_case_variant: A in the configuration")
		return
	}
	where := operation
	if prefix != "" {
		where = "an entry of " + strings.TrimSuffix(prefix, ".")
	}
	c.fault(key, fmt.Sprintf("%s has no field %q", where, key.Value), hint)
}

// missing reports a required field that is not mapped. The text and class of an entry need not be mapped if a cell or a
// pair of columns gives them.
func (c *compiler) missing(n *document.Node, t payload.Field, prefix string) {
	if prefix != "" && (t.Name == "text" || t.Name == "search_class_id") {
		return // itemParts checks these
	}
	hint := fmt.Sprintf("add %s: with the column it comes from", t.Name)
	switch {
	case t.Type == payload.TypeComponents:
		hint = "an update replaces the whole case: list its components, or write components: [] to send none"
	case t.Nullable:
		hint = fmt.Sprintf("an update replaces the whole case: add %s: with its column, or %s: null if no case has one", t.Name, t.Name)
	case t.Type == payload.TypeItems:
		hint = fmt.Sprintf("add %s: {item: …} with the fields of one", t.Name)
	}
	c.fault(n, fmt.Sprintf("the required field %s is not mapped (%s)", prefix+t.Name, t.Doc), hint)
}

// newField returns a field with the settings that the file makes for all fields.
func (c *compiler) newField(path string, n *document.Node, t payload.Field) *rule.Field {
	return &rule.Field{Target: t, Path: path, Place: c.place(n), Join: " ", Required: t.Required, Max: t.Max, Dates: c.dates,
		Booleans: c.words, Blanks: c.blanks, Empty: c.defaultEmpty(t)}
}

// field compiles one field.
func (c *compiler) field(n *document.Node, t payload.Field, prefix string) *rule.Field {
	f := c.newField(prefix+t.Name, n, t)
	switch {
	case document.IsNull(n) && n.Value == "":
		hint := "add its column after the colon"
		if !t.Required || t.Nullable {
			hint += fmt.Sprintf(", or %s: null to send null", t.Name)
		}
		c.fault(n, fmt.Sprintf("%s has no source", f.Path), hint)
		return nil
	case document.IsNull(n):
		f.Origin, f.Constant = rule.FromConstant, c.constantOf(n)
		c.constantNull(f)
		return f
	case t.Type == payload.TypeComponents:
		return c.components(f, n)
	case t.Type == payload.TypeItems:
		return c.itemsField(f, n)
	case n.Kind == document.Scalar:
		return c.shortForm(f, n)
	}
	return c.longForm(f, n, prefix != "")
}

// defaultEmpty says what an empty value becomes if the field does not say: a field that is always present becomes null,
// a required one rejects the record, others follow the file's default.
func (c *compiler) defaultEmpty(t payload.Field) rule.EmptyPolicy {
	switch {
	case t.Nullable:
		return rule.EmptyNull
	case t.Required:
		return rule.EmptyReject
	case c.empty == rule.EmptyKeep && t.Type != payload.TypeText && t.Type != payload.TypeGUIDs:
		return rule.EmptyOmit
	}
	return c.empty
}

func (c *compiler) constantNull(f *rule.Field) {
	if f.Target.Required && !f.Target.Nullable {
		c.faultAt(f.Place, fmt.Sprintf("%s is required and cannot be null", f.Path), "name the column it comes from")
	}
}

func (c *compiler) shortForm(f *rule.Field, n *document.Node) *rule.Field {
	if tag := n.ShortTag(); tag == "!!bool" {
		c.fault(n, fmt.Sprintf("%s alone would be a column's name", n.Value),
			fmt.Sprintf("for the same value in every row, use %s: {value: %s}; for a column of that name, use {column: %q}", f.Target.Name, n.Value, n.Value))
		return f
	}
	f.Origin, f.Columns = rule.FromColumns, c.columnsOf(rule.Word{Text: n.Value, Node: n})
	return f
}

// columnsOf returns columns by their names.
func (c *compiler) columnsOf(names ...rule.Word) (list []rule.Column) {
	for _, w := range names {
		ref := rule.Column{Name: w.Text, Place: c.inside(w.Node)}
		if list = append(list, ref); table.Trim(w.Text) == "" {
			c.faultAt(ref.Place, "the column's name is empty", "use the letter of a column without a name, such as @C")
		}
	}
	return list
}

func (c *compiler) longForm(f *rule.Field, n *document.Node, inItem bool) *rule.Field {
	var form fieldForm
	if !c.decode(n, &form) && !form.Column.Given() && form.Columns == nil && form.Value == nil && !form.Expr.Given() && !form.Part.Given() {
		return nil // the fault has been reported
	}
	c.origin(f, n, &form, inItem)
	c.steps(f, n, &form)
	c.limits(f, n, &form)
	c.dateForm(f, n, &form)
	c.meaningless(f, n)
	if len(form.Yes)+len(form.No) > 0 {
		f.Booleans = value.Booleans{}
		maps.Copy(f.Booleans, c.words)
		maps.Copy(f.Booleans, c.booleanWords(form.Yes, form.No))
	}
	c.constants(f)
	if form.Type.Given() && !f.Component {
		c.fault(form.Type.Node, "type is only supported for components", "remove it")
	}
	return f
}

// constants reports a value: or default: that the field cannot take, as far as this is known before the lookups are
// read.
func (c *compiler) constants(f *rule.Field) {
	var inline *lookup.Table
	if f.Lookup != "" {
		i := slices.IndexFunc(c.lookups, func(s rule.Lookup) bool { return s.Name == f.Lookup && s.Inline != nil })
		if i < 0 {
			return
		}
		inline = c.lookups[i].Inline
	}
	for _, is := range []*rule.Constant{f.Constant, f.Fallback} {
		if is != nil && (!is.List || f.Target.Type == payload.TypeGUIDs) {
			f.ConstantJSON(is, inline, func(p rule.Place, fail *reason.Problem) { c.faultAt(p, fail.Message, fail.Hint) })
		}
	}
}

// lookupKnown reports the name of a lookup that the file does not declare.
func (c *compiler) lookupKnown(n *document.Node, name string) {
	if !slices.Contains(c.names, name) {
		c.fault(n, fmt.Sprintf("unknown lookup %q", name), lookup.Suggest(name, c.names))
	}
}
