package certificate

import (
	"context"
	"fmt"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/report/outcome"
	"docketsync/mapping/table"
)

// fed is a record that counts, with what the ledger has of it.
type fed struct {
	id      int32
	entity  *entity
	run     int
	record  ledger.Record
	rows    []sheetRow
	cells   bool // the cells of its rows are kept
	payload bool // what the service holds is kept
	values  []value
}

// in tells whether the record is in.
func (f *fed) in() bool { return f.entity.in() }

// values by path.
func (f *fed) at(path string) (list []value) {
	for _, v := range f.values {
		if v.path == path && !v.empty {
			list = append(list, v)
		}
	}
	return list
}

// entries is how many entries the list has that a value is of, -1 for a value outside of lists.
func (f *fed) entries(of value) int {
	if of.item < 0 {
		return -1
	}
	list, _, _ := strings.Cut(of.path, ".")
	entries := 0
	for _, v := range f.values {
		if name, _, _ := strings.Cut(v.path, "."); name == list {
			entries = max(entries, v.item+1)
		}
	}
	return entries
}

// feed goes through the records that count once more, each with the rows and the payload that stand for it.
func (c *census) feed(ctx context.Context, led *ledger.Reader, take func(*fed) error) error {
	for n, run := range c.runs {
		b := batch{census: c, led: led, run: n, take: take}
		for r, err := range led.Records(ctx, run.ID, ledger.RecordFilter{}) {
			if err != nil {
				return fmt.Errorf("read the records of run %s: %w", run.ID, err)
			}
			if r.Seq >= int64(len(c.at[n])) || !c.stands(c.at[n][r.Seq], place{int32(n), r.Seq}) {
				continue
			}
			if err := b.add(ctx, c.at[n][r.Seq], r); err != nil {
				return err
			}
		}
		if err := b.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// stands tells whether a record is the one that stands for its entity.
func (c *census) stands(id int32, at place) bool {
	return id >= 0 && !c.entities[id].replaced && c.entities[id].basis == at
}

// batchSize is how many records are looked up in what is known at once.
const batchSize = 500

// batch holds records until what is known of those that were unchanged can be asked for together.
type batch struct {
	census *census
	led    *ledger.Reader
	run    int
	take   func(*fed) error
	held   []*fed
}

func (b *batch) add(ctx context.Context, id int32, r ledger.Record) error {
	b.held = append(b.held, &fed{id: id, entity: &b.census.entities[id], run: b.run, record: r})
	if len(b.held) < batchSize {
		return nil
	}
	return b.flush(ctx)
}

func (b *batch) flush(ctx context.Context) error {
	byScope := map[string][]string{}
	for _, f := range b.held {
		if f.entity.outcome == outcome.Unchanged && f.entity.digest != "" {
			byScope[f.record.Scope] = append(byScope[f.record.Scope], f.entity.key)
		}
	}
	for scope, keys := range byScope {
		known, err := b.led.Known(ctx, scope, keys)
		if err != nil {
			return err
		}
		for _, f := range b.held {
			k, ok := known[f.entity.key]
			if ok && f.record.Scope == scope && f.entity.outcome == outcome.Unchanged && k.Digest == f.entity.digest {
				f.record.Payload, f.record.ServiceID = k.Payload, k.ServiceID
			}
		}
	}
	for _, f := range b.held {
		if err := f.open(); err != nil {
			return fmt.Errorf("record %d of run %s: %w", f.record.Seq, b.census.runs[b.run].ID, err)
		}
		if err := b.take(f); err != nil {
			return err
		}
	}
	b.held = b.held[:0]
	return nil
}

// open reads the cells and the payload.
func (f *fed) open() (err error) {
	for _, row := range f.record.Rows {
		cells, err := table.StoredCells(row.Cells)
		if err != nil {
			return err
		}
		f.rows = append(f.rows, sheetRow{row.Source, row.Number, cells})
		f.cells = f.cells || cells != nil
	}
	f.values, err = valuesOf(f.record.Payload)
	f.payload = len(f.record.Payload) > 0
	return err
}

// origins are where the fields of a run's sources were read from.
type origins struct {
	run *ledger.Run
}

// of is the origin of a field in a source.
func (o origins) of(source int, field string) (ledger.Origin, bool) {
	if source >= 0 && source < len(o.run.Sources) {
		for _, origin := range o.run.Sources[source].Origins {
			if origin.Field == field {
				return origin, true
			}
		}
	}
	return ledger.Origin{}, false
}

// columns are the columns of a field, by source.
func (o origins) columns(field string) func(source int) []int {
	return func(source int) []int {
		origin, _ := o.of(source, field)
		return origin.Columns
	}
}

// name is what a column is called in the header.
func (o origins) name(source, column int) string {
	if source < 0 || source >= len(o.run.Sources) || column < 0 || column >= len(o.run.Sources[source].Header) {
		return ""
	}
	return o.run.Sources[source].Header[column]
}
