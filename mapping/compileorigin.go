package mapping

import (
	"fmt"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/config/document"
)

// origin finds out where the value comes from; there must be one place.
func (c *compiler) origin(f *field, n *document.Node, form *fieldForm, inItem bool) {
	var given []string
	if form.Column.given() {
		given = append(given, "column")
		f.origin, f.columns = fromColumns, []columnRef{{name: form.Column.text, place: c.inside(form.Column.node)}}
	}
	if form.Columns != nil {
		given = append(given, "columns")
		f.origin = fromColumns
		for _, w := range form.Columns {
			f.columns = append(f.columns, columnRef{name: w.text, place: c.inside(w.node)})
		}
		if len(form.Columns) == 0 {
			c.fault(document.Member(n, "columns"), "the list of columns is empty", "")
		}
	}
	if form.Value != nil {
		given = append(given, "value")
		f.origin, f.constant = fromConstant, c.constantOf(form.Value)
		c.constant(f, form.Value)
	}
	if form.Expr.given() {
		given = append(given, "expr")
		f.origin = fromExpression
		if f.expr = c.expression(form.Expr, inItem); f.expr != nil {
			c.resultFits(f)
		}
	}
	if form.Part.given() {
		given = append(given, "part")
		f.origin, f.part = fromPart, c.part(form.Part, inItem)
	}
	if len(given) > 1 {
		c.fault(n, fmt.Sprintf("%s has both %s", f.path, strings.Join(given, " and ")), "keep one of them")
	}
	if len(given) == 0 && !(inItem && (f.target.Name == "search_class_id" || f.target.Name == "text")) {
		c.fault(n, fmt.Sprintf("nothing says where %s comes from", f.path), "add column:, columns:, value: or expr:")
	}
	if form.Join != nil {
		f.join = *form.Join
		if form.Columns == nil {
			c.fault(document.Member(n, "join"), "join stands between columns, and there are none", "name them under columns:")
		}
	}
	c.readable(f)
}

func (c *compiler) part(w word, inItem bool) part {
	known := map[string]part{"class": partClass, "text": partText}
	if found := known[w.text]; found != partNone && inItem {
		return found
	}
	c.fault(w.node, fmt.Sprintf("there is no part %q here", w.text), "entries of goods and services have the parts class and text")
	return partClass
}

// resultFits reports an expression whose type cannot become the field's.
func (c *compiler) resultFits(f *field) {
	switch f.target.Type {
	case payload.TypeGUIDs:
		c.mustBe(f.expr, fmt.Sprintf("%s is a list", f.path), "slice", "string")
	case payload.TypeBool:
		c.mustBe(f.expr, fmt.Sprintf("%s is yes or no", f.path), "bool", "string")
	case payload.TypeNumber, payload.TypeInteger:
		c.mustBe(f.expr, fmt.Sprintf("the digits of %s must come as text or as a whole number", f.path), "string", "int")
	case payload.TypeText:
		c.mustBe(f.expr, fmt.Sprintf("%s is text", f.path), "string", "int", "float64")
	default:
		c.mustBe(f.expr, fmt.Sprintf("%s is read from text", f.path), "string")
	}
}

// constantOf keeps what stands in the file as a constant.
func (c *compiler) constantOf(n *document.Node) *constant {
	is := &constant{null: document.IsNull(n), list: n.Kind == document.List}
	parts := []*document.Node{n}
	if is.list {
		parts = n.Content
	}
	for _, part := range parts {
		is.texts = append(is.texts, literal{part.Value, c.place(part)})
	}
	return is
}

// constant reports a value: that is no scalar, or no list where the field is one.
func (c *compiler) constant(f *field, n *document.Node) {
	switch {
	case document.IsNull(n):
		c.constantNull(f)
	case n.Kind == document.List && f.target.Type == payload.TypeGUIDs:
		for _, element := range n.Content {
			if element.Kind != document.Scalar {
				c.faults = append(c.faults, c.file.Expected(element, "a value"))
			}
		}
	case n.Kind != document.Scalar:
		c.faults = append(c.faults, c.file.Expected(n, "a value"))
	}
}
