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
		f.origin, f.columns = fromColumns, c.columnsOf(form.Column)
	}
	if form.Columns != nil {
		given = append(given, "columns")
		f.origin, f.columns = fromColumns, append(f.columns, c.columnsOf(form.Columns...)...)
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
		c.fault(n, fmt.Sprintf("%s has no source", f.path), "add column:, columns:, value: or expr:")
	}
	if form.Join != nil {
		f.join = *form.Join
		if form.Columns == nil {
			c.fault(document.Member(n, "join"), "join requires columns", "list them under columns:")
		}
	}
}

func (c *compiler) part(w word, inItem bool) part {
	known := map[string]part{"class": partClass, "text": partText}
	if found := known[w.text]; found != partNone && inItem {
		return found
	}
	c.fault(w.node, fmt.Sprintf("unknown part %q", w.text), "the parts of an entry are class and text")
	return partClass
}

// resultFits reports an expression whose type cannot become the field's.
func (c *compiler) resultFits(f *field) {
	switch f.target.Type {
	case payload.TypeGUIDs:
		c.mustBe(f.expr, fmt.Sprintf("%s is a list", f.path), "slice", "string")
	case payload.TypeBool:
		c.mustBe(f.expr, fmt.Sprintf("%s is true or false", f.path), "bool", "string")
	case payload.TypeNumber, payload.TypeInteger:
		c.mustBe(f.expr, fmt.Sprintf("%s must be text or a whole number", f.path), "string", "int")
	case payload.TypeText:
		c.mustBe(f.expr, fmt.Sprintf("%s is text", f.path), "string", "int", "float64")
	default:
		c.mustBe(f.expr, fmt.Sprintf("%s requires text", f.path), "string")
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

// keyForm is the long form of key.
type keyForm struct {
	Column  word    `yaml:"column" jsonschema_description:"The column that holds the key."`
	Columns words   `yaml:"columns" jsonschema_description:"The columns that make up the key."`
	Join    *string `yaml:"join" jsonschema_description:"The separator between them (default: a vertical bar)."`
	Expr    word    `yaml:"expr" jsonschema_description:"An expression that gives the key."`
	Format  word    `yaml:"number_format" jsonschema_description:"ignore uses only the digits of a number cell, without the symbols that its number format adds."`
	Rounded word    `yaml:"rounded" jsonschema_description:"keep takes keys that look like numbers a spreadsheet has rounded, such as 7.9E+07."`
}

// keyJoin stands between the parts of a key of several columns. It is rare in references, so that A-B and C do not make
// the key of A and B-C.
const keyJoin = "|"

// readKey compiles key: a column, a list of columns, or a block.
func (c *compiler) readKey(m *Mapping) {
	n := c.form.Key
	m.key = c.newField("key", n, payload.Field{Name: "key", Type: payload.TypeText, Required: true, Reference: true})
	m.key.join = keyJoin
	if n == nil && c.misspelt(c.file.Root(), "key", document.Keys(c.form)) {
		return
	}
	if n == nil || document.IsNull(n) {
		c.fault(c.file.Root(), "key is required", "set key: to the column that identifies a record")
		return
	}
	if n.Kind != document.Block {
		var list words
		if c.decode(n, &list) {
			c.keyColumns(m.key, list)
		}
		return
	}
	var form keyForm
	if !c.decode(n, &form) {
		return
	}
	if form.Join != nil {
		m.key.join = *form.Join
	}
	m.key.digitsAlone = c.formatPolicy(form.Format)
	m.key.keepRounded = c.roundedPolicy(form.Rounded)
	switch {
	case form.Expr.given() && !form.Column.given() && form.Columns == nil:
		m.key.origin = fromExpression
		if m.key.expr = c.expression(form.Expr, false); m.key.expr != nil {
			c.mustBe(m.key.expr, "a key must be text", "string", "int")
		}
	case form.Column.given() && !form.Expr.given() && form.Columns == nil:
		c.keyColumns(m.key, words{form.Column})
	case form.Columns != nil && !form.Expr.given() && !form.Column.given():
		c.keyColumns(m.key, form.Columns)
	default:
		c.fault(n, "key requires column:, columns: or expr:", "the short form is key: and a column name")
	}
}

func (c *compiler) keyColumns(f *field, list words) {
	f.origin, f.columns = fromColumns, c.columnsOf(list...)
	if len(list) == 0 {
		c.faultAt(f.place, "the key has no column", "set the column that identifies a record")
	}
}
