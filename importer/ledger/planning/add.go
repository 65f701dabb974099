package planning

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"docketsync/importer/ledger/bundle"
	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/evidence"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
	"docketsync/importer/ledger/unchanged"
	"docketsync/mapping/reason"
)

// insertRecords leaves out a record whose key the run has; a seq that the run has is an error. insertPlain does the
// same for records of which nothing is stored but where their content is, as for nearly all: each column less makes a
// record cheaper.
var (
	insertRecords = &store.Bulk{
		Text: `insert into records (run_no, scope, action, state, repeatable, seq, bundle, key, digest, source_rows, service_id, payload, body, previous,
			reasons, notes, entries, status, message, attempts, settled_at, rank) values {rows}` + leaveOut,
		Columns: make([]string, evidence.PlainWidth+11),
		Same:    evidence.PlainSame,
	}
	insertPlain = plainWith(``)
	// insertRanked is insertPlain for records of a plan that has an order.
	insertRanked = plainWith(`, rank`)
)

func plainWith(column string) *store.Bulk {
	return &store.Bulk{
		Text:    `insert into records (run_no, scope, action, state, repeatable, seq, bundle, key, digest, source_rows, service_id` + column + `, status, message, attempts) values {rows}` + leaveOut,
		Columns: make([]string, evidence.PlainWidth+strings.Count(column, ",")),
		Same:    evidence.PlainSame,
		Rest:    `, 0, '', 0`,
	}
}

const leaveOut = ` on conflict (run_no, key) where key <> '' do nothing`

// Add writes records as the first pass decided them. It leaves out records whose key the run already has, in the ledger
// or earlier in records, and returns their indexes. Records without a key are never left out. The runs must have begun,
// and a seq must stand for one record only.
//
// What Add wrote may be lost in a power failure until SaveRun has returned, so that planning does not wait for the
// disk. The run is then as it was before.
func (l *Writer) Add(ctx context.Context, records []model.Record) (conflicts []int, err error) {
	numbers := make([]int64, len(records))
	for n := range records {
		if numbers[n], err = l.w.Number(ctx, records[n].Run); err != nil {
			return nil, l.w.Wrap("add records", err)
		}
	}
	bundles := bundle.Pack(records)
	err = l.w.Do(ctx, true, func(tx *handle.Tx) error {
		conflicts = nil
		in, err := bundle.Insert(tx, bundles, numbers)
		if err != nil {
			return err
		}
		room := make([]any, 0, store.Chunk*len(insertRecords.Columns))
		for from := 0; from < len(records); from += store.Chunk {
			to := min(from+store.Chunk, len(records))
			left, err := insert(tx, room, records[from:to], numbers[from:to], in[from:to])
			if err != nil {
				return err
			}
			for _, n := range left {
				conflicts = append(conflicts, from+n)
			}
		}
		return nil
	})
	if err != nil {
		return nil, l.w.Wrap("add records", err)
	}
	return conflicts, nil
}

