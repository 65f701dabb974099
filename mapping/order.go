package mapping

import (
	"fmt"
	"strings"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/config/document"
)

// orderForm says in which order the records of a plan are sent.
type orderForm struct {
	By      *document.Node `yaml:"by" jsonschema:"required" jsonschema_description:"The date that decides: a date field of the operation, {column: …} or {expr: …}."`
	Nearest word           `yaml:"nearest" jsonschema_description:"first: the earliest date is sent first, what is overdue before all else, and records without a date last."`
}

// RankLast is the rank of a record that has no date: behind all that have one.
const RankLast = 1 << 31

// readOrder compiles order:. The date is that of a field of the payload, or is read by a field of its own, which is in no payload.
func (c *compiler) readOrder(m *Mapping) {
	if c.form.Order == nil || m.operation == "" {
		return
	}
	var form orderForm
	n := c.form.Order
	if !c.decode(n, &form) {
		return
	}
	if form.Nearest.given() && form.Nearest.text != "first" {
		c.fault(form.Nearest.node, fmt.Sprintf("nearest: %q is not valid", form.Nearest.text), "use first")
	}
	switch by := form.By; {
	case by == nil || document.IsNull(by):
		c.fault(n, "order requires by", "set by: to a date field, {column: …} or {expr: …}")
	case by.Kind == document.Scalar:
		m.order = c.orderField(m, by)
	default:
		m.ownOrder = c.longForm(c.newField("order", by, payload.Field{Name: "order", Type: payload.TypeDate}), by, false)
		m.order = m.ownOrder
	}
}

// orderField is the mapped date field of the payload that order names.
func (c *compiler) orderField(m *Mapping, by *document.Node) *field {
	var dates []string
	for _, f := range m.fields {
		if f.target.Type != payload.TypeDate {
			continue
		}
		if f.target.Name == by.Value {
			return f
		}
		dates = append(dates, f.target.Name)
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

// Order is by what date the records of a plan are sent, nearest first, in the mapping's words: "expiry_date"; "" where they are sent in
// the order of the source.
func (m *Mapping) Order() string {
	switch {
	case m.order == nil:
		return ""
	case m.ownOrder == nil:
		return m.order.path
	case len(m.order.columns) > 0:
		return m.order.columns[0].name
	}
	return "an expression"
}

// dated are the fields that are read for a record: those of its payload, with those of entries and components, and that of its order.
func (m *Mapping) dated() []*field {
	fields := withInner(m.fields)
	if m.ownOrder != nil {
		fields = append(fields, m.ownOrder)
	}
	return fields
}

// rank works out where the record in hand stands in the order: the smaller, the earlier. It counts calendar days and knows nothing of
// today, so that a run that is resumed on another day goes on in the same order, and what is overdue the longest comes first. Of several rows with
// a date of their own the nearest counts. It is 0 where the mapping has no order.
func (m *Mapper) rank() int64 {
	f := m.order
	switch {
	case f == nil:
		return 0
	case m.mapping.ownOrder == nil:
		return rankOf(f.value(m.written(f)))
	}
	nearest, row := int64(RankLast), m.row
	for n := range m.rows {
		m.row = &m.rows[n]
		if value, r := m.value(nil, f); r == written {
			nearest = min(nearest, rankOf(value))
		}
	}
	m.row = row
	return nearest
}

// value is what a member of the payload has behind its name; nothing where there is no member.
func (f *boundField) value(member []byte) []byte {
	return member[min(len(member), len(f.target.Name)+len(`"":`)):]
}

// rankOf is the rank of a date as it stands in a payload.
func rankOf(value []byte) int64 {
	const day = len(`"2006-01-02`)
	if len(value) < day {
		return RankLast
	}
	at, err := time.Parse(time.DateOnly, string(value[1:day]))
	if err != nil {
		return RankLast
	}
	return at.Unix()/(24*60*60) + daysToEpoch
}

// DayOf is the calendar day of a rank; false for none.
func DayOf(rank int64) (time.Time, bool) {
	return time.Unix((rank-daysToEpoch)*24*60*60, 0).UTC(), rank > 0 && rank < RankLast
}

// daysToEpoch makes ranks of the years 1 to 9999 greater than 0.
const daysToEpoch = 719_163
