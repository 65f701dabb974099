package mapping

import (
	"math/bits"
	"slices"
)

// orderSet is a set of orders.
type orderSet uint8

const allOrders orderSet = 1<<orders - 1

func (s orderSet) with(o dateOrder) orderSet { return s | 1<<o }
func (s orderSet) has(o dateOrder) bool      { return s&(1<<o) != 0 }
func (s orderSet) first() dateOrder          { return dateOrder(bits.TrailingZeros8(uint8(s))) }

// orderCase gathers which orders the dates of one separator allow.
type orderCase struct {
	left orderSet // orders that read every row so far
	// read has the first rows that can be read only in one set of orders, where their shape has more.
	read [allOrders + 1][]DateEvidence
	// differ has the first rows that two orders read as different days, by the set of the two.
	differ [allOrders + 1][]DateEvidence
}

// add takes a row that the orders by read as days.
func (o *orderCase) add(e DateEvidence, shape *dateShape, days [orders]moment, by orderSet) {
	possible := by
	for order, pattern := range shape.patterns {
		if pattern != nil {
			possible = possible.with(dateOrder(order))
		}
	}
	o.left &= by
	if by != possible && len(o.read[by]) < 3 {
		o.read[by] = append(o.read[by], e.readBy(shape, days, by))
	}
	for a := dayFirst; a < orders; a++ {
		for b := a + 1; b < orders; b++ {
			pair := orderSet(0).with(a).with(b)
			if by&pair == pair && days[a] != days[b] && len(o.differ[pair]) < evidenceMost {
				o.differ[pair] = append(o.differ[pair], e.readBy(shape, days, by))
			}
		}
	}
}

// readBy adds how the row can be read.
func (e DateEvidence) readBy(shape *dateShape, days [orders]moment, by orderSet) DateEvidence {
	for order, pattern := range shape.patterns {
		if by.has(dateOrder(order)) {
			e.Patterns, e.Days = append(e.Patterns, pattern.text), append(e.Days, shape.day(days[order]))
		}
	}
	return e
}

// ambiguous tells that several orders read every row, and at least one row as different days.
func (o *orderCase) ambiguous() bool { return len(o.undecided()) > 0 }

// undecided are the first rows that the orders which are left read as different days.
func (o *orderCase) undecided() []DateEvidence {
	var list []DateEvidence
	for pair, rows := range o.differ {
		if bits.OnesCount(uint(pair)) == 2 && orderSet(pair)&o.left == orderSet(pair) {
			list = append(list, rows...)
		}
	}
	return firstRows(list)
}

// deciding are the first rows that exclude an order.
func (o *orderCase) deciding() []DateEvidence {
	var list []DateEvidence
	for _, rows := range o.read {
		list = append(list, rows...)
	}
	return firstRows(list)
}

// firstRows puts rows into the order of the sources, each once.
func firstRows(list []DateEvidence) []DateEvidence {
	slices.SortStableFunc(list, func(a, b DateEvidence) int {
		if a.Source != b.Source {
			return a.Source - b.Source
		}
		return a.Row - b.Row
	})
	list = slices.CompactFunc(list, func(a, b DateEvidence) bool { return a.Source == b.Source && a.Row == b.Row && a.Text == b.Text })
	return list[:min(len(list), evidenceMost)]
}
