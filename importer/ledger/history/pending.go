package history

import (
	"context"
	"database/sql"

	"docketsync/importer/ledger/bundle"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// Queue is what is still to be sent. It does not belong to Reader, because whether a record is free depends on all
// jobs.
type Queue struct{ h *handle.Reader }

// NewQueue returns the queue of all jobs.
func NewQueue(h *handle.Reader) *Queue { return &Queue{h} }

// free says that nothing of a record's key is in doubt.
const pendingColumns = `select seq, scope, key, action, digest, payload, body, repeatable, entries, bundle,
	coalesce(rank, 0), r.key <> '' and not exists (select 1 from records d
		where d.scope = r.scope and d.key = r.key and d.state in ('sending', 'in_doubt') and d.sent_at is not null) as free
	from records r `

const (
	selectPending = pendingColumns + `where run_no = $1 and state = 'planned' and seq > $2 order by seq limit $3`
	selectNearest = pendingColumns + `where run_no = $1 and state = 'planned' and rank is not null and (rank, seq) > ($2, $3) order by rank, seq limit $4`
)

// Pending returns up to limit planned records of a run whose seq is greater than after, in order, or none if all are
// settled or being sent. If after is not 0, some of the records may have had their intent committed since the previous
// page was read. The records have what it takes to send and settle them, without rows, notes and previous payload.
func (l *Queue) Pending(ctx context.Context, run string, after int64, limit int) ([]model.Record, error) {
	return l.pending(ctx, run, limit, after > 0, selectPending, after, limit)
}

// PendingNearest is Pending for a run that has an order: the records come by rank and, within a rank, by seq. after is
// the record after which to continue, or the zero record to begin.
func (l *Queue) PendingNearest(ctx context.Context, run string, after model.Record, limit int) ([]model.Record, error) {
	return l.pending(ctx, run, limit, after.Seq > 0, selectNearest, after.Rank, after.Seq, limit)
}

// pending reads a page. It has room for a whole one if the page comes after another, which was full.
func (l *Queue) pending(ctx context.Context, run string, room int, behind bool, statement string, args ...any) (list []model.Record, err error) {
	if !behind {
		room = 0
	}
	err = l.h.Patiently(ctx, func() (err error) {
		list, err = l.planned(ctx, run, room, statement, args...)
		return err
	})
	return list, l.h.Wrap("read what is planned", err)
}

func (l *Queue) planned(ctx context.Context, run string, room int, statement string, args ...any) ([]model.Record, error) {
	runNumber, err := l.h.Number(ctx, run)
	if err != nil {
		return nil, err
	}
	at := make([]bundle.Place, 0, room)
	var v, into [12]any // see briefScanner
	for n := range v {
		into[n] = &v[n]
	}
	list, err := store.Append(make([]model.Record, 0, room), l.h.Read.Prepared(ctx), func(rows *sql.Rows) (r model.Record, err error) {
		if err := rows.Scan(into[:]...); err != nil {
			return r, err
		}
		r = model.Record{Run: run, State: model.Planned, Seq: number(v[0]), Scope: text(v[1]), Key: store.KeyOf(text(v[2])), Action: model.Action(text(v[3])),
			Digest: text(v[4]), Payload: []byte(text(v[5])), Body: []byte(text(v[6])), Repeatable: truth(v[7]), Rank: number(v[10]), Free: truth(v[11])}
		in := number(v[9]) // 0 if all is in the row
		at = append(at, bundle.At(&in, r.Seq))
		return r, store.Unlisted([]byte(text(v[8])), &r.Entries)
	}, statement, append([]any{runNumber}, args...)...)
	if err != nil {
		return nil, err
	}
	return list, bundle.Contents(ctx, l.h.Read, at, func(n int, content []byte) error {
		err := bundle.Take(&list[n], content)
		list[n].Previous = nil
		return err
	})
}
