package ledger

import (
	"context"

	"docketsync/importer/ledger/evidence"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/store"
)

// Adopt stores ids that the service gave to records of a run, although that run did not send them, as what the service
// is known to hold. What the service holds of them is not known, only what the run would have sent
// (LastAccepted.Adopted).
func (l *Ledger) Adopt(ctx context.Context, run string, ids []Identity) error {
	at := l.w.Now().UnixMicro()
	return l.w.DoFor(ctx, "adopt ids", run, false, func(tx *handle.Tx, number int64) error {
		var values []any
		for _, id := range ids {
			values = append(values, store.Plain(id.Scope), store.StoredKey(id.Key), "", store.Plain(id.ServiceID), number, at)
			if err := tx.NoteAll(number, func() { evidence.NoteNamed(tx, number, id, at) }); err != nil {
				return err
			}
		}
		if _, err := tx.Bulk(upsertIdentities, values, nil); err != nil {
			return err
		}
		_, err := tx.Exec(`update known set payload = r.payload, bundle = r.bundle, bundle_seq = r.seq from records r
			where known.run_no = $1 and known.digest = '' and r.run_no = $1 and r.scope = known.scope and r.key = known.key`, number)
		return err
	})
}

var upsertIdentities = &store.Bulk{
	Text: `insert into known (scope, key, digest, service_id, run_no, accepted_at) values {rows}
		on conflict (scope, key) do update set service_id = excluded.service_id, run_no = excluded.run_no, accepted_at = excluded.accepted_at`,
	Columns: make([]string, 6),
}
