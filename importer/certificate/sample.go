package certificate

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/mapping/table"
)

// chooser picks the sample of one operation while records go by. It holds only as many candidates as may be needed, not
// the records.
type chooser struct {
	operation string
	seed      int64
	size      int
	after     string // dates from here on are deadlines, RFC 3339 in UTC
	dates     map[string]bool

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

// chosen is a record of the sample with all reasons why it was chosen.
type chosen struct {
	id  int32
	why []string
}

// add takes a record in, if a person could compare it: it is in, and has its cells and payload.
func (c *chooser) add(f *fed) {
	if c.size <= 0 || !f.in() || !f.cells || !f.payload {
		return
	}
	row := f.record.Rows[0]
	place := []byte(fmt.Sprintf("%06d %06d %012d", f.at, row.Source, row.Number))
	if c.first.order == nil || bytes.Compare(place, c.first.order) < 0 {
		c.first = candidate{f.id, place, "the first in the source"}
	}
	if c.last.order == nil || bytes.Compare(place, c.last.order) > 0 {
		c.last = candidate{f.id, place, "the last in the source"}
	}
	date, field := "", "" // the nearest that was not over when the last run ended
	for _, v := range f.values {
		if c.dates[v.field] && !v.empty && v.text >= c.after && (date == "" || v.text < date) {
			date, field = v.text, v.field
		}
	}
	if date != "" {
		c.deadlines = c.keep(c.deadlines, candidate{f.id, []byte(date), fmt.Sprintf("one of the nearest dates: %s is %s", field, day(date))})
	}
	draw := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s", c.seed, c.operation, f.entity.key))
	c.drawn = c.keep(c.drawn, candidate{f.id, draw[:], "drawn by the seed"})
}

func day(date string) string {
	text, _, _ := strings.Cut(date, "T")
	return text
}

// keep keeps the candidates that come first, at most as many as may be needed.
func (c *chooser) keep(list []candidate, one candidate) []candidate {
	at, _ := slices.BinarySearchFunc(list, one, func(a, b candidate) int {
		return cmp.Or(bytes.Compare(a.order, b.order), cmp.Compare(a.id, b.id))
	})
	if at == c.size {
		return list
	}
	list = slices.Insert(list, at, one)
	return list[:min(len(list), c.size)]
}

// choose returns the sample: the first and the last, then a quarter of the size for deadlines, one for each of the
// rarest values, and the rest as drawn.
func (c *chooser) choose(dimensions []Dimension) (list []chosen) {
	if c.first.order == nil {
		return nil
	}
	quarter := max(1, c.size/4)
	preferred := slices.Concat([]candidate{c.first, c.last}, c.deadlines[:min(quarter, len(c.deadlines))], rarest(dimensions, quarter))
	for n, one := range slices.Concat(preferred, c.drawn) {
		if n >= len(preferred) && len(list) == c.size {
			break
		}
		if at := slices.IndexFunc(list, func(x chosen) bool { return x.id == one.id }); at >= 0 {
			list[at].why = append(list[at].why, one.why)
		} else if len(list) < c.size {
			list = append(list, chosen{one.id, []string{one.why}})
		}
	}
	return list
}

// rarest returns records with the rarest values, one for each value, the rarest first. A value that all records have
// does not count.
func rarest(dimensions []Dimension, most int) (list []candidate) {
	type rare struct {
		Group
		of string
	}
	var groups []rare
	for _, d := range dimensions {
		for _, g := range d.Groups {
			if len(d.Groups) > 1 && g.example >= 0 && g.Text != blank {
				groups = append(groups, rare{g, d.Name})
			}
		}
	}
	slices.SortStableFunc(groups, func(a, b rare) int { return cmp.Compare(a.In, b.In) })
	for _, g := range groups[:min(most, len(groups))] {
		list = append(list, candidate{id: g.example, why: fmt.Sprintf("a rare %s: %s (%d)", g.of, g.Text, g.In)})
	}
	return list
}

// mostLines is how many fields of a record a sample shows: a mark may have hundreds of entries.
const mostLines = 60

// sample reads a chosen record again and puts its cells beside what was sent.
func (c *census) sample(ctx context.Context, led *ledger.Reader, pick chosen, controls []Control) (s Sample, err error) {
	e := &c.entities[pick.id]
	r, err := led.Record(ctx, c.runs[e.basis.run].ID, e.basis.seq)
	if err != nil {
		return s, err
	}
	f := &fed{id: pick.id, record: r}
	if err := c.open(ctx, led, int(e.basis.run), []*fed{f}); err != nil {
		return s, err
	}
	s = Sample{Operation: e.operation, Key: e.key, ServiceID: f.record.ServiceID, Run: f.run.ID, Seq: r.Seq, Outcome: e.outcome, Why: pick.why,
		Where: wording.Places(*f.run, r.Rows), Remark: remark(e, r)}
	for _, control := range controls {
		s.Lines = append(s.Lines, f.lines(control)...)
	}
	if source := r.Rows[0].Source; len(f.run.Sources) > source && len(f.run.Sources[source].Origins) == 0 {
		for _, cell := range f.filledCells("") {
			s.Lines = append(s.Lines, Line{Field: "(cell)", How: "the run did not record which field this cell was for", Cells: f.shown([]filled{cell}), Empty: true})
		}
	}
	if s.More = max(0, len(s.Lines)-mostLines); s.More > 0 {
		s.Lines = s.Lines[:mostLines]
	}
	return s, nil
}

// remark is what a reader must know of a sample besides its values.
func remark(e *entity, r ledger.Record) string {
	switch {
	case e.outdated != "":
		return e.outdated
	case e.outcome == outcome.Unchanged:
		return "Already up to date before the first of these runs; they sent nothing for it."
	case len(r.Body) > 0:
		return "Entries that the service already held were left out of the request to avoid duplicates."
	}
	return ""
}

// lines puts the values of a field beside their cells: each beside its own if there is one for each, otherwise all
// cells beside the first value. A field with neither has no line.
func (f *fed) lines(c Control) (list []Line) {
	cells, values := f.filledCells(c.Field), f.of(c.Field)
	line := Line{Field: c.Field, Name: c.Name, How: c.how()}
	if len(values) == 0 && len(cells) > 0 {
		line.Cells, line.Empty = f.shown(cells), true
		return []Line{line}
	}
	paired := f.beside(cells, values)
	for n, v := range values {
		one := line
		one.Sent = v.text
		if v.entry >= 0 {
			one.Field = fmt.Sprintf("%s [%d]", c.Field, v.entry+1)
		}
		switch {
		case paired != nil && paired[n] != nil:
			one.Cells = f.shown([]filled{*paired[n]})
		case paired == nil && n == 0: // where they are paired, it is a default
			one.Cells = f.shown(cells)
		}
		list = append(list, one)
	}
	return list
}

// how says where a value comes from, unless it is simply its cell.
func (c Control) how() string {
	switch {
	case c.From == "constant":
		return "constant in the mapping"
	case c.From == "expression":
		return "computed from the cells"
	case c.From == "columns":
		return "joined from the cells"
	case c.Lookup != "":
		return "looked up in " + c.Lookup
	}
	return ""
}

// shownCells is how many cells are set beside one value.
const shownCells = 12

func (f *fed) shown(cells []filled) []Cell {
	list := make([]Cell, 0, min(len(cells), shownCells+1))
	for _, c := range cells[:min(len(cells), shownCells)] {
		row := f.record.Rows[c.row]
		list = append(list, Cell{Column: columnName(f.run, row.Source, c.column), Cell: table.CellName(c.column, row.Number), Text: c.Text})
	}
	if more := len(cells) - shownCells; more > 0 {
		list = append(list, Cell{Text: fmt.Sprintf("and %d more cells", more)})
	}
	return list
}
