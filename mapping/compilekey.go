package mapping

import (
	"docketsync/apiclient/payload"
	"docketsync/config/document"
)

// keyForm is the long form of key.
type keyForm struct {
	Column  word    `yaml:"column" jsonschema_description:"The column that holds the key."`
	Columns words   `yaml:"columns" jsonschema_description:"The columns that make up the key."`
	Join    *string `yaml:"join" jsonschema_description:"What stands between them; a vertical bar unless said otherwise."`
	Expr    word    `yaml:"expr" jsonschema_description:"An expression that gives the key."`
	Format  word    `yaml:"number_format" jsonschema_description:"ignore takes the digits of a number cell alone, without the signs that its number format adds."`
	Rounded word    `yaml:"rounded" jsonschema_description:"keep takes keys that look like numbers a spreadsheet has rounded, such as 7.9E+07."`
}

// keyJoin stands between the parts of a key of several columns. It is rare in references, so that A-B and C do not make
// the key of A and B-C.
const keyJoin = "|"

// readKey compiles key: a column, a list of columns, or a block.
func (c *compiler) readKey(m *Mapping) {
	n := c.form.Key
	m.key = &field{target: payload.Field{Name: "key", Type: payload.TypeText, Required: true, Reference: true}, path: "key", place: c.place(n), join: keyJoin,
		required: true, empty: emptyReject, blanks: c.blanks, dates: c.dates}
	if n == nil && c.misspelt(c.file.Root(), "key", document.Keys(c.form)) {
		return
	}
	if n == nil || isNull(n) {
		c.fault(c.file.Root(), "the mapping has no key", "write key: and the column that tells one record from all others")
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
			c.mustBe(m.key.expr, "a key is text", "string", "int")
		}
	case form.Column.given() && !form.Expr.given() && form.Columns == nil:
		c.keyColumns(m.key, words{form.Column})
	case form.Columns != nil && !form.Expr.given() && !form.Column.given():
		c.keyColumns(m.key, form.Columns)
	default:
		c.fault(n, "the key needs one of column:, columns: and expr:", "key: and a column's name is the short form")
	}
}

func (c *compiler) keyColumns(f *field, list words) {
	f.origin = fromColumns
	for _, w := range list {
		f.columns = append(f.columns, columnRef{name: w.text, place: c.inside(w.node)})
	}
	if len(list) == 0 {
		c.faultAt(f.place, "the key names no column", "name the column that tells one record from all others")
	}
	c.readable(f)
}
