package ledger

import (
	"context"
	"fmt"
	"strings"

	"docketsync/importer/ledger/store"
)

// insertRecords leaves out a record whose key the run has; a seq that the run has is an error.
var insertRecords = &store.Bulk{
	Text: `insert into records (run_no, seq, scope, key, action, state, digest, payload, body, previous, repeatable,
		source_rows, reasons, notes, entries, service_id, status, message, attempts, settled_at)
		values {rows} on conflict (run_no, key) where key <> '' do nothing`,
	Columns: make([]string, recordWidth),
}

const recordWidth = 20

// Add writes records as the first pass decided them, and returns the indexes of those whose key the run already has,
// in the ledger or earlier in records: they were left out. Records without a key are never left out. The runs must have
// begun, and a seq stands for one record only.
//
// What Add wrote may be lost with the machine's power until SaveRun has returned, so that planning does not wait for
// the disk; the run is then found as it was before.
func (l *Ledger) Add(ctx context.Context, records []Record) (conflicts []int, err error) {
	values := make([]any, 0, len(records)*recordWidth)
	for n := range records {
		r := &records[n]
		number, err := l.number(ctx, r.Run)
		if err != nil {
			return nil, l.wrap("add records", err)
		}
		if values, err = recordValues(values, number, r); err != nil {
			return nil, fmt.Errorf("add record %d of run %s: %w", r.Seq, r.Run, err)
		}
	}
	err = l.do(ctx, true, func(tx *transaction) error {
		conflicts = nil
		_, err := tx.Bulk(insertRecords, values, func(from, to int) error {
			left, err := tx.leftOut(values, from, to)
			conflicts = append(conflicts, left...)
			return err
		})
		return err
	})
	if err != nil {
		return nil, l.wrap("add records", err)
	}
	return conflicts, nil
}

func recordValues(values []any, run int64, r *Record) ([]any, error) {
	reasons, err := store.Listed(r.Reasons)
	if err != nil {
		return values, err
	}
	notes, err := store.Listed(r.Notes)
	if err != nil {
		return values, err
	}
	entries, err := store.Listed(r.Entries)
	if err != nil {
		return values, err
	}
	return append(values, run, r.Seq, store.Plain(r.Scope), store.StoredKey(r.Key), string(r.Action), string(r.State), r.Digest,
		store.Raw(r.Payload), store.Raw(r.Body), store.Raw(r.Previous), r.Repeatable, storedRows(r.Rows), reasons, notes, entries,
		store.Plain(r.ServiceID), int64(r.Status), store.Plain(r.Message), int64(r.Attempts), store.Micros(r.Settled)), nil
}

// leftOut finds which of the records from … to were not inserted.
func (tx *transaction) leftOut(values []any, from, to int) ([]int, error) {
	var c store.Clauses
	var pairs []string
	for n := from; n < to; n++ {
		row := values[n*recordWidth:]
		pairs = append(pairs, fmt.Sprintf("(run_no = %s and seq = %s)", c.Param(row[0]), c.Param(row[1])))
	}
	rows, err := tx.Query(`select run_no, seq from records where `+strings.Join(pairs, " or "), c.Args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	type place struct{ run, seq int64 }
	there := map[place]bool{}
	for rows.Next() {
		var p place
		if err := rows.Scan(&p.run, &p.seq); err != nil {
			return nil, err
		}
		there[p] = true
	}
	var left []int
	for n := from; n < to; n++ {
		row := values[n*recordWidth:]
		if !there[place{row[0].(int64), row[1].(int64)}] {
			left = append(left, n)
		}
	}
	return left, rows.Err()
}

const updateRecord = `update records set scope = $3, key = $4, action = $5, state = $6, digest = $7, payload = $8, body = $9,
	previous = $10, repeatable = $11, source_rows = $12, reasons = $13, notes = $14, entries = $15, service_id = $16,
	status = $17, message = $18, attempts = $19, settled_at = $20
	where run_no = $1 and seq = $2 and sent_at is null and state in ('planned', 'rejected', 'unchanged', 'in_doubt', 'held')`

// Replace writes records anew that the first pass has added, each under its run and seq, all of them or none. A record that
// was ever about to be sent cannot be replaced: the error is a *TransitionError.
func (l *Ledger) Replace(ctx context.Context, records ...Record) error {
	if len(records) == 0 {
		return nil
	}
	err := l.do(ctx, true, func(tx *transaction) error {
		for n := range records {
			if err := l.replace(ctx, tx, &records[n]); err != nil {
				return fmt.Errorf("record %d of run %s: %w", records[n].Seq, records[n].Run, err)
			}
		}
		return nil
	})
	return l.wrap("replace records", err)
}

func (l *Ledger) replace(ctx context.Context, tx *transaction, r *Record) error {
	number, err := l.number(ctx, r.Run)
	if err != nil {
		return err
	}
	values, err := recordValues(nil, number, r)
	if err != nil {
		return err
	}
	changed, err := tx.Exec(updateRecord, values...)
	if err != nil || changed == 1 {
		return err
	}
	from, _, err := tx.standing(place{r.Run, number, r.Seq})
	if err != nil {
		return err
	}
	return &TransitionError{Run: r.Run, Seq: r.Seq, From: from, To: r.State}
}
