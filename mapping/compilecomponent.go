package mapping

import (
	"fmt"

	"docketsync/apiclient/payload"
	"docketsync/config/document"
	"docketsync/mapping/lookup"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

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
