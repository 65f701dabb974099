package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"docketsync/importer/ledger/store"
)

// CellCorrection is a cell that somebody corrected in place of the source. It counts when the row is read again: a row of the job with the
// key, the Nth of them, whose cell under the column still says Old.
type CellCorrection struct {
	Job    string
	Key    string // as the source has it
	Nth    int    // which row of the key, from 0
	Column string // its name in the header
	Old    string
	New    string
	Who    string
	At     time.Time
}

// Correct writes corrections down, on disk when it returns. A cell that was corrected before keeps what the source had; one that gets that again
// is no longer corrected.
func (l *Ledger) Correct(ctx context.Context, list []CellCorrection) error {
	return l.wrap("correct cells", l.do(ctx, false, func(tx *transaction) error {
		for _, c := range list {
			if c.Who == "" || c.Key == "" || c.Column == "" {
				return fmt.Errorf("a correction needs a key, a column and the name of the person")
			}
			_, err := tx.Exec(`insert into corrections (job, key, nth, name, old, corrected, who, at) values ($1, $2, $3, $4, $5, $6, $7, $8)
				on conflict (job, key, nth, name) do update set old = case when corrections.corrected = excluded.old then corrections.old else excluded.old end,
					corrected = excluded.corrected, who = excluded.who, at = excluded.at`,
				store.Plain(c.Job), store.StoredKey(c.Key), c.Nth, store.StoredKey(c.Column), store.StoredKey(c.Old), store.StoredKey(c.New), store.Plain(c.Who), l.now().UnixMicro())
			if err != nil {
				return err
			}
		}
		_, err := tx.Exec(`delete from corrections where old = corrected`)
		return err
	}))
}

// Corrections are the cells of a job's rows that were corrected, by their keys; none of most jobs.
func (l *Reader) Corrections(ctx context.Context, job string) (map[string][]CellCorrection, error) {
	if !l.sees(job) {
		return nil, nil
	}
	list, err := store.List(ctx, l.read, func(rows *sql.Rows) (c CellCorrection, err error) {
		var at *int64
		err = rows.Scan(&c.Job, &c.Key, &c.Nth, &c.Column, &c.Old, &c.New, &c.Who, &at)
		c.Key, c.Column, c.Old, c.New, c.At = store.KeyOf(c.Key), store.KeyOf(c.Column), store.KeyOf(c.Old), store.KeyOf(c.New), store.TimeOf(at)
		return c, err
	}, `select job, key, nth, name, old, corrected, who, at from corrections where job = $1 order by key, nth, name`, store.Plain(job))
	if err != nil || len(list) == 0 {
		return nil, l.wrap("read what was corrected", err)
	}
	found := map[string][]CellCorrection{}
	for _, c := range list {
		found[c.Key] = append(found[c.Key], c)
	}
	return found, nil
}
