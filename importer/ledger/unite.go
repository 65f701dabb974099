package ledger

import (
	"context"
	"fmt"

	"docketsync/importer/ledger/unchanged"
)

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
	found, err := unchanged.TakeOut(tx.Tx, p.number, p.seq)
	if err == nil && !found {
		err = fmt.Errorf("record %d: %w", p.seq, ErrNotFound)
	}
	return err
}
