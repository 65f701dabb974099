package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"docketsync/importer/ledger/store"
)

// stretchPart is how many stretches one transaction removes, with the blocks that nothing else refers to.
const stretchPart = 500

// removeStretches removes the quiet records of a run, in parts.
func (l *Ledger) removeStretches(ctx context.Context, run int64) error {
	for left := true; left; {
		err := l.do(ctx, true, func(tx *transaction) (err error) {
			_, left, err = tx.removeStretches(run)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// removeStretches removes a part of a run's stretches, and says how many records that were and whether more are left.
func (tx *transaction) removeStretches(run int64) (records int, left bool, err error) {
	rows, err := tx.Query(fmt.Sprintf(`select first_seq, records, block, start, shift from stretches where run_no = $1 order by first_seq limit %d`, stretchPart), run)
	if err != nil {
		return 0, false, err
	}
	list, err := store.Collect(rows, scanStretch)
	if err != nil || len(list) == 0 {
		return 0, false, err
	}
	var blocks []string
	for _, s := range list {
		records += s.count
		blocks = append(blocks, strconv.FormatInt(s.number, 10))
	}
	if _, err := tx.Exec(`delete from stretches where run_no = $1 and first_seq <= $2`, run, list[len(list)-1].first); err != nil {
		return 0, false, err
	}
	return records, len(list) == stretchPart, tx.removeUnused(blocks)
}

// removeUnused removes those of some blocks that no run refers to any more. They are held first and then looked at again, so
// that a run that is planned at the same moment keeps those that it takes over.
func (tx *transaction) removeUnused(blocks []string) error {
	const unused = ` and not exists (select 1 from stretches s where s.block = blocks.number)`
	rows, err := tx.Unprepared(`select number from blocks where number in (` + strings.Join(blocks, ", ") + `)` + unused + tx.Engine().Keep(true))
	if err != nil {
		return err
	}
	mine, err := store.Collect(rows, func(rows *sql.Rows) (text string, err error) {
		err = rows.Scan(&text)
		return text, err
	})
	if err != nil || len(mine) == 0 {
		return err
	}
	return tx.Run(`delete from blocks where number in (` + strings.Join(mine, ", ") + `)` + unused)
}

// Union is records of a run that turned out to be of one key: First is written in the place of its seq, and those of the seqs
// Late are gone. Nothing of them may ever have been about to be sent.
type Union struct {
	First Record
	Late  []int64
}

// Unite makes one record of the records of each union, all of them of one run, in one transaction.
func (l *Ledger) Unite(ctx context.Context, run string, unions []Union) error {
	if len(unions) == 0 {
		return nil
	}
	doing := "put records of one key in run " + run + " together"
	number, err := l.number(ctx, run)
	if err != nil {
		return l.wrap(doing, err)
	}
	return l.wrap(doing, l.do(ctx, true, func(tx *transaction) error {
		var values []any
		for n := range unions {
			u := &unions[n]
			for _, seq := range append([]int64{u.First.Seq}, u.Late...) {
				if err := tx.takeOut(place{run, number, seq}); err != nil {
					return err
				}
			}
			if values, err = recordValues(values, number, &u.First); err != nil {
				return err
			}
		}
		_, err := tx.Bulk(insertRecords, values, nil)
		return err
	}))
}

// takeOut removes a record that has not been sent from its run.
func (tx *transaction) takeOut(p place) error {
	removed, err := tx.Exec(`delete from records where run_no = $1 and seq = $2 and sent_at is null and state in ('planned', 'rejected', 'unchanged', 'in_doubt', 'held')`, p.number, p.seq)
	if err != nil || removed > 0 {
		return err
	}
	var s stretch
	err = tx.One(`select first_seq, records, block, start, shift from stretches where run_no = $1 and first_seq <= $2 and first_seq + records > $2
		order by first_seq desc limit 1`, []any{p.number, p.seq}, &s.first, &s.count, &s.number, &s.start, &s.shift)
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("record %d: %w", p.seq, ErrNotFound)
	}
	if err != nil {
		return err
	}
	before := int(p.seq - s.first)
	parts := []stretch{
		{first: s.first, count: before, start: s.start},
		{first: p.seq + 1, count: s.count - before - 1, start: s.start + before + 1},
	}
	if _, err := tx.Exec(`delete from stretches where run_no = $1 and first_seq = $2`, p.number, s.first); err != nil {
		return err
	}
	for _, part := range parts {
		if part.count == 0 {
			continue
		}
		if _, err := tx.Bulk(insertStretches, []any{p.number, part.first, int64(part.count), s.number, int64(part.start), int64(s.shift)}, nil); err != nil {
			return err
		}
	}
	return nil
}
