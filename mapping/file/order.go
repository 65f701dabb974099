package file

import (
	"fmt"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/config/document"
	"docketsync/mapping/rule"
)

// orderForm says in which order the records of a plan are sent.
type orderForm struct {
	By      *document.Node `yaml:"by" jsonschema:"required" jsonschema_description:"The date that decides: a date field of the operation, {column: …} or {expr: …}."`
	Nearest rule.Word      `yaml:"nearest" jsonschema_description:"first: the earliest date is sent first, what is overdue before all else, and records without a date last."`
}

// readOrder compiles order:. The date comes from a field of the payload, or from a field of the order's own, which is
// in no payload.
func (c *compiler) readOrder(m *rule.Rules) {
	if c.form.Order == nil || m.Operation == "" {
		return
	}
	var form orderForm
	n := c.form.Order
	if !c.decode(n, &form) {
		return
	}
	if form.Nearest.Given() && form.Nearest.Text != "first" {
		c.fault(form.Nearest.Node, fmt.Sprintf("nearest: %q is not valid", form.Nearest.Text), "use first")
	}
	switch by := form.By; {
	case by == nil || document.IsNull(by):
		c.fault(n, "order requires by", "set by: to a date field, {column: …} or {expr: …}")
	case by.Kind == document.Scalar:
		m.Order = c.orderField(m, by)
	default:
		m.OwnOrder = c.longForm(c.newField("order", by, payload.Field{Name: "order", Type: payload.TypeDate}), by, false)
		if m.Order = m.OwnOrder; m.Order.Expr != nil {
			m.Order.Expr.Asks = true
		}
	}
}

// orderField returns the mapped date field of the payload that order names.
func (c *compiler) orderField(m *rule.Rules, by *document.Node) *rule.Field {
	var dates []string
	for _, f := range m.Fields {
		if f.Target.Type != payload.TypeDate {
			continue
		}
		if f.Target.Name == by.Value {
			return f
		}
		dates = append(dates, f.Target.Name)
	}
	hint := "for a column, use by: {column: " + by.Value + "}"
	if near := diagnostic.Nearest(by.Value, dates); near != "" {
		hint = fmt.Sprintf("did you mean %q? Otherwise, %s", near, hint)
	} else if len(dates) > 0 {
		hint = "the date fields mapped here are " + strings.Join(dates, ", ") + "; " + hint
	}
	c.fault(by, fmt.Sprintf("%q is not a date field that this mapping maps", by.Value), hint)
	return nil
}
