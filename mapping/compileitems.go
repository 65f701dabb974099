package mapping

import (
	"fmt"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/config/document"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// itemsMode is how the entries of a list come out of rows.
type itemsMode uint8

const (
	itemsRows  itemsMode = iota // each row of the record is one entry
	itemsSplit                  // one cell holds all
	itemsPairs                  // counted columns
	itemsFlags                  // counted columns that only say whether a class applies
	itemsNone                   // [], never any
)

// itemsPlan is how the entries of goods and services, or of files, come out of rows.
type itemsPlan struct {
	mode    itemsMode
	column  columnRef // of itemsSplit
	entries string    // of itemsSplit: between entries
	class   string    // of itemsSplit: between class and text
	classes columnRef // template of itemsPairs and itemsFlags
	texts   columnRef // template of itemsPairs
}

// itemsField compiles a list of entries.
func (c *compiler) itemsField(f *field, n *document.Node) *field {
	f.origin, f.items = fromItems, &itemsPlan{entries: ";", class: ":"}
	if isEmptyList(n) {
		f.items.mode, f.empty = itemsNone, emptyKeep
		return f
	}
	var form itemsForm
	if !c.decode(n, &form) {
		return nil
	}
	c.itemsMode(f, n, &form)
	if form.Item == nil || document.IsNull(form.Item) {
		c.fault(n, fmt.Sprintf("item is required for %s", f.path), "add item: with the fields of an entry")
		return f
	}
	f.inner = c.block(form.Item, f.target.Items, f.path+".", true)
	c.itemParts(f, form.Item)
	if form.Empty != nil {
		f.empty = c.emptyPolicy(form.Empty)
		if f.empty == emptyNull || f.empty == emptyOmit && f.target.Always {
			c.fault(form.Empty, fmt.Sprintf("empty: %s is not supported for %s", form.Empty.Value, f.path), "use keep for an empty list, or reject")
		}
	} else if f.target.Always {
		f.empty = emptyKeep
	}
	return f
}

// isEmptyList tells a field that is written as [], or as the value [].
func isEmptyList(n *document.Node) bool {
	if value := document.Member(n, "value"); value != nil && len(n.Content) == 2 {
		n = value
	}
	return n.Kind == document.List && len(n.Content) == 0
}

// itemsMode finds out how entries come out of rows.
func (c *compiler) itemsMode(f *field, n *document.Node, form *itemsForm) {
	plan := f.items
	var given []string
	if s := form.Split; s != nil {
		given = append(given, "split")
		plan.mode, plan.column = itemsSplit, columnRef{name: s.Column.text, place: c.inside(s.Column.node)}
		if !s.Column.given() || table.Trim(s.Column.text) == "" {
			c.fault(document.Member(n, "split"), "split requires a column", "add column:")
		}
		plan.entries, plan.class = c.separator(s.Entries, ";", n, "entries"), c.separator(s.Class, ":", n, "class")
	}
	if p := form.Pairs; p != nil {
		given = append(given, "pairs")
		plan.mode = itemsPairs
		plan.classes = c.template(p.Class, document.Member(n, "pairs"))
		if p.Text.given() {
			plan.texts = c.template(p.Text, document.Member(n, "pairs"))
		}
	}
	if form.Flags.given() {
		given = append(given, "flags")
		plan.mode, plan.classes = itemsFlags, c.template(form.Flags, n)
	}
	if len(given) > 1 {
		c.fault(n, fmt.Sprintf("%s has both %s", f.path, strings.Join(given, " and ")), "keep one of them")
	}
	if len(given) > 0 && f.target.Name != payload.Goods {
		c.fault(n, fmt.Sprintf("%s takes each entry from a row of its own", f.path), fmt.Sprintf("remove %s:", given[0]))
	}
}

func (c *compiler) separator(given *string, usual string, n *document.Node, key string) string {
	if given == nil {
		return usual
	}
	if *given == "" {
		c.fault(document.Member(document.Member(n, "split"), key), "the separator is empty", "remove the line to use "+usual)
	}
	return *given
}

// template is a column's name with # in the place of its number.
func (c *compiler) template(w word, n *document.Node) columnRef {
	if !strings.Contains(w.text, "#") {
		at := w.node
		if at == nil {
			at = n
		}
		c.fault(at, fmt.Sprintf("the column %q has no placeholder for its number", w.text), `use #, such as "Class #"`)
	}
	return columnRef{name: w.text, place: c.place(w.node)}
}

// itemParts gives class and text to the fields of an entry that do not say where they come from, and null to its id. It reports
// parts that are asked for and that no cell gives.
func (c *compiler) itemParts(f *field, n *document.Node) {
	has := map[part]bool{
		partClass: f.items.mode != itemsRows,
		partText:  f.items.mode == itemsSplit || f.items.mode == itemsPairs && f.items.texts.name != "",
	}
	for _, inner := range f.inner {
		if inner.origin == fromPart && !has[inner.part] {
			c.faultAt(inner.place, fmt.Sprintf("part is not supported for %s, whose entries have columns of their own", f.path), "use the column instead")
		}
	}
	if f.target.Name != payload.Goods {
		return
	}
	for _, t := range f.target.Items {
		i := slices.IndexFunc(f.inner, func(inner *field) bool { return inner.target.Name == t.Name })
		takes := map[string]part{"text": partText, "search_class_id": partClass}[t.Name]
		switch {
		case t.Name == "id" && i < 0:
			id := c.newField(f.path+".id", n, t)
			id.empty = emptyNull
			f.inner = append(f.inner, id)
		case takes == partNone || i >= 0 && f.inner[i].origin != fromNowhere:
		case i >= 0 && has[takes]:
			f.inner[i].origin, f.inner[i].part = fromPart, takes
		case i >= 0:
			c.faultAt(f.inner[i].place, fmt.Sprintf("%s.%s has no source", f.path, t.Name), "add column:, columns:, value: or expr:")
		case has[takes]:
			inner := c.newField(f.path+"."+t.Name, n, t)
			inner.origin, inner.part, inner.empty = fromPart, takes, emptyReject
			f.inner = append(f.inner, inner)
		case document.Member(n, t.Name) == nil && !c.misspelt(n, t.Name, targetNames(f.target.Items)):
			c.fault(n, fmt.Sprintf("the required field %s.%s is not mapped (%s)", f.path, t.Name, t.Doc),
				fmt.Sprintf("add %s: with the column it comes from", t.Name))
		}
	}
	inOrder(f.inner, f.target.Items)
}

// componentsPlan is how the components of update_case go by their ids.
type componentsPlan struct {
	lookup string
	names  []columnRef // of each: its name and where that stands
}

// components compiles the field components.
func (c *compiler) components(f *field, n *document.Node) *field {
	plan := &componentsPlan{}
	f.origin, f.components = fromComponents, plan
	if isEmptyList(n) {
		return f
	}
	var form componentsForm
	if !c.decode(n, &form) {
		return nil
	}
	if plan.lookup = form.Lookup.text; form.Lookup.given() {
		c.lookupKnown(form.Lookup.node, plan.lookup)
	}
	if form.Items == nil || form.Items.Kind != document.Block {
		c.fault(n, "components is empty", "add items: and below it each component by its name, with its column")
		return f
	}
	for key, node := range document.Pairs(form.Items) {
		if _, isID := value.GUID(table.Trim(key.Value)); !isID && plan.lookup == "" {
			c.fault(key, fmt.Sprintf("the component %q has no id", key.Value), "set a lookup next to items:, or use the component's id")
		}
		if item := c.component(key, node); item != nil {
			f.inner = append(f.inner, item)
			plan.names = append(plan.names, columnRef{name: table.Trim(key.Value), place: c.place(key)})
		}
	}
	return f
}

// componentTypes are the words for the values of components. A component with a lookup is bound to an entity.
var componentTypes = map[string]payload.Type{"text": payload.TypeText, "date": payload.TypeDate, "integer": payload.TypeInteger, "number": payload.TypeNumber, "boolean": payload.TypeBool,
	"json": typeJSON, "entity": payload.TypeGUID}

// typeJSON is the type of a component whose value is JSON, which the service takes as text.
const typeJSON payload.Type = "JSON"

// component compiles one component. Its value goes out as text, whatever its type.
func (c *compiler) component(key, n *document.Node) *field {
	t := payload.Field{Name: key.Value, Type: payload.TypeText}
	switch kind := document.Member(n, "type"); {
	case kind == nil && document.Member(n, "lookup") != nil:
		t.Type = payload.TypeGUID
	case kind != nil && componentTypes[kind.Value] == "":
		c.fault(kind, fmt.Sprintf("unknown type %q", kind.Value), "use text, date, integer, number, boolean, json or entity")
	case kind != nil:
		t.Type = componentTypes[kind.Value]
	}
	f := c.newField("components."+table.Trim(key.Value), n, t)
	f.component, f.numbers = true, c.numbers
	switch {
	case document.IsNull(n):
		c.fault(n, fmt.Sprintf("the component %q has no source", key.Value), "add its column after the colon")
		return nil
	case n.Kind == document.Scalar:
		return c.shortForm(f, n)
	case n.Kind == document.List:
		c.faults = append(c.faults, c.file.Expected(n, "a column, or a block with the component's source"))
		return nil
	}
	return c.longForm(f, n, false)
}
