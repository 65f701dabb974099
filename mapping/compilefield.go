package mapping

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
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// readFields compiles the fields: block against the targets of the operation.
func (c *compiler) readFields(m *Mapping) {
	if m.operation == "" {
		return
	}
	if c.form.Fields == nil && c.misspelt(c.file.Root(), "fields", document.Keys(c.form)) {
		return
	}
	if c.form.Fields == nil || document.IsNull(c.form.Fields) {
		c.fault(c.file.Root(), "fields is required", "add fields: with each field of the operation and its column")
		return
	}
	m.fields = c.block(c.form.Fields, payload.Fields(m.operation, c.options.Switches), "", false)
}

// block compiles the fields of a payload or of an entry, in the order of the targets.
func (c *compiler) block(n *document.Node, targets []payload.Field, prefix string, inItem bool) []*field {
	if n.Kind != document.Block {
		c.faults = append(c.faults, c.file.Expected(n, "a block of fields"))
		return nil
	}
	written := map[string]bool{}
	var fields []*field
	for key, value := range document.Pairs(n) {
		i := slices.IndexFunc(targets, func(t payload.Field) bool { return t.Name == key.Value })
		switch {
		case i < 0:
			c.unknownField(key, targets, prefix)
		case !written[key.Value]:
			written[key.Value] = true
			if f := c.field(value, targets[i], prefix, inItem); f != nil {
				fields = append(fields, f)
			}
		}
	}
	for _, t := range targets {
		if t.Required && !written[t.Name] && !c.misspelt(n, t.Name, targetNames(targets)) {
			c.missing(n, t, prefix, inItem)
		}
	}
	inOrder(fields, targets)
	return fields
}

// inOrder puts fields into the order of their targets.
func inOrder(fields []*field, targets []payload.Field) {
	names := targetNames(targets)
	slices.SortStableFunc(fields, func(a, b *field) int { return slices.Index(names, a.target.Name) - slices.Index(names, b.target.Name) })
}

func targetNames(targets []payload.Field) []string {
	names := make([]string, len(targets))
	for i, t := range targets {
		names[i] = t.Name
	}
	return names
}

func (c *compiler) unknownField(key *document.Node, targets []payload.Field, prefix string) {
	operation, hint := c.form.Operation.text, diagnostic.Suggest(key.Value, targetNames(targets))
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

// missing reports a required field that is not mapped. The parts of an entry that a cell or a pair of columns gives need
// not be.
func (c *compiler) missing(n *document.Node, t payload.Field, prefix string, inItem bool) {
	if inItem && (t.Name == "text" || t.Name == "search_class_id") {
		return // items() looks after these
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

// newField is a field of which nothing is known but what the file says of all fields.
func (c *compiler) newField(path string, n *document.Node, t payload.Field) *field {
	return &field{target: t, path: path, place: c.place(n), join: " ", required: t.Required, max: t.Max, dates: c.dates,
		booleans: c.words, blanks: c.blanks, empty: c.defaultEmpty(t)}
}

// field compiles one field.
func (c *compiler) field(n *document.Node, t payload.Field, prefix string, inItem bool) *field {
	f := c.newField(prefix+t.Name, n, t)
	switch {
	case document.IsNull(n) && n.Value == "":
		hint := "add its column after the colon"
		if !t.Required || t.Nullable {
			hint += fmt.Sprintf(", or %s: null to send null", t.Name)
		}
		c.fault(n, fmt.Sprintf("%s has no source", f.path), hint)
		return nil
	case document.IsNull(n):
		f.origin, f.constant = fromConstant, c.constantOf(n)
		c.constantNull(f)
		return f
	case t.Type == payload.TypeComponents:
		return c.components(f, n)
	case t.Type == payload.TypeItems:
		return c.itemsField(f, n)
	case n.Kind == document.Scalar:
		return c.shortForm(f, n)
	}
	return c.longForm(f, n, inItem)
}

// defaultEmpty is what an empty value becomes when the field says nothing: a required one is rejected, one that is always
// present is null, others follow the file's default.
func (c *compiler) defaultEmpty(t payload.Field) emptyPolicy {
	switch {
	case t.Nullable:
		return emptyNull
	case t.Required:
		return emptyReject
	case c.empty == emptyKeep && t.Type != payload.TypeText && t.Type != payload.TypeGUIDs:
		return emptyOmit
	}
	return c.empty
}

func (c *compiler) constantNull(f *field) {
	if f.target.Required && !f.target.Nullable {
		c.faultAt(f.place, fmt.Sprintf("%s is required and cannot be null", f.path), "name the column it comes from")
	}
}

func (c *compiler) shortForm(f *field, n *document.Node) *field {
	if tag := n.ShortTag(); tag == "!!bool" {
		c.fault(n, fmt.Sprintf("%s alone would be a column's name", n.Value),
			fmt.Sprintf("for the same value in every row, use %s: {value: %s}; for a column of that name, use {column: %q}", f.target.Name, n.Value, n.Value))
		return f
	}
	f.origin, f.columns = fromColumns, c.columnsOf(word{n.Value, n})
	return f
}

// columnsOf are columns by their names.
func (c *compiler) columnsOf(names ...word) (list []columnRef) {
	for _, w := range names {
		ref := columnRef{name: w.text, place: c.inside(w.node)}
		if list = append(list, ref); table.Trim(w.text) == "" {
			c.faultAt(ref.place, "the column's name is empty", "use the letter of a column without a name, such as @C")
		}
	}
	return list
}

func (c *compiler) longForm(f *field, n *document.Node, inItem bool) *field {
	var form fieldForm
	if !c.decode(n, &form) && !form.Column.given() && form.Columns == nil && form.Value == nil && !form.Expr.given() && !form.Part.given() {
		return nil // what is wrong with it has been said
	}
	c.origin(f, n, &form, inItem)
	c.steps(f, n, &form)
	c.limits(f, n, &form)
	c.dateForm(f, n, &form)
	c.meaningless(f, n)
	if len(form.Yes)+len(form.No) > 0 {
		f.booleans = value.Booleans{}
		maps.Copy(f.booleans, c.words)
		maps.Copy(f.booleans, c.booleanWords(form.Yes, form.No))
	}
	c.constants(f)
	if form.Type.given() && !f.component {
		c.fault(form.Type.node, "type is only supported for components", "remove it")
	}
	return f
}

// constants reports a value: or default: that cannot be the field's, as far as that is known before the lookups are read.
func (c *compiler) constants(f *field) {
	var inline *lookup.Table
	if f.lookup != "" {
		i := slices.IndexFunc(c.lookups, func(s LookupSpec) bool { return s.Name == f.lookup && s.Inline != nil })
		if i < 0 {
			return
		}
		inline = c.lookups[i].Inline
	}
	for _, is := range []*constant{f.constant, f.fallback} {
		if is != nil && (!is.list || f.target.Type == payload.TypeGUIDs) {
			f.constantJSON(is, inline, func(p place, fail *reason.Problem) { c.faultAt(p, fail.Message, fail.Hint) })
		}
	}
}

// lookupKnown reports the name of a lookup that the file does not declare.
func (c *compiler) lookupKnown(n *document.Node, name string) {
	if !slices.Contains(c.names, name) {
		c.fault(n, fmt.Sprintf("unknown lookup %q", name), lookup.Suggest(name, c.names))
	}
}
