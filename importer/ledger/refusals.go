package ledger

import (
	"context"
	"database/sql"
	"time"

	"docketsync/importer/ledger/store"
)

// Refusal is the service's last word about a key: a no to the payload of that digest.
type Refusal struct {
	Run     string
	Digest  string
	Reasons []Reason
	At      time.Time
}

// CodeRefusedBefore is the code of the reasons of a record that was rejected because the service had refused it in an earlier run.
const CodeRefusedBefore = "refused_before"

// RefusedBefore tells whether a record was not sent because the service had refused it before.
func (r *Record) RefusedBefore() bool {
	return r.State == Rejected && len(r.Reasons) > 0 && r.Reasons[len(r.Reasons)-1].Code == CodeRefusedBefore
}

// selectRefusals finds what was sent after it was last accepted, oldest first, by the same index as selectUnsettled.
var selectRefusals = &store.Keys{Text: `select r.key, u.id, r.digest, r.reasons, r.settled_at, r.state from records r join runs u on u.number = r.run_no
	where r.scope = $1 and r.key in ({keys}) and r.state in ('failed', 'held', 'planned', 'refused') and r.sent_at is not null
		and not exists (select 1 from known k where k.scope = r.scope and k.key = r.key and k.run_no >= r.run_no)
	order by r.run_no`}

// Refusals returns, of these keys of a scope, those whose newest request the service refused, with what it said. Nothing is
// found of a key that was sent again since and came to any other end.
func (l *Reader) Refusals(ctx context.Context, scope string, keys []string) (map[string]Refusal, error) {
	found := map[string]Refusal{}
	if len(keys) == 0 {
		return found, nil
	}
	if some, err := l.some(ctx, anyUnsettled, scope); err != nil || !some {
		return found, l.wrap("look up what was refused", err)
	}
	err := selectRefusals.Each(ctx, l.read, scope, keys, func(rows *sql.Rows) error {
		var r Refusal
		var key string
		var state State
		var reasons []byte
		var at *int64
		if err := rows.Scan(&key, &r.Run, &r.Digest, &reasons, &at, &state); err != nil {
			return err
		}
		delete(found, store.KeyOf(key))
		if state != Refused {
			return nil
		}
		if err := store.Unlisted(reasons, &r.Reasons); err != nil {
			return err
		}
		r.At = store.TimeOf(at)
		found[store.KeyOf(key)] = r
		return nil
	})
	return found, l.wrap("look up what was refused", err)
}
