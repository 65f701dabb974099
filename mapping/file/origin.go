package file

import (
	"fmt"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/config/document"
	"docketsync/mapping/rule"
)

// origin determines where the value comes from; there must be exactly one source.
func (c *compiler) origin(f *rule.Field, n *document.Node, form *fieldForm, inItem bool) {
	var given []string
	if form.Column.Given() {
		given = append(given, "column")
		f.Origin, f.Columns = rule.FromColumns, c.columnsOf(form.Column)
	}
	if form.Columns != nil {
		given = append(given, "columns")
		f.Origin, f.Columns = rule.FromColumns, append(f.Columns, c.columnsOf(form.Columns...)...)
		if len(form.Columns) == 0 {
			c.fault(document.Member(n, "columns"), "the list of columns is empty", "")
		}
	}
	if form.Value != nil {
		given = append(given, "value")
		f.Origin, f.Constant = rule.FromConstant, c.constantOf(form.Value)
		c.constant(f, form.Value)
	}
	if form.Expr.Given() {
		given = append(given, "expr")
		f.Origin = rule.FromExpression
		if f.Expr = c.expression(form.Expr, inItem); f.Expr != nil {
			c.resultFits(f)
		}
	}
	if form.Part.Given() {
		given = append(given, "part")
		f.Origin, f.Part = rule.FromPart, c.part(form.Part, inItem)
	}
	if len(given) > 1 {
		c.fault(n, fmt.Sprintf("%s has both %s", f.Path, strings.Join(given, " and ")), "keep one of them")
	}
	if len(given) == 0 && !(inItem && (f.Target.Name == "search_class_id" || f.Target.Name == "text")) {
		c.fault(n, fmt.Sprintf("%s has no source", f.Path), "add column:, columns:, value: or expr:")
	}
	if form.Join != nil {
		f.Join = *form.Join
		if form.Columns == nil {
			c.fault(document.Member(n, "join"), "join requires columns", "list them under columns:")
		}
	}
}

func (c *compiler) part(w rule.Word, inItem bool) rule.Part {
	known := map[string]rule.Part{"class": rule.PartClass, "text": rule.PartText}
	if found := known[w.Text]; found != rule.PartNone && inItem {
		return found
	}
	c.fault(w.Node, fmt.Sprintf("unknown part %q", w.Text), "the parts of an entry are class and text")
	return rule.PartClass
}

// resultFits reports an expression whose result type the field cannot take.
func (c *compiler) resultFits(f *rule.Field) {
	switch f.Target.Type {
	case payload.TypeGUIDs:
		c.mustBe(f.Expr, fmt.Sprintf("%s is a list", f.Path), "slice", "string")
	case payload.TypeBool:
		c.mustBe(f.Expr, fmt.Sprintf("%s is true or false", f.Path), "bool", "string")
	case payload.TypeNumber, payload.TypeInteger:
		c.mustBe(f.Expr, fmt.Sprintf("%s must be text or a whole number", f.Path), "string", "int")
	case payload.TypeText:
		c.mustBe(f.Expr, fmt.Sprintf("%s is text", f.Path), "string", "int", "float64")
	default:
		c.mustBe(f.Expr, fmt.Sprintf("%s requires text", f.Path), "string")
	}
}

// constantOf keeps a value of the file as a constant.
func (c *compiler) constantOf(n *document.Node) *rule.Constant {
	is := &rule.Constant{Null: document.IsNull(n), List: n.Kind == document.List}
	parts := []*document.Node{n}
	if is.List {
		parts = n.Content
	}
	for _, part := range parts {
		is.Texts = append(is.Texts, rule.Literal{Text: part.Value, Place: c.place(part)})
	}
	return is
}

// constant reports a value: that is neither a scalar nor, for a field that takes a list, a list of scalars.
func (c *compiler) constant(f *rule.Field, n *document.Node) {
	switch {
	case document.IsNull(n):
		c.constantNull(f)
	case n.Kind == document.List && f.Target.Type == payload.TypeGUIDs:
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
	Column  rule.Word  `yaml:"column" jsonschema_description:"The column that holds the key."`
	Columns rule.Words `yaml:"columns" jsonschema_description:"The columns that make up the key."`
	Join    *string    `yaml:"join" jsonschema_description:"The separator between them (default: a vertical bar)."`
	Expr    rule.Word  `yaml:"expr" jsonschema_description:"An expression that gives the key."`
	Format  rule.Word  `yaml:"number_format" jsonschema_description:"ignore uses only the digits of a number cell, without the symbols that its number format adds."`
	Rounded rule.Word  `yaml:"rounded" jsonschema_description:"keep takes keys that look like numbers a spreadsheet has rounded, such as 7.9E+07."`
}

// keyJoin joins the parts of a key of several columns. It is rare in references, so A-B and C do not give the same key
// as A and B-C.
const keyJoin = "|"

// readKey compiles key: a column, a list of columns, or a block.
func (c *compiler) readKey(m *rule.Rules) {
	n := c.form.Key
	m.Key = c.newField("key", n, payload.Field{Name: "key", Type: payload.TypeText, Required: true, Reference: true})
	m.Key.Join = keyJoin
	if n == nil && c.misspelt(c.file.Root(), "key", document.Keys(c.form)) {
		return
	}
	if n == nil || document.IsNull(n) {
		c.fault(c.file.Root(), "key is required", "set key: to the column that identifies a record")
		return
	}
	if n.Kind != document.Block {
		var list rule.Words
		if c.decode(n, &list) {
			c.keyColumns(m.Key, list)
		}
		return
	}
	var form keyForm
	if !c.decode(n, &form) {
		return
	}
	if form.Join != nil {
		m.Key.Join = *form.Join
	}
	m.Key.DigitsAlone = c.formatPolicy(form.Format)
	m.Key.KeepRounded = c.roundedPolicy(form.Rounded)
	switch {
	case form.Expr.Given() && !form.Column.Given() && form.Columns == nil:
		m.Key.Origin = rule.FromExpression
		if m.Key.Expr = c.expression(form.Expr, false); m.Key.Expr != nil {
			c.mustBe(m.Key.Expr, "a key must be text", "string", "int")
		}
	case form.Column.Given() && !form.Expr.Given() && form.Columns == nil:
		c.keyColumns(m.Key, rule.Words{form.Column})
	case form.Columns != nil && !form.Expr.Given() && !form.Column.Given():
		c.keyColumns(m.Key, form.Columns)
	default:
		c.fault(n, "key requires column:, columns: or expr:", "the short form is key: and a column name")
	}
}

func (c *compiler) keyColumns(f *rule.Field, list rule.Words) {
	f.Origin, f.Columns = rule.FromColumns, c.columnsOf(list...)
	if len(list) == 0 {
		c.faultAt(f.Place, "the key has no column", "set the column that identifies a record")
	}
}
