package rows

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"docketsync/config/diagnostic"
	"docketsync/importer/guard"
	"docketsync/importer/ledger"
	"docketsync/mapping"
	"docketsync/mapping/table"
)

// Reader is the first half of the first pass: it turns the rows of a walk into mapped records, batch by batch, and
// accounts for all rows.
type Reader struct {
	Walk   Walk
	Book   *ledger.Ledger
	Run    *ledger.Run      // its counts and notes are complete when everything is read
	Last   *ledger.Baseline // the last run, by which records are recognised
	Notes  []any            // notes of the run beside what is detected
	Report func(rows int)

	made    *maker
	columns guard.ColumnProfile
	aside   aside
	batch   batch
	one     [1]table.Row      // the current row
	wrong   diagnostic.Faults // of columns that are probably wrong
}

// Begin makes the reader ready to read.
func (r *Reader) Begin() {
	r.made, r.aside = newMaker(r.Walk.Mapping), aside{book: r.Book, run: r.Run.ID}
	r.batch = batch{last: r.Last, used: make(chan *Batch, 4), now: &Batch{}}
}

// Sources returns the files and sheets read so far.
func (r *Reader) Sources() *Sources { return r.made.sources }

// Profile returns what the columns hold.
func (r *Reader) Profile() *guard.ColumnProfile { return &r.columns }

// Done takes back an emitted batch, so that its memory is reused.
func (r *Reader) Done(b *Batch) { r.batch.done(b) }

// Read maps every row of every input and emits the records in batches. It sets the rows of a grouped mapping aside
// first.
func (r *Reader) Read(ctx context.Context, emit func(context.Context, *Batch) error) error {
	r.batch.emit = func(ctx context.Context, full *Batch) error {
		r.Report(r.Run.Counts.Read)
		return emit(ctx, full)
	}
	r.Run.Counts.Skipped = map[string]int{}
	var detected []any
	err := r.Walk.Each(ctx, func(t *Table) error {
		err := r.table(ctx, t)
		detected = append(detected, t.Detected())
		return err
	})
	if err != nil {
		return err
	}
	if r.Walk.Mapping.Grouped() && len(r.wrong) == 0 {
		if err := r.aside.groups(ctx, r.made, r.batch.add); err != nil {
			return err
		}
	}
	if err := append(r.wrong, r.made.contradictions()...).Err(); err != nil {
		return err
	}
	notes, err := json.Marshal(slices.Concat(detected, r.Notes, respelledNotes(r.made.mappers)))
	if err != nil {
		return fmt.Errorf("keep what was detected: %w", err)
	}
	r.Run.Notes = notes
	return r.batch.flush(ctx)
}

// table reads one input.
func (r *Reader) table(ctx context.Context, t *Table) error {
	r.columns.Begin(t.Header())
	r.made.open(t)
	for row, err := range t.allRows(ctx) {
		if err != nil {
			return err
		}
		if err := r.row(ctx, t, row); err != nil {
			return err
		}
	}
	r.made.sources.read(t)
	r.wrong = append(r.wrong, wrongColumns(t)...)
	return r.aside.flush(ctx)
}

// row accounts for one row: it is skipped, set aside, or becomes a record of its own.
func (r *Reader) row(ctx context.Context, t *Table, row table.Row) error {
	counts := &r.Run.Counts
	counts.Read++
	if counts.Read%BatchSize == 0 {
		r.Report(counts.Read)
	}
	if row.Skip != "" {
		counts.Skipped[row.Skip]++
		return nil
	}
	r.columns.Add(row)
	key, skip, reasons := t.Mapper.Key(row)
	if skip != "" {
		t.Disregard()
		counts.Skipped[skip]++
		return nil
	}
	counts.InRecords++
	switch {
	case len(reasons) > 0 && r.Walk.Mapping.Grouped():
		return r.batch.add(ctx, r.made.mapped(key, mapping.Record{}, reasons), row)
	case r.Walk.Mapping.Grouped():
		return r.aside.add(ctx, key, row)
	}
	r.one[0] = row
	record, reasons := t.Mapper.MapInPlace(r.one[:])
	return r.batch.add(ctx, r.made.mapped(key, record, reasons), r.one[:]...)
}
