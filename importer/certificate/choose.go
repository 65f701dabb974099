package certificate

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// chooser picks the sample of one operation while records go by. It holds as many candidates as may be asked for, not the
// records.
type chooser struct {
	operation string
	seed      int64
	size      int
	after     string // dates from here on are deadlines, RFC 3339 in UTC
	dates     map[string]bool

	seen        int // records to choose from
	first, last candidate
	deadlines   []candidate // the nearest
	drawn       []candidate // the first in the order of the draw
}

// candidate is a record that may be chosen, by what, and why.
type candidate struct {
	id    int32
	order []byte
	why   string
}

// chosen is a record of the sample and all reasons it was chosen for.
type chosen struct {
	id  int32
	why []string
}

// add takes in a record, if a person could compare it: it is in, and has its cells and payload.
func (c *chooser) add(f *fed) {
	if c.size <= 0 || !f.in() || !f.cells || !f.payload {
		return
	}
	c.seen++
	at := candidate{id: f.id, order: position(f)}
	if c.first.order == nil || bytes.Compare(at.order, c.first.order) < 0 {
		c.first = at
	}
	if c.last.order == nil || bytes.Compare(at.order, c.last.order) > 0 {
		c.last = at
	}
	if date, field := c.deadline(f); date != "" {
		c.deadlines = c.keep(c.deadlines, candidate{f.id, []byte(date), fmt.Sprintf("one of the nearest dates: %s is %s", field, day(date))})
	}
	c.drawn = c.keep(c.drawn, candidate{f.id, draw(c.seed, c.operation, f.entity.key), "drawn by the seed"})
}

// position is where a record stands: run, source, row.
func position(f *fed) []byte {
	row := f.rows[0]
	return []byte(fmt.Sprintf("%06d %06d %012d", f.run, row.source, row.number))
}

// draw is a record's place in the order that the seed gives.
func draw(seed int64, operation, key string) []byte {
	sum := sha256.Sum256([]byte(strconv.FormatInt(seed, 10) + "\x00" + operation + "\x00" + key))
	return sum[:]
}

// deadline is the nearest date of a record that was not over when the last run ended, and its field.
func (c *chooser) deadline(f *fed) (date, field string) {
	for _, v := range f.values {
		if c.dates[v.path] && !v.empty && v.text >= c.after && (date == "" || v.text < date) {
			date, field = v.text, v.path
		}
	}
	return date, field
}

func day(date string) string {
	text, _, _ := strings.Cut(date, "T")
	return text
}

// keep holds the candidates that come first, at most as many as may be asked for.
func (c *chooser) keep(list []candidate, one candidate) []candidate {
	at, _ := slices.BinarySearchFunc(list, one, func(a, b candidate) int {
		return cmp.Or(bytes.Compare(a.order, b.order), cmp.Compare(a.id, b.id))
	})
	if at == c.size && len(list) == c.size {
		return list
	}
	list = slices.Insert(list, at, one)
	return list[:min(len(list), c.size)]
}

// choose gives the sample: the first and the last, then a quarter of the size for deadlines and one for the rarest values, and the
// rest as drawn.
func (c *chooser) choose(dimensions []Dimension) []chosen {
	var list []chosen
	pick := func(one candidate, limit int) {
		if at := slices.IndexFunc(list, func(x chosen) bool { return x.id == one.id }); at >= 0 {
			list[at].why = append(list[at].why, one.why)
		} else if len(list) < limit {
			list = append(list, chosen{one.id, []string{one.why}})
		}
	}
	if c.seen == 0 {
		return nil
	}
	c.first.why, c.last.why = "the first in the source", "the last in the source"
	pick(c.first, c.size)
	pick(c.last, c.size)
	quarter := max(1, c.size/4)
	for _, one := range c.deadlines[:min(quarter, len(c.deadlines))] {
		pick(one, c.size)
	}
	for _, one := range rarest(dimensions, quarter) {
		pick(one, c.size)
	}
	for _, one := range c.drawn {
		if len(list) == c.size {
			break
		}
		pick(one, c.size)
	}
	return list
}

// rarest are records with the rarest values, one for each value, the rarest first. A value that all records have is none.
func rarest(dimensions []Dimension, most int) []candidate {
	type rare struct {
		candidate
		in int
	}
	var list []rare
	for _, d := range dimensions {
		if len(d.Groups) < 2 {
			continue
		}
		for _, g := range d.Groups {
			if g.example >= 0 && g.Text != blank {
				list = append(list, rare{candidate{id: g.example, why: fmt.Sprintf("a rare %s: %s (%d)", d.Name, g.Text, g.In)}, g.In})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b rare) int { return cmp.Compare(a.in, b.in) })
	found := make([]candidate, 0, most)
	for _, r := range list[:min(most, len(list))] {
		found = append(found, r.candidate)
	}
	return found
}
