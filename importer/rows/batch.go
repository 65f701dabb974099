package rows

import (
	"context"

	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/unchanged"
	"docketsync/mapping/table"
)

// BatchSize is how many records go to the ledger at once: enough to share the cost of a transaction, few enough that
// memory stays flat.
const BatchSize = 1000

// batchRows is how many rows fill a batch, however few its records are.
const batchRows = 4 * BatchSize

// batchBytes is how many bytes of text and payload fill a batch: a few cells may be as large as a book.
const batchBytes = 16 << 20

// Record is a record on its way from the mapping to the plan, with the rows it was made of. A record that is the same
// as in the last run has neither payload nor cells, because nothing will be made of them.
type Record struct {
	decide.Mapped
	Rows []table.Row
	Same unchanged.Same
}

// Batch is records that go together. It owns their rows, cells and payloads, which are valid until Reader.Done.
type Batch struct {
	Records []Record

	rows     []table.Row  // of the records
	cells    []table.Cell // of the rows, copied
	payloads []byte       // of the records, copied
}

// batch collects records and emits them, many at once.
type batch struct {
	emit func(context.Context, *Batch) error
	// used returns emitted batches that are done with, so that their memory is reused.
	used chan *Batch
	last *ledger.Baseline // the last run, by which records are recognised
	now  *Batch
	held struct{ rows, bytes int } // by now
}

// add puts a record into the batch. It copies the payload and the cells of the rows, because the mapper and the source
// reuse them.
func (b *batch) add(ctx context.Context, m decide.Mapped, rows ...table.Row) error {
	same, err := b.recognise(ctx, m)
	if err != nil {
		return err
	}
	to := b.now
	to.rows = room(to.rows, len(rows), BatchSize)
	from := len(to.rows)
	for _, row := range rows {
		if same.Found() {
			to.rows = append(to.rows, table.Row{Source: row.Source, Number: row.Number})
			continue
		}
		row.Cells = keep(&to.cells, row.Cells, 8192)
		for n := range row.Cells {
			b.held.bytes += len(row.Cells[n].Text)
		}
		if len(m.Reasons) > 0 {
			markMissing(row)
		}
		to.rows = append(to.rows, row)
	}
	if same.Found() {
		m.Payload = nil
	} else {
		m.Payload = keep(&to.payloads, m.Payload, 64<<10)
		b.held.bytes += len(m.Payload)
	}
	to.Records = append(to.Records, Record{Mapped: m, Rows: to.rows[from:len(to.rows):len(to.rows)], Same: same})
	if b.held.rows += len(rows); len(to.Records) < BatchSize && b.held.rows < batchRows && b.held.bytes < batchBytes {
		return nil
	}
	return b.flush(ctx)
}

// recognise finds a record that is as it was in the last run. A record with a note is never recognised, because the
// note is repeated every night.
func (b *batch) recognise(ctx context.Context, m decide.Mapped) (unchanged.Same, error) {
	same, err := b.last.Same(ctx, m.Key, m.Digest)
	if len(m.Reasons)+len(m.Notes) > 0 {
		return unchanged.Same{}, err
	}
	return same, err
}

// room makes sure that a list can take more elements without being moved, because others refer to its elements. If they
// do not fit, it returns a new, larger list.
func room[T any](list []T, more, least int) []T {
	if len(list)+more <= cap(list) {
		return list
	}
	return make([]T, 0, max(2*cap(list), more, least))
}

// keep copies some to the end of a list. nil stays nil.
func keep[T any](list *[]T, some []T, least int) []T {
	if some == nil {
		return nil
	}
	*list = append(room(*list, len(some), least), some...)
	end := len(*list)
	return (*list)[end-len(some) : end : end]
}

// flush emits what is left.
func (b *batch) flush(ctx context.Context) error {
	if len(b.now.Records) == 0 {
		return nil
	}
	full := b.now
	b.held.rows, b.held.bytes = 0, 0
	select {
	case b.now = <-b.used:
	default:
		b.now = &Batch{Records: make([]Record, 0, BatchSize)}
	}
	return b.emit(ctx, full)
}

// done takes back an emitted batch, so that its memory is reused.
func (b *batch) done(full *Batch) {
	clear(full.Records)
	*full = Batch{full.Records[:0], full.rows[:0], full.cells[:0], full.payloads[:0]}
	select {
	case b.used <- full:
	default:
	}
}

// markMissing marks the cells that a rejected row is too short to have as errors. A blank would look like something
// that somebody entered: if the row is imported again as it is, it must not pass for a corrected one.
func markMissing(row table.Row) {
	for _, fault := range row.Faults {
		for n := fault.Column; fault.Onward && n < len(row.Cells); n++ {
			row.Cells[n] = table.Cell{Kind: table.Error, Text: "#N/A"}
		}
	}
}
