package mapping

import (
	"fmt"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/config/document"
	"docketsync/mapping/lookup"
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
	if c.form.Fields == nil || isNull(c.form.Fields) {
		c.fault(c.file.Root(), "the mapping has no fields", "write fields: and below it each field of the operation with its column")
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
	for key, value := range pairs(n) {
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
	slices.SortStableFunc(fields, func(a, b *field) int { return position(targets, a) - position(targets, b) })
	return fields
}

func position(targets []payload.Field, f *field) int {
	return slices.IndexFunc(targets, func(t payload.Field) bool { return t.Name == f.target.Name })
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
		c.fault(key, fmt.Sprintf("create_case has no field %q in variant B, which the configuration states", key.Value),
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

// field compiles one field.
func (c *compiler) field(n *document.Node, t payload.Field, prefix string, inItem bool) *field {
	f := &field{target: t, path: prefix + t.Name, place: c.place(n), join: " ", required: t.Required, max: t.Max, dates: c.dates,
		booleans: c.words, blanks: c.blanks, empty: c.defaultEmpty(t)}
	switch {
	case isNull(n) && n.Value == "":
		hint := "write its column behind the colon"
		if !t.Required || t.Nullable {
			hint += fmt.Sprintf(", or %s: null to send null", t.Name)
		}
		c.fault(n, fmt.Sprintf("nothing says where %s comes from", f.path), hint)
		return nil
	case isNull(n):
		f.origin, f.constant = fromConstant, c.constantOf(n)
		c.constantNull(f)
	case t.Type == payload.TypeComponents:
		return c.components(f, n)
	case t.Type == payload.TypeItems:
		return c.itemsField(f, n)
	case n.Kind == document.Scalar:
		c.shortForm(f, n)
	default:
		var form fieldForm
		if !c.decode(n, &form) && !form.hasOrigin() {
			return nil
		}
		c.longForm(f, n, &form, inItem)
	}
	return f
}

// hasOrigin tells that a field says where it comes from.
func (f *fieldForm) hasOrigin() bool {
	return f.Column.given() || f.Columns != nil || f.Value != nil || f.Expr.given() || f.Part.given()
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

func (c *compiler) shortForm(f *field, n *document.Node) {
	if tag := n.ShortTag(); tag == "!!bool" {
		c.fault(n, fmt.Sprintf("%s alone would be a column's name", n.Value),
			fmt.Sprintf("for the same value in every row write %s: {value: %s}; for a column of that name {column: %q}", f.target.Name, n.Value, n.Value))
		return
	}
	f.origin, f.columns = fromColumns, []columnRef{{name: n.Value, place: c.inside(n)}}
	c.readable(f)
}

// readable reports a field that a plain column cannot fill.
func (c *compiler) readable(f *field) {
	for _, ref := range f.columns {
		if table.Trim(ref.name) == "" {
			c.faultAt(ref.place, "the column's name is empty", "a column without a name is written by its letter, such as @C")
		}
	}
}

func (c *compiler) longForm(f *field, n *document.Node, form *fieldForm, inItem bool) {
	c.origin(f, n, form, inItem)
	c.steps(f, n, form)
	c.limits(f, n, form)
	c.dateForm(f, n, form)
	if len(form.Yes)+len(form.No) > 0 {
		f.booleans = c.ownBooleans(form)
		c.only(f, member(n, "yes"), "yes", payload.TypeBool)
		c.only(f, member(n, "no"), "no", payload.TypeBool)
	}
	c.constants(f)
	if form.Type.given() {
		c.fault(form.Type.node, "only a component has a type; a field's is given by the operation", "remove it")
	}
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
	c.faults = append(c.faults, checkConstants(f, inline)...)
}

// ownBooleans puts a field's words upon those of the file.
func (c *compiler) ownBooleans(form *fieldForm) value.Booleans {
	own := c.booleanWords(form.Yes, form.No)
	for word, value := range c.words {
		if _, ok := own[word]; !ok {
			own[word] = value
		}
	}
	return own
}

// componentsPlan is the plan of the components of update_case.
type componentsPlan struct {
	lookup string
	items  []*field
	names  []columnRef // of each item: the component's name and where it stands
}

// components compiles the field components.
func (c *compiler) components(f *field, n *document.Node) *field {
	f.origin, f.components = fromComponents, &componentsPlan{}
	if isEmptyList(n) {
		return f
	}
	var form componentsForm
	if !c.decode(n, &form) {
		return nil
	}
	plan := f.components
	if form.Lookup.given() {
		plan.lookup = form.Lookup.text
		c.lookupKnown(form.Lookup)
	}
	if form.Items == nil || form.Items.Kind != document.Block {
		c.fault(n, "components names no component", "add items: and below it each component by its name, with its column")
		return f
	}
	for key, node := range pairs(form.Items) {
		if _, isID := value.GUID(table.Trim(key.Value)); !isID && plan.lookup == "" {
			c.fault(key, fmt.Sprintf("nothing turns the component %q into its id", key.Value), "name a lookup beside items:, or write the component's id")
		}
		if item := c.component(key, node); item != nil {
			plan.items = append(plan.items, item)
			plan.names = append(plan.names, columnRef{name: table.Trim(key.Value), place: c.place(key)})
		}
	}
	return f
}

func (c *compiler) lookupKnown(w word) {
	for _, name := range c.names {
		if name == w.text {
			return
		}
	}
	c.fault(w.node, fmt.Sprintf("there is no lookup %q", w.text), lookup.Suggest(w.text, c.names))
}

// componentTypes are the words for the values of components. A component with a lookup is bound to an entity.
var componentTypes = map[string]payload.Type{"text": payload.TypeText, "date": payload.TypeDate, "integer": payload.TypeInteger, "number": payload.TypeNumber, "boolean": payload.TypeBool,
	"json": typeJSON, "entity": payload.TypeGUID}

// typeJSON is the type of a component whose value is JSON, which the service takes as text.
const typeJSON payload.Type = "JSON"

// component compiles one component. Its value goes out as text, whatever its type.
func (c *compiler) component(key, n *document.Node) *field {
	t := payload.Field{Name: key.Value, Type: payload.TypeText}
	if n.Kind == document.Block {
		var form fieldForm
		kind := member(n, "type")
		switch {
		case kind == nil && member(n, "lookup") != nil:
			t.Type = payload.TypeGUID
		case kind != nil && componentTypes[kind.Value] == "":
			c.fault(kind, fmt.Sprintf("there is no type %q", kind.Value), "write text, date, integer, number, boolean, json or entity")
		case kind != nil:
			t.Type = componentTypes[kind.Value]
		}
		if !c.decode(n, &form) && !form.hasOrigin() {
			return nil
		}
		form.Type = word{}
		f := c.newComponent(key, n, t)
		c.longForm(f, n, &form, false)
		return f
	}
	f := c.newComponent(key, n, t)
	if isNull(n) {
		c.fault(n, fmt.Sprintf("nothing says where the component %q comes from", key.Value), "write its column behind the colon")
		return nil
	}
	if n.Kind != document.Scalar {
		c.faults = append(c.faults, c.file.Expected(n, "a column, or a block that says where the component comes from"))
		return nil
	}
	c.shortForm(f, n)
	return f
}

func (c *compiler) newComponent(key, n *document.Node, t payload.Field) *field {
	return &field{target: t, path: "components." + table.Trim(key.Value), place: c.place(n), component: true, join: " ", dates: c.dates, numbers: c.numbers, booleans: c.words,
		blanks: c.blanks, empty: c.defaultEmpty(t)}
}
