package mapping

import (
	"time"

	"docketsync/mapping/rule"
)

// RankLast is the rank of a record that has no date. It comes after all records that have one.
const RankLast = 1 << 31

// Order names the date by which the records of a plan are sent, nearest first, in the mapping's words ("expiry_date").
// It is "" if they are sent in the order of the source.
func (m *Mapping) Order() string {
	switch {
	case m.rules.Order == nil:
		return ""
	case m.rules.OwnOrder == nil:
		return m.rules.Order.Path
	case len(m.rules.Order.Columns) > 0:
		return m.rules.Order.Columns[0].Name
	}
	return "an expression"
}

// dated returns the fields that are read for a record: those of its payload, including entries and components, and the
// one of its order.
func (m *Mapping) dated() []*rule.Field {
	fields := withInner(m.rules.Fields)
	if m.rules.OwnOrder != nil {
		fields = append(fields, m.rules.OwnOrder)
	}
	return fields
}

// rank works out the current record's place in the order: the smaller, the earlier. It counts calendar days and does
// not depend on today, so a run that is resumed on another day keeps its order, and what has been overdue longest comes
// first. If the order has a date of its own, the nearest date of the record's rows counts. The rank is 0 if the mapping
// has no order.
func (m *Mapper) rank() int64 {
	f := m.order
	switch {
	case f == nil:
		return 0
	case m.mapping.rules.OwnOrder == nil:
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

// value returns the value of a member of the payload, without its name, or nothing if there is no member.
func (f *boundField) value(member []byte) []byte {
	return member[min(len(member), len(f.Target.Name)+len(`"":`)):]
}

// rankOf returns the rank of a date as it stands in a payload.
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

// daysToEpoch makes the ranks of the years 1 to 9999 greater than 0.
const daysToEpoch = 719_163
