package ledger

import (
	"context"
	"database/sql"
	"errors"

	"docketsync/importer/ledger/store"
)

// free tells whether nothing of a record's key may have been acted on without an outcome.
const pendingColumns = `select seq, scope, key, action, digest, payload, body, repeatable, entries, bundle,
	coalesce(rank, 0), r.key <> '' and not exists (select 1 from records d
		where d.scope = r.scope and d.key = r.key and d.state in ('sending', 'in_doubt') and d.sent_at is not null) as free
	from records r `

const (
	selectPending = pendingColumns + `where run_no = $1 and state = 'planned' and seq > $2 order by seq limit $3`
	selectNearest = pendingColumns + `where run_no = $1 and state = 'planned' and rank is not null and (rank, seq) > ($2, $3) order by rank, seq limit $4`
)

// Pending returns up to limit planned records of a run whose seq is greater than after, in order; none when all are
// settled or under way. Behind another page (after is not 0) records may be among them whose intent was committed since that
// page was read. They come with what it takes to send them and to settle them, without rows, notes and previous
// payload.
func (l *Ledger) Pending(ctx context.Context, run string, after int64, limit int) ([]Record, error) {
	var list []Record
	err := l.patiently(ctx, func() (err error) {
		list, err = l.pending(ctx, run, selectPending, after, limit)
		return err
	})
	return list, l.wrap("read what is planned", err)
}

// PendingNearest is Pending for a run that has an order: the records come by rank and, of one rank, by seq. after is the record behind
// which to go on, the zero one to begin.
func (l *Ledger) PendingNearest(ctx context.Context, run string, after Record, limit int) ([]Record, error) {
	var list []Record
	err := l.patiently(ctx, func() (err error) {
		list, err = l.pending(ctx, run, selectNearest, after.Rank, after.Seq, limit)
		return err
	})
	return list, l.wrap("read what is planned", err)
}

func (l *Ledger) pending(ctx context.Context, run, statement string, args ...any) ([]Record, error) {
	number, err := l.number(ctx, run)
	if err != nil {
		return nil, err
	}
	prepared, err := l.read.Statement(ctx, statement)
	if err != nil {
		return nil, err
	}
	rows, err := prepared.QueryContext(ctx, append([]any{number}, args...)...)
	if err != nil {
		return nil, err
	}
	var at []bundled
	list, err := store.Collect(rows, func(rows *sql.Rows) (Record, error) {
		r := Record{Run: run, State: Planned}
		var bundle *int64
		var entries []byte
		err := rows.Scan(&r.Seq, &r.Scope, &r.Key, &r.Action, &r.Digest, (*[]byte)(&r.Payload), (*[]byte)(&r.Body), &r.Repeatable, &entries, &bundle, &r.Rank, &r.Free)
		r.Key, at = store.KeyOf(r.Key), append(at, inBundle(bundle, r.Seq))
		return r, errors.Join(err, store.Unlisted(entries, &r.Entries))
	})
	if err != nil {
		return nil, err
	}
	return list, l.contents(ctx, at, func(n int, content []byte) error {
		read := bundleReader{rest: content}
		list[n].Payload, list[n].Body = read.part(), read.part()
		return nil
	})
}
