package file

import (
	"fmt"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/config/document"
	"docketsync/mapping/rule"
	"docketsync/mapping/table"
	"docketsync/mapping/value"
)

// itemsField compiles a list of entries.
func (c *compiler) itemsField(f *rule.Field, n *document.Node) *rule.Field {
	f.Origin, f.Items = rule.FromItems, &rule.Items{Entries: ";", Class: ":"}
	if isEmptyList(n) {
		f.Items.Mode, f.Empty = rule.ItemsNone, rule.EmptyKeep
		return f
	}
	var form itemsForm
	if !c.decode(n, &form) {
		return nil
	}
	c.itemsMode(f, n, &form)
	if form.Item == nil || document.IsNull(form.Item) {
		c.fault(n, fmt.Sprintf("item is required for %s", f.Path), "add item: with the fields of an entry")
		return f
	}
	f.Inner = c.block(form.Item, f.Target.Items, f.Path+".")
	c.itemParts(f, form.Item)
	if form.Empty != nil {
		f.Empty = c.emptyPolicy(form.Empty)
		if f.Empty == rule.EmptyNull || f.Empty == rule.EmptyOmit && f.Target.Always {
			c.fault(form.Empty, fmt.Sprintf("empty: %s is not supported for %s", form.Empty.Value, f.Path), "use keep for an empty list, or reject")
		}
	} else if f.Target.Always {
		f.Empty = rule.EmptyKeep
	}
	return f
}

// isEmptyList reports whether a field is written as [], or with the value [].
func isEmptyList(n *document.Node) bool {
	if value := document.Member(n, "value"); value != nil && len(n.Content) == 2 {
		n = value
	}
	return n.Kind == document.List && len(n.Content) == 0
}

