package certificate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/mapping/table"
)

// fed is a record that counts, with what the ledger has of it.
type fed struct {
	id      int32
	entity  *entity
	run     *ledger.Run
	at      int // index of its run among those that are certified
	record  ledger.Record
	rows    [][]table.Cell
	cells   bool // the cells of its rows are kept
	payload bool // what the service holds is kept
	values  []value
}

// in reports whether the record is in.
func (f *fed) in() bool { return f.entity.in() }

// of returns the values of a field.
func (f *fed) of(field string) (list []value) {
	for _, v := range f.values {
		if v.field == field && !v.empty {
			list = append(list, v)
		}
	}
	return list
}

// batchSize is how many records are looked up at once among the known ones.
const batchSize = 500

// feed goes through the records that count once more, each with the rows and the payload that count for it.
func (c *census) feed(ctx context.Context, led *ledger.Reader, take func(*fed)) error {
	for n, run := range c.runs {
		var held []*fed
		pass := func() error {
			err := c.open(ctx, led, n, held)
			for _, f := range held {
				if err == nil {
					take(f)
				}
			}
			held = held[:0]
			return err
		}
		for r, err := range led.Records(ctx, run.ID, ledger.RecordFilter{}) {
			if err != nil {
				return fmt.Errorf("read the records of run %s: %w", run.ID, err)
			}
			id := c.entityAt(n, r.Seq)
			if id < 0 || c.entities[id].replaced || c.entities[id].basis != (place{int32(n), r.Seq}) {
				continue
			}
			held = append(held, &fed{id: id, record: r})
			if len(held) == batchSize {
				if err := pass(); err != nil {
					return err
				}
			}
		}
		if err := pass(); err != nil {
			return err
		}
	}
	return nil
}

// open completes records of a run: it reads their cells and payloads, and looks up those of unchanged records.
func (c *census) open(ctx context.Context, led *ledger.Reader, run int, held []*fed) error {
	var keys []string
	for _, f := range held {
		f.entity, f.run, f.at = &c.entities[f.id], &c.runs[run], run
		if f.entity.outcome == outcome.Unchanged && f.entity.digest != "" {
			keys = append(keys, f.entity.key)
		}
	}
	var known map[string]ledger.LastAccepted
	var err error
	if len(keys) > 0 {
		if known, err = led.Known(ctx, c.runs[run].Scope, keys); err != nil {
			return err
		}
	}
	for _, f := range held {
		if k, ok := known[f.entity.key]; ok && f.entity.outcome == outcome.Unchanged && k.Digest == f.entity.digest {
			f.record.Payload, f.record.ServiceID = k.Payload, k.ServiceID
		}
		if f.values, err = valuesOf(f.record.Payload); err != nil {
			return fmt.Errorf("record %d of run %s: %w", f.record.Seq, f.run.ID, err)
		}
		f.payload = len(f.record.Payload) > 0
		for _, row := range f.record.Rows {
			cells, err := table.StoredCells(row.Cells)
			if err != nil {
				return fmt.Errorf("record %d of run %s: %w", f.record.Seq, f.run.ID, err)
			}
			f.rows = append(f.rows, cells)
			f.cells = f.cells || cells != nil
		}
	}
	return nil
}

// value is one value of a payload: its field ("name", "tags", "files.number", or "components." and the id of the
// component that it belongs to), and the index of its entry in a list, or -1 outside of lists. number marks a JSON
// number; empty marks null, "" or an empty list.
type value struct {
	field         string
	entry         int
	text          string
	number, empty bool
}

// componentsPath precedes the ids of components; the fields of all of them are read back under the names of their
// members.
const componentsPath = "components."

// valuesOf splits a payload into its values: those of its fields in their order, then a value for each component.
func valuesOf(text json.RawMessage) (list []value, err error) {
	walked, err := payload.Walk(text)
	if err != nil {
		return nil, err
	}
	for _, v := range walked {
		if strings.HasPrefix(v.Path, "components[") {
			continue
		}
		one := value{field: v.Field(), entry: -1, text: v.Text, number: v.Literal && payload.IsNumeral(v.Text)}
		one.empty = v.IsNull() || v.Text == "" || v.Literal && (v.Text == "[]" || v.Text == "{}")
		if _, rest, listed := strings.Cut(v.Path, "["); listed {
			digits, _, _ := strings.Cut(rest, "]")
			one.entry, _ = strconv.Atoi(digits)
		}
		list = append(list, one)
	}
	components, err := payload.Components(text)
	for _, c := range components {
		list = append(list, value{field: componentsPath + c.ID, entry: -1, text: c.Value, empty: c.Value == ""})
	}
	return list, err
}

// entries is how many entries the list of a value has, -1 for a value outside of lists.
func (f *fed) entries(of value) int {
	if of.entry < 0 {
		return -1
	}
	list, _, _ := strings.Cut(of.field, ".")
	entries := 0
	for _, v := range f.values {
		if name, _, _ := strings.Cut(v.field, "."); name == list {
			entries = max(entries, v.entry+1)
		}
	}
	return entries
}

// filled is a cell with something in it.
type filled struct {
	row, column int // row is the index among the record's rows
	table.Cell
}

// filledCells returns the cells that a field was read from and that hold more than blanks; for field "", all such cells
// of the rows.
func (f *fed) filledCells(field string) (list []filled) {
	for n, cells := range f.rows {
		source := wording.SourceOf(*f.run, f.record.Rows[n].Source)
		columns := source.ColumnsOf(field)
		if field == "" {
			columns = make([]int, len(cells))
			for column := range cells {
				columns[column] = column
			}
		}
		for _, column := range columns {
			if column >= 0 && column < len(cells) && strings.TrimSpace(cells[column].Text) != "" {
				list = append(list, filled{n, column, cells[column]})
			}
		}
	}
	return list
}

// columnName is what a column is called in the header.
func columnName(run *ledger.Run, source, column int) string {
	header := wording.SourceOf(*run, source).Header
	if column < 0 || column >= len(header) {
		return ""
	}
	return header[column]
}

// beside returns for each value the cell that it is shown beside, nil for a value without one; it returns nil if nobody
// can tell. The rows of a record repeat what is the same in all of them. If every row is one entry, entries are beside
// the cells of their own row; otherwise each is beside one cell, if there are equally many and no entry lacks a value.
func (f *fed) beside(cells []filled, values []value) []*filled {
	if len(values) == 0 || len(cells) == 0 {
		return nil
	}
	found := make([]*filled, len(values))
	entries := f.entries(values[0])
	switch {
	case entries < 0:
		if slices.ContainsFunc(cells, func(c filled) bool { return c.Text != cells[0].Text || c.column != cells[0].column }) {
			return nil
		}
		found[0] = &cells[0]
	case entries == len(f.rows):
		for n, v := range values {
			for at := range cells {
				if cells[at].row != v.entry {
					continue
				}
				if found[n] != nil {
					return nil
				}
				found[n] = &cells[at]
			}
		}
	case len(values) == len(cells) && len(values) == entries:
		for n := range values {
			found[n] = &cells[n]
		}
	default:
		return nil
	}
	return found
}

// shows reports whether a cell shows what a value says: the same text, or the same day.
func (c filled) shows(v value) bool {
	text := strings.TrimSpace(c.Text)
	day, midnight := strings.CutSuffix(v.text, "T00:00:00Z")
	return text == v.text || midnight && isDay(text) && text == day
}
