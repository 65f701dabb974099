package ledger

import (
	"context"
	"database/sql"
	"iter"
	"time"

	"docketsync/importer/ledger/store"
)

const selectAttempts = `select seq, number, started_at, duration_us, status, verdict, error, answer from attempts `

func (l *Reader) attempts(ctx context.Context, run, where string, args ...any) ([]Attempt, error) {
	rows, err := l.read.QueryContext(ctx, selectAttempts+where, args...)
	if err != nil {
		return nil, err
	}
	return store.Collect(rows, func(rows *sql.Rows) (Attempt, error) {
		a := Attempt{Run: run}
		var started, duration *int64
		err := rows.Scan(&a.Seq, &a.Number, &started, &duration, &a.Status, &a.Verdict, &a.Error, &a.Answer)
		if err != nil {
			return a, err
		}
		a.Started, a.Duration = store.TimeOf(started), time.Duration(*duration)*time.Microsecond
		return a, nil
	})
}

// Attempts returns the requests made for one record, in order; none when there were none.
func (l *Reader) Attempts(ctx context.Context, run string, seq int64) ([]Attempt, error) {
	number, err := l.number(ctx, run)
	if err != nil {
		return nil, l.wrap("read attempts", err)
	}
	list, err := l.attempts(ctx, run, `where run_no = $1 and seq = $2 order by number`, number, seq)
	return list, l.wrap("read attempts", err)
}

// AllAttempts yields the requests made for all records of a run, ordered by record and number. It reads page by page,
// like Records.
func (l *Reader) AllAttempts(ctx context.Context, run string) iter.Seq2[Attempt, error] {
	return func(yield func(Attempt, error) bool) {
		number, err := l.number(ctx, run)
		if err != nil {
			yield(Attempt{}, l.wrap("read attempts", err))
			return
		}
		for last := (Attempt{}); ; {
			list, err := l.attempts(ctx, run, `where run_no = $1 and (seq, number) > ($2, $3) order by seq, number limit $4`,
				number, last.Seq, last.Number, page)
			if err != nil {
				yield(Attempt{}, l.wrap("read attempts", err))
				return
			}
			for _, last = range list {
				if !yield(last, nil) {
					return
				}
			}
			if len(list) < page {
				return
			}
		}
	}
}