// itemsMode determines how rows become entries.
func (c *compiler) itemsMode(f *rule.Field, n *document.Node, form *itemsForm) {
	plan := f.Items
	var given []string
	if s := form.Split; s != nil {
		given = append(given, "split")
		plan.Mode, plan.Column = rule.ItemsSplit, rule.Column{Name: s.Column.Text, Place: c.inside(s.Column.Node)}
		if !s.Column.Given() || table.Trim(s.Column.Text) == "" {
			c.fault(document.Member(n, "split"), "split requires a column", "add column:")
		}
		plan.Entries, plan.Class = c.separator(s.Entries, ";", n, "entries"), c.separator(s.Class, ":", n, "class")
	}
	if p := form.Pairs; p != nil {
		given = append(given, "pairs")
		plan.Mode = rule.ItemsPairs
		plan.Classes = c.template(p.Class, document.Member(n, "pairs"))
		if p.Text.Given() {
			plan.Texts = c.template(p.Text, document.Member(n, "pairs"))
		}
	}
	if form.Flags.Given() {
		given = append(given, "flags")
		plan.Mode, plan.Classes = rule.ItemsFlags, c.template(form.Flags, n)
	}
	if len(given) > 1 {
		c.fault(n, fmt.Sprintf("%s has both %s", f.Path, strings.Join(given, " and ")), "keep one of them")
	}
	if len(given) > 0 && f.Target.Name != payload.Goods {
		c.fault(n, fmt.Sprintf("%s takes each entry from a row of its own", f.Path), fmt.Sprintf("remove %s:", given[0]))
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

// template returns a column name with # for its number.
func (c *compiler) template(w rule.Word, n *document.Node) rule.Column {
	if !strings.Contains(w.Text, "#") {
		at := w.Node
		if at == nil {
			at = n
		}
		c.fault(at, fmt.Sprintf("the column %q has no placeholder for its number", w.Text), `use #, such as "Class #"`)
	}
	return rule.Column{Name: w.Text, Place: c.place(w.Node)}
}

// itemParts gives class and text to the fields of an entry that do not say where they come from, and null to its id. It
// reports parts that are asked for but that no cell gives.
func (c *compiler) itemParts(f *rule.Field, n *document.Node) {
	has := map[rule.Part]bool{
		rule.PartClass: f.Items.Mode != rule.ItemsRows,
		rule.PartText:  f.Items.Mode == rule.ItemsSplit || f.Items.Mode == rule.ItemsPairs && f.Items.Texts.Name != "",
	}
	for _, inner := range f.Inner {
		if inner.Origin == rule.FromPart && !has[inner.Part] {
			c.faultAt(inner.Place, fmt.Sprintf("part is not supported for %s, whose entries have columns of their own", f.Path), "use the column instead")
		}
	}
	if f.Target.Name != payload.Goods {
		return
	}
	for _, t := range f.Target.Items {
		i := slices.IndexFunc(f.Inner, func(inner *rule.Field) bool { return inner.Target.Name == t.Name })
		takes := map[string]rule.Part{"text": rule.PartText, "search_class_id": rule.PartClass}[t.Name]
		switch {
		case t.Name == "id" && i < 0:
			id := c.newField(f.Path+".id", n, t)
			id.Empty = rule.EmptyNull
			f.Inner = append(f.Inner, id)
		case takes == rule.PartNone || i >= 0 && f.Inner[i].Origin != rule.FromNowhere:
		case i >= 0 && has[takes]:
			f.Inner[i].Origin, f.Inner[i].Part = rule.FromPart, takes
		case i >= 0:
			c.faultAt(f.Inner[i].Place, fmt.Sprintf("%s.%s has no source", f.Path, t.Name), "add column:, columns:, value: or expr:")
		case has[takes]:
			inner := c.newField(f.Path+"."+t.Name, n, t)
			inner.Origin, inner.Part, inner.Empty = rule.FromPart, takes, rule.EmptyReject
			f.Inner = append(f.Inner, inner)
		case document.Member(n, t.Name) == nil && !c.misspelt(n, t.Name, targetNames(f.Target.Items)):
			c.fault(n, fmt.Sprintf("the required field %s.%s is not mapped (%s)", f.Path, t.Name, t.Doc),
				fmt.Sprintf("add %s: with the column it comes from", t.Name))
		}
	}
	inOrder(f.Inner, f.Target.Items)
}

// components compiles the field components.
func (c *compiler) components(f *rule.Field, n *document.Node) *rule.Field {
	plan := &rule.Components{}
	f.Origin, f.Components = rule.FromComponents, plan
	if isEmptyList(n) {
		return f
	}
	var form componentsForm
	if !c.decode(n, &form) {
		return nil
	}
	if plan.Lookup = form.Lookup.Text; form.Lookup.Given() {
		c.lookupKnown(form.Lookup.Node, plan.Lookup)
	}
	if form.Items == nil || form.Items.Kind != document.Block {
		c.fault(n, "components is empty", "add items: and below it each component by its name, with its column")
		return f
	}
	for key, node := range document.Pairs(form.Items) {
		if _, isID := value.GUID(table.Trim(key.Value)); !isID && plan.Lookup == "" {
			c.fault(key, fmt.Sprintf("the component %q has no id", key.Value), "set a lookup next to items:, or use the component's id")
		}
		if item := c.component(key, node); item != nil {
			f.Inner = append(f.Inner, item)
			plan.Names = append(plan.Names, rule.Column{Name: table.Trim(key.Value), Place: c.place(key)})
		}
	}
	return f
}

// componentTypes are the types of the values of components. A component with a lookup is linked to an entity.
var componentTypes = map[string]payload.Type{"text": payload.TypeText, "date": payload.TypeDate, "integer": payload.TypeInteger, "number": payload.TypeNumber, "boolean": payload.TypeBool,
	"json": rule.TypeJSON, "entity": payload.TypeGUID}

// component compiles one component. Its value is sent as text, whatever its type.
func (c *compiler) component(key, n *document.Node) *rule.Field {
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
	f.Component, f.Numbers = true, c.numbers
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