// insert writes some records whose content is in bundles and returns the indexes of those that were left out. values is
// room for their values.
func insert(tx *handle.Tx, values []any, records []model.Record, runs []int64, bundles []any) (left []int, err error) {
	how := insertPlain
	if slices.ContainsFunc(records, func(r model.Record) bool { return r.Rank != 0 }) {
		how = insertRanked
	}
	if slices.ContainsFunc(records, func(r model.Record) bool { return !plain(&r) }) {
		how = insertRecords
	}
	for n := range records {
		r := &records[n]
		if at := len(values) - len(how.Columns); n > 0 && runs[n] == runs[n-1] && sameFront(r, &records[n-1]) {
			values = append(values, values[at:at+evidence.PlainSame]...) // sharing a value saves the memory of a new one
		} else {
			values = frontValues(values, runs[n], r)
		}
		values = ownValues(values, r, bundles[n], model.StoredRows(r.Rows, false))
		switch how {
		case insertPlain:
			continue
		case insertRanked:
			values = append(values, store.Optional(r.Rank))
			continue
		}
		if values, err = otherValues(append(values, nil, nil, nil), r); err != nil {
			return nil, fmt.Errorf("record %d of run %s: %w", r.Seq, r.Run, err)
		}
	}
	_, err = tx.Bulk(how, values, func(from, to int) error {
		found, err := leftOut(tx, records, runs, from, to)
		left = append(left, found...)
		return err
	})
	if err != nil {
		return nil, err
	}
	for n := range records {
		v := values[n*len(how.Columns) : (n+1)*len(how.Columns)]
		if len(left) > 0 && slices.Contains(left, n) {
			continue
		}
		if err := tx.NoteAll(runs[n], func() { evidence.NotePlanned(tx, runs[n], v) }); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// plain reports whether insertPlain stores all of a record.
func plain(r *model.Record) bool {
	return len(r.Reasons)+len(r.Notes)+len(r.Entries) == 0 && r.Status == 0 && r.Message == "" && r.Attempts == 0 && r.Settled.IsZero()
}

// recordValues returns the columns of a record that is in no bundle. Its rows come with their cells.
func recordValues(values []any, run int64, r *model.Record) ([]any, error) {
	values = ownValues(frontValues(values, run, r), r, nil, model.StoredRows(r.Rows, true))
	return otherValues(append(values, store.Raw(r.Payload), store.Raw(r.Body), store.Raw(r.Previous)), r)
}

// frontValues appends the values of the columns that are mostly the same in neighbouring records; sameFront reports
// whether they are.
func frontValues(values []any, run int64, r *model.Record) []any {
	return append(values, run, store.Plain(r.Scope), string(r.Action), string(r.State), r.Repeatable)
}

func sameFront(a, b *model.Record) bool {
	return a.Scope == b.Scope && a.Action == b.Action && a.State == b.State && a.Repeatable == b.Repeatable
}

func ownValues(values []any, r *model.Record, bundle any, rows string) []any {
	return append(values, r.Seq, bundle, store.StoredKey(r.Key), r.Digest, rows, store.Plain(r.ServiceID))
}

func otherValues(values []any, r *model.Record) ([]any, error) {
	reasons, unreasoned := store.Listed(reason.Stored(r.Reasons))
	notes, unnoted := store.Listed(reason.Stored(r.Notes))
	entries, unlisted := store.Listed(r.Entries)
	return append(values, reasons, notes, entries, int64(r.Status), store.Plain(r.Message), int64(r.Attempts), store.Micros(r.Settled), store.Optional(r.Rank)), errors.Join(unreasoned, unnoted, unlisted)
}

// leftOut finds which of the records from … to were not inserted.
func leftOut(tx *handle.Tx, records []model.Record, runs []int64, from, to int) ([]int, error) {
	var c store.Clauses
	var pairs []string
	for n := from; n < to; n++ {
		pairs = append(pairs, fmt.Sprintf("(run_no = %s and seq = %s)", c.Param(runs[n]), c.Param(records[n].Seq)))
	}
	there := map[model.Place]bool{}
	err := store.Each(tx.Query, func(rows *sql.Rows) error {
		var p model.Place
		err := rows.Scan(&p.Number, &p.Seq)
		there[p] = true
		return err
	}, `select run_no, seq from records where `+strings.Join(pairs, " or "), c.Args...)
	var left []int
	for n := from; n < to; n++ {
		if !there[model.Place{Number: runs[n], Seq: records[n].Seq}] {
			left = append(left, n)
		}
	}
	return left, err
}

const updateRecord = `update records set scope = $2, action = $3, state = $4, repeatable = $5, bundle = $7, key = $8, digest = $9, source_rows = $10,
	service_id = $11, payload = $12, body = $13, previous = $14, reasons = $15, notes = $16, entries = $17, status = $18, message = $19, attempts = $20, settled_at = $21, rank = $22
	where run_no = $1 and seq = $6 and sent_at is null and state in ('planned', 'rejected', 'unchanged', 'in_doubt', 'held')`

// Replace overwrites records that the first pass has added, each by its run and seq, all of them or none. A record that
// was ever about to be sent cannot be replaced: the error is a *TransitionError.
func (l *Writer) Replace(ctx context.Context, records ...model.Record) error {
	if len(records) == 0 {
		return nil
	}
	err := l.w.Do(ctx, true, func(tx *handle.Tx) error {
		for n := range records {
			if err := ReplaceIn(ctx, l.w, tx, &records[n]); err != nil {
				return fmt.Errorf("record %d of run %s: %w", records[n].Seq, records[n].Run, err)
			}
		}
		return nil
	})
	return l.w.Wrap("replace records", err)
}

// ReplaceIn is Replace for one record in a transaction.
func ReplaceIn(ctx context.Context, w *handle.Writer, tx *handle.Tx, r *model.Record) error {
	number, err := w.Number(ctx, r.Run)
	if err != nil {
		return err
	}
	values, err := recordValues(nil, number, r)
	if err != nil {
		return err
	}
	changed, err := tx.Exec(updateRecord, values...)
	if err != nil {
		return err
	}
	if changed == 1 {
		return tx.NoteAll(number, func() { evidence.NotePlanned(tx, number, values) })
	}
	from, _, err := tx.Standing(model.Place{Run: r.Run, Number: number, Seq: r.Seq})
	if err != nil {
		return err
	}
	return &handle.TransitionError{Run: r.Run, Seq: r.Seq, From: from, To: r.State}
}

// Union is records of a run that turned out to have one key: First is written at its seq, and the records at the seqs
// Late are removed. None of them may ever have been about to be sent.
type Union struct {
	First model.Record
	Late  []int64
}

// Unite merges the records of each union into one, all of them of one run, in one transaction.
func (l *Writer) Unite(ctx context.Context, run string, unions []Union) error {
	if len(unions) == 0 {
		return nil
	}
	return l.w.DoFor(ctx, "put records of one key in run "+run+" together", run, true, func(tx *handle.Tx, number int64) (err error) {
		var values []any
		for n := range unions {
			u := &unions[n]
			for _, seq := range append([]int64{u.First.Seq}, u.Late...) {
				if err := takeOut(tx, model.Place{Run: run, Number: number, Seq: seq}); err != nil {
					return err
				}
				if err := tx.NoteAll(number, func() { tx.Note(number, chain.Op{What: chain.TakenOut, Seq: seq}) }); err != nil {
					return err
				}
			}
			if values, err = recordValues(values, number, &u.First); err != nil {
				return err
			}
		}
		if _, err := tx.Bulk(insertRecords, values, nil); err != nil {
			return err
		}
		return tx.NoteAll(number, func() {
			for v := range slices.Chunk(values, len(insertRecords.Columns)) {
				evidence.NotePlanned(tx, number, v)
			}
		})
	})
}

// takeOut removes a record that has not been sent from its run.
func takeOut(tx *handle.Tx, p model.Place) error {
	removed, err := tx.Exec(`delete from records where run_no = $1 and seq = $2 and sent_at is null and state in ('planned', 'rejected', 'unchanged', 'in_doubt', 'held')`, p.Number, p.Seq)
	if err != nil || removed > 0 {
		return err
	}
	found, err := unchanged.TakeOut(tx.Tx, p.Number, p.Seq)
	if err == nil && !found {
		err = fmt.Errorf("record %d: %w", p.Seq, handle.ErrNotFound)
	}
	return err
}
