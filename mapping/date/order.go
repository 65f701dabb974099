package date

import (
	"cmp"
	"math/bits"
	"slices"

	"docketsync/mapping/table"
)

// orderSet is a set of orders.
type orderSet uint8

const allOrders orderSet = 1<<orders - 1

func (s orderSet) with(o dayOrder) orderSet { return s | 1<<o }
func (s orderSet) has(o dayOrder) bool      { return s&(1<<o) != 0 }
func (s orderSet) first() dayOrder          { return dayOrder(bits.TrailingZeros8(uint8(s))) }

// orderCase collects which orders the dates with one separator allow.
type orderCase struct {
	left orderSet // orders that read every row so far
	// read holds the first rows that each set of orders reads, except for the set of all orders.
	read [allOrders + 1][]Evidence
	// differ holds the first rows that two orders read as different days, by the set of the two.
	differ [allOrders + 1][]Evidence
}

// add takes a row that the orders in by read as days.
func (o *orderCase) add(e Evidence, shape *shape, days [orders]Moment, by orderSet) {
	o.left &= by
	if by != allOrders && len(o.read[by]) < 3 {
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
func (e Evidence) readBy(shape *shape, days [orders]Moment, by orderSet) Evidence {
	for order, pattern := range shape.patterns {
		if by.has(dayOrder(order)) {
			e.Patterns, e.Days = append(e.Patterns, pattern.text), append(e.Days, shape.day(days[order]))
		}
	}
	return e
}

// undecided returns the first rows that the remaining orders read as different days.
func (o *orderCase) undecided() []Evidence {
	var list []Evidence
	for pair, rows := range o.differ {
		if bits.OnesCount(uint(pair)) == 2 && orderSet(pair)&o.left == orderSet(pair) {
			list = append(list, rows...)
		}
	}
	list = firstRows(list)
	return list[:min(len(list), evidenceMost)]
}

// deciding returns the first rows that exclude an order. A row that only excludes a two-digit year in front decides
// little, so such rows are left out if the others suffice.
func (o *orderCase) deciding() []Evidence {
	const yearBehind = orderSet(1<<dayFirst | 1<<monthFirst)
	var list []Evidence
	left := allOrders
	for by, rows := range o.read {
		if len(rows) > 0 && orderSet(by) != yearBehind {
			list, left = append(list, rows...), left&orderSet(by)
		}
	}
	if o.left == 0 && left != 0 {
		list = append(list, o.read[yearBehind]...)
	}
	return firstRows(list)
}

// WaysFirst moves the first row of each way of reading to the front, so that a contradiction shows both its sides. It
// returns the number of ways.
func WaysFirst(list []Evidence) (ways int) {
	for n, e := range list {
		if !slices.ContainsFunc(list[:ways], func(way Evidence) bool { return slices.Equal(way.Patterns, e.Patterns) }) {
			copy(list[ways+1:n+1], list[ways:n])
			list[ways] = e
			ways++
		}
	}
	return ways
}

// firstRows sorts rows into the order of the sources and removes duplicates.
func firstRows(list []Evidence) []Evidence {
	slices.SortStableFunc(list, func(a, b Evidence) int { return cmp.Or(a.Source-b.Source, a.Row-b.Row) })
	return slices.CompactFunc(list, func(a, b Evidence) bool { return a.Source == b.Source && a.Row == b.Row && a.Text == b.Text })
}

// convertedCase is a table.Turning that keeps cells as evidence.
type convertedCase struct {
	table.Turning
	cells, texts []Evidence // the first ones that are evidence of turning
}

func (c *convertedCase) addCell(e Evidence) {
	if c.Cell(e.Text) && len(c.cells) < evidenceMost {
		e.Days = []string{e.Text[:len("2024-03-01")]}
		c.cells = append(c.cells, e)
	}
}

// addText takes a text that the orders in by read as days.
func (c *convertedCase) addText(e Evidence, by orderSet) {
	day, month := by.has(dayFirst), by.has(monthFirst)
	if !day && !month {
		return
	}
	c.Text(!day || !month)
	if (!day || !month) && len(c.texts) == 0 {
		c.texts = append(c.texts, e)
	}
}

// evidence returns the first date cells and then a text, or nil if a conversion is not likely.
func (c *convertedCase) evidence() []Evidence {
	if !c.Likely() {
		return nil
	}
	return append(c.cells[:len(c.cells):len(c.cells)], c.texts...)
}
