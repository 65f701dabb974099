package history

import (
	"cmp"
	"context"
	"database/sql"
	"iter"
	"slices"
	"time"

	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// Most requests are the only one for their record and are accepted with the same words as all others. Such a request
// has no row among the attempts. Its record stores how long it took (took_us; sent_at is when it began), and the run
// stores the answer once, with {id} for the id that the service gave. When the request is read, it is rebuilt from
// these, letter by letter. An answer that could not be rebuilt exactly has a row.
const (
	writtenAttempts  = ` from attempts `
	ordinaryAttempts = ` from (select r.run_no, r.seq, r.attempts as number, r.sent_at as started_at, r.took_us as duration_us, r.status,
		'accepted' as verdict, '' as error, replace(u.answer, '` + handle.IDInAnswer + `', r.service_id) as answer
		from records r join runs u on u.number = r.run_no where r.took_us is not null) as a `
)

// earlier orders attempts by record and number.
func earlier(a, b model.Attempt) int {
	return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Number, b.Number))
}

// Attempts returns the requests made for one record, in order, or none.
func (l *Reader) Attempts(ctx context.Context, run string, seq int64) ([]model.Attempt, error) {
	return l.AttemptsAt(ctx, run, []int64{seq})
}

// AttemptsAt returns the requests made for the records of a run that have these seqs, ordered by record and number.
func (l *Reader) AttemptsAt(ctx context.Context, run string, seqs []int64) ([]model.Attempt, error) {
	if len(seqs) == 0 {
		return nil, nil
	}
	return handle.Of(ctx, l.h, "read attempts", run, func(number int64) (list []model.Attempt, err error) {
		var c store.Clauses
		c.Where("run_no = %s", number)
		store.Among(&c, "seq", seqs)
		for _, from := range []string{writtenAttempts, ordinaryAttempts} {
			some, err := l.attempts(ctx, run, from+c.Text(), c.Args...)
			if err != nil {
				return nil, err
			}
			list = append(list, some...)
		}
		slices.SortFunc(list, earlier)
		return list, nil
	})
}

// attempts reads requests of a run.
func (l *Reader) attempts(ctx context.Context, run, from string, args ...any) ([]model.Attempt, error) {
	return handle.List(ctx, l.h, "read attempts", func(rows *sql.Rows) (model.Attempt, error) {
		a := model.Attempt{Run: run}
		err := rows.Scan(&a.Seq, &a.Number, (*store.Time)(&a.Started), &a.Duration, &a.Status, &a.Verdict, &a.Error, &a.Answer)
		a.Duration *= time.Microsecond
		return a, err
	}, `select seq, number, started_at, duration_us, status, verdict, error, answer`+from, args...)
}

// AllAttempts yields the requests made for all records of a run, ordered by record and number. It reads page by page,
// like Records.
func (l *Reader) AllAttempts(ctx context.Context, run string) iter.Seq2[model.Attempt, error] {
	return l.attemptPages(ctx, run, Page, func(from string, args ...any) ([]model.Attempt, error) { return l.attempts(ctx, run, from, args...) })
}

// Timings yields the requests made for all records of a run as AllAttempts does, without the answers and errors.
func (l *Reader) Timings(ctx context.Context, run string) iter.Seq2[model.Attempt, error] {
	return l.attemptPages(ctx, run, briefPage, func(from string, args ...any) ([]model.Attempt, error) {
		var v, into [6]any
		for n := range v {
			into[n] = &v[n]
		}
		return handle.List(ctx, l.h, "read attempts", func(rows *sql.Rows) (model.Attempt, error) {
			err := rows.Scan(into[:]...)
			return model.Attempt{Seq: number(v[0]), Number: int(number(v[1])), Started: time.UnixMicro(number(v[2])).UTC(),
				Duration: time.Duration(number(v[3])) * time.Microsecond, Status: int(number(v[4])), Verdict: text(v[5])}, err
		}, `select seq, number, started_at, duration_us, status, verdict`+from, args...)
	})
}

// Silent returns since when the service has not given any answer that settles a request of a run: the start of the
// first request after the last one that it answered so. It returns the zero time if there was no request, or the last
// one was answered.
func (l *Reader) Silent(ctx context.Context, run string) (time.Time, error) {
	return handle.Of(ctx, l.h, "read attempts", run, func(number int64) (since time.Time, err error) {
		err = l.h.Read.One(ctx, `select min(started_at) from attempts where run_no = $1 and started_at > coalesce((select max(at) from (
			select max(started_at) as at from attempts where run_no = $1 and status between 200 and 499 and status not in (408, 425, 429)
			union all select max(sent_at) from records where run_no = $1 and took_us is not null) as answered), 0)`, []any{number}, (*store.Time)(&since))
		return since, err
	})
}

// attemptPages yields the requests of a run in order, read in pages of that size.
func (l *Reader) attemptPages(ctx context.Context, run string, size int, read func(from string, args ...any) ([]model.Attempt, error)) iter.Seq2[model.Attempt, error] {
	pages := func(from string) iter.Seq2[model.Attempt, error] {
		return store.Pages(size, func(last model.Attempt) ([]model.Attempt, error) {
			runNumber, err := l.h.Number(ctx, run)
			if err != nil {
				return nil, l.h.Wrap("read attempts", err)
			}
			return read(from+`where run_no = $1 and (seq, number) > ($2, $3) order by seq, number limit $4`, runNumber, last.Seq, last.Number, size)
		})
	}
	return merged(pages(writtenAttempts), pages(ordinaryAttempts), func(a, b model.Attempt) bool { return earlier(a, b) < 0 })
}

// merged yields what two sequences yield, in the order of less, until there is an error.
func merged[T any](a, b iter.Seq2[T, error], less func(a, b T) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		next, stop := iter.Pull2(a)
		defer stop()
		first, err, more := next()
		for second, failed := range b {
			for ; more && (err != nil || failed == nil && less(first, second)); first, err, more = next() {
				if !yield(first, err) || err != nil {
					return
				}
			}
			if !yield(second, failed) || failed != nil {
				return
			}
		}
		for ; more; first, err, more = next() {
			if !yield(first, err) || err != nil {
				return
			}
		}
	}
}
