package mapping

import (
	"time"

	"docketsync/mapping/rule"
)

// RankLast is the rank of a record that has no date: behind all that have one.
const RankLast = 1 << 31

// Order is by what date the records of a plan are sent, nearest first, in the mapping's words: "expiry_date"; "" where they are sent in
// the order of the source.
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

// dated are the fields that are read for a record: those of its payload, with those of entries and components, and that of its order.
func (m *Mapping) dated() []*rule.Field {
	fields := withInner(m.rules.Fields)
	if m.rules.OwnOrder != nil {
		fields = append(fields, m.rules.OwnOrder)
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

// value is what a member of the payload has behind its name; nothing where there is no member.
func (f *boundField) value(member []byte) []byte {
	return member[min(len(member), len(f.Target.Name)+len(`"":`)):]
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

// daysToEpoch makes ranks of the years 1 to 9999 greater than 0.
const daysToEpoch = 719_163
