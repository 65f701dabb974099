package certificate

import (
	"context"
	"fmt"
	"slices"

	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/mapping/table"
)

// mostLines is how many fields of a record a sample shows: a mark may have hundreds of entries.
const mostLines = 60

// samples reads the chosen records again and sets their cells beside what was sent, in the order of their choice.
func (c *census) samples(ctx context.Context, led *ledger.Reader, operations []Operation, picks map[string][]chosen) ([]Sample, error) {
	list := []Sample{}
	for _, o := range operations {
		for _, pick := range picks[o.Operation] {
			s, err := c.sample(ctx, led, pick, o.Controls)
			if err != nil {
				return nil, err
			}
			list = append(list, s)
		}
	}
	return list, nil
}

func (c *census) sample(ctx context.Context, led *ledger.Reader, pick chosen, controls []Control) (s Sample, err error) {
	e := &c.entities[pick.id]
	run := &c.runs[e.basis.run]
	r, err := led.Record(ctx, run.ID, e.basis.seq)
	if err != nil {
		return s, err
	}
	b := batch{census: c, led: led, run: int(e.basis.run), take: func(f *fed) error {
		s = Sample{Operation: e.operation, Key: e.key, ServiceID: f.record.ServiceID, Run: run.ID, Seq: r.Seq, Outcome: e.outcome, Why: pick.why,
			Where: wording.Places(*run, r.Rows), Remark: remark(e, r)}
		s.Lines, s.More = lines(origins{run}, f, controls)
		return nil
	}}
	if err := b.add(ctx, pick.id, r); err != nil {
		return s, err
	}
	return s, b.flush(ctx)
}

// remark is what has to be known of a sample beside its values.
func remark(e *entity, r ledger.Record) string {
	switch {
	case e.outdated && noted(r, "entry_text_changed"):
		return "A changed entry of goods and services was withheld, because sending it would have created a second entry."
	case e.outdated:
		return "The source has changed since. This is what was sent; the change was not sent."
	case e.outcome == outcome.Unchanged:
		return "Already up to date before the first of these runs; they sent nothing for it."
	case len(r.Body) > 0:
		return "Entries that the service already held were left out of the request to avoid duplicates."
	}
	return ""
}

// lines are the fields of a record: those that have cells, in the order of the mapping, and those that were sent.
func lines(o origins, f *fed, controls []Control) (list []Line, more int) {
	for _, c := range controls {
		cells := filledCells(f.rows, o.columns(c.Field))
		values := f.at(c.Field)
		if len(cells) == 0 && len(values) == 0 {
			continue
		}
		list = append(list, fieldLines(o, f, c, cells, values)...)
	}
	if len(f.record.Rows) > 0 && len(o.run.Sources) > f.rows[0].source && len(o.run.Sources[f.rows[0].source].Origins) == 0 {
		list = append(list, bareLines(o, f)...)
	}
	if len(list) > mostLines {
		return list[:mostLines], len(list) - mostLines
	}
	return list, 0
}

// fieldLines set the values of a field beside their cells: each beside its own where there is one for each, otherwise all cells
// beside the first value.
func fieldLines(o origins, f *fed, c Control, cells []filled, values []value) []Line {
	line := Line{Field: c.Field, Name: c.Name, How: how(c)}
	if len(values) == 0 {
		line.Cells, line.Empty = o.cells(f, cells), true
		return []Line{line}
	}
	paired := beside(f, cells, values)
	var list []Line
	for n, v := range values {
		one := line
		one.Sent = v.text
		if v.item >= 0 {
			one.Field = fmt.Sprintf("%s [%d]", c.Field, v.item+1)
		}
		switch {
		case paired != nil && paired[n] != nil:
			one.Cells = o.cells(f, []filled{*paired[n]})
		case paired != nil: // a default
		case n == 0:
			one.Cells = o.cells(f, cells)
		}
		list = append(list, one)
	}
	return list
}

// bareLines are the cells of a record of a run that did not keep which columns its fields were read from.
func bareLines(o origins, f *fed) (list []Line) {
	for _, row := range f.rows {
		all := make([]int, len(row.cells))
		for n := range all {
			all[n] = n
		}
		for _, cell := range filledCells([]sheetRow{row}, func(int) []int { return all }) {
			cell.row = slices.IndexFunc(f.rows, func(r sheetRow) bool { return r.number == row.number && r.source == row.source })
			list = append(list, Line{Field: "(cell)", How: "the run did not record which field this cell was for", Cells: o.cells(f, []filled{cell}), Empty: true})
		}
	}
	return list
}

// how says where a value comes from that is not simply its cell.
func how(c Control) string {
	switch c.From {
	case "constant":
		return "constant in the mapping"
	case "expression":
		return "computed from the cells"
	case "columns":
		return "joined from the cells"
	}
	if c.Lookup != "" {
		return "looked up in " + c.Lookup
	}
	return ""
}

// shownCells is how many cells are set beside one value.
const shownCells = 12

func (o origins) cells(f *fed, cells []filled) []Cell {
	list := make([]Cell, 0, min(len(cells), shownCells))
	for _, c := range cells[:min(len(cells), shownCells)] {
		row := f.rows[c.row]
		list = append(list, Cell{Column: o.name(row.source, c.column), Cell: table.CellName(c.column, row.number), Text: c.Text})
	}
	if more := len(cells) - shownCells; more > 0 {
		list = append(list, Cell{Text: fmt.Sprintf("and %d more cells", more)})
	}
	return list
}
