package ledger

import (
	"context"
	"database/sql"
	"errors"
	"iter"

	"docketsync/importer/ledger/store"
)

// Known returns what the service is known to hold under these keys of a scope, for those keys of which anything is
// known; and the doubt, if a record of the key may or may not have been acted on. A key that is only in doubt comes
// with nothing but its Doubt.
func (l *Reader) Known(ctx context.Context, scope string, keys []string) (map[string]LastAccepted, error) {
	return l.known(ctx, scope, keys, l.holds)
}

// KnownBriefly is Known without the payloads and the times, which costs half as much: enough where the digest says that a
// record is the same.
func (l *Reader) KnownBriefly(ctx context.Context, scope string, keys []string) (map[string]LastAccepted, error) {
	return l.known(ctx, scope, keys, l.holdsBriefly)
}

// AcceptedBefore tells whether the service is known to hold anything that it accepted in an earlier run of a run's scope and operation.
func (l *Reader) AcceptedBefore(ctx context.Context, run Run) (accepted bool, err error) {
	err = l.read.QueryRowContext(ctx, `select exists (select 1 from known k join runs r on r.number = k.run_no
		where k.scope = $1 and k.digest <> '' and r.operation = $2 and r.id <> $3)`, store.Plain(run.Scope), run.Operation, run.ID).Scan(&accepted)
	return accepted, l.wrap("look up what was accepted before", err)
}

func (l *Reader) known(ctx context.Context, scope string, keys []string,
	holds func(context.Context, string, []string, map[string]LastAccepted) error) (map[string]LastAccepted, error) {
	found := make(map[string]LastAccepted, len(keys))
	// Doubt is read first. A record that is accepted between the two readings is then seen as in doubt, which is careful,
	// and never as unknown, which would have it sent again.
	if err := l.doubts(ctx, scope, keys, found); err != nil {
		return nil, l.wrap("look up what is known", err)
	}
	if err := holds(ctx, scope, keys, found); err != nil {
		return nil, l.wrap("look up what is known", err)
	}
	if err := l.unsettled(ctx, scope, keys, found); err != nil {
		return nil, l.wrap("look up what is known", err)
	}
	return found, nil
}

// Keys yields the keys of a scope under which the service is known to hold something, in order. It reads page by page, so
// that the ledger may be written in between.
func (l *Reader) Keys(ctx context.Context, scope string) iter.Seq2[string, error] {
	const text = `select key from known where scope = $1 and key > $2 order by key limit $3`
	return func(yield func(string, error) bool) {
		for after := ""; ; {
			rows, err := l.read.QueryContext(ctx, text, store.Plain(scope), after, keysPerPage)
			var keys []string
			if err == nil {
				keys, err = store.Collect(rows, func(rows *sql.Rows) (key string, err error) {
					err = rows.Scan(&key)
					return key, err
				})
			}
			if err != nil {
				yield("", l.wrap("list what is known", err))
				return
			}
			for _, key := range keys {
				if !yield(store.KeyOf(key), nil) {
					return
				}
			}
			if len(keys) < keysPerPage {
				return
			}
			after = keys[len(keys)-1]
		}
	}
}

// keysPerPage is how many keys are read at once.
const keysPerPage = 1000

// selectUnsettled finds keys that were sent after they were last accepted, without an end that anybody could rely on.
var selectUnsettled = &store.Keys{Text: `select distinct r.key from records r join known k on k.scope = r.scope and k.key = r.key
	where r.scope = $1 and r.key in ({keys}) and r.state in ('failed', 'held', 'planned', 'refused') and r.sent_at is not null and r.run_no > k.run_no`}

// unsettled marks the keys of found whose newest attempt is an open question.
func (l *Reader) unsettled(ctx context.Context, scope string, keys []string, found map[string]LastAccepted) error {
	if len(found) == 0 {
		return nil
	}
	if some, err := l.some(ctx, anyUnsettled, scope); err != nil || !some {
		return err
	}
	return selectUnsettled.Each(ctx, l.read, scope, keys, func(rows *sql.Rows) error {
		var key string
		if err := rows.Scan(&key); err != nil {
			return err
		}
		k := found[store.KeyOf(key)]
		k.Unsettled = true
		found[store.KeyOf(key)] = k
		return nil
	})
}

var selectKnown = &store.Keys{Text: `select k.key, k.digest, k.payload, k.service_id, k.entries, u.id, k.accepted_at
	from known k join runs u on u.number = k.run_no where k.scope = $1 and k.key in ({keys})`}

func (l *Reader) holds(ctx context.Context, scope string, keys []string, found map[string]LastAccepted) error {
	return selectKnown.Each(ctx, l.read, scope, keys, func(rows *sql.Rows) error {
		k := LastAccepted{Scope: scope}
		var entries []byte
		var accepted *int64
		if err := rows.Scan(&k.Key, &k.Digest, (*[]byte)(&k.Payload), &k.ServiceID, &entries, &k.Run, &accepted); err != nil {
			return err
		}
		k.Key, k.AcceptedAt = store.KeyOf(k.Key), store.TimeOf(accepted)
		k.Doubt = found[k.Key].Doubt
		if err := store.Unlisted(entries, &k.Entries); err != nil {
			return err
		}
		found[k.Key] = k
		return nil
	})
}

var selectBriefly = &store.Keys{Text: `select key, digest, service_id, entries, run_no from known where scope = $1 and key in ({keys})`}

func (l *Reader) holdsBriefly(ctx context.Context, scope string, keys []string, found map[string]LastAccepted) error {
	var last int64 // most of what is known was accepted in few runs
	var run string
	return selectBriefly.Each(ctx, l.read, scope, keys, func(rows *sql.Rows) error {
		k := LastAccepted{Scope: scope}
		var entries sql.RawBytes
		var number int64
		if err := rows.Scan(&k.Key, &k.Digest, &k.ServiceID, &entries, &number); err != nil {
			return err
		}
		if number != last {
			id, err := l.name(ctx, number)
			if err != nil {
				return err
			}
			last, run = number, id
		}
		k.Key, k.Run = store.KeyOf(k.Key), run
		k.Doubt = found[k.Key].Doubt
		if err := store.Unlisted(entries, &k.Entries); err != nil {
			return err
		}
		found[k.Key] = k
		return nil
	})
}

var selectDoubts = &store.Keys{Text: `select r.key, u.id, r.seq, r.digest, r.sent_at from records r join runs u on u.number = r.run_no
	where r.scope = $1 and r.key in ({keys}) and r.state in ('sending', 'in_doubt') and r.sent_at is not null`}

// Whether a scope has anything of a kind at all. Mostly it has nothing, and then the keys need not be looked up.
const (
	anyDoubt     = `select 1 from records where scope = $1 and state in ('sending', 'in_doubt') and sent_at is not null limit 1`
	anyUnsettled = `select 1 from records where scope = $1 and state in ('failed', 'held', 'planned', 'refused') and sent_at is not null limit 1`
)

func (l *Reader) some(ctx context.Context, text, scope string) (bool, error) {
	statement, err := l.read.Statement(ctx, text)
	if err != nil {
		return false, err
	}
	var one int
	err = statement.QueryRowContext(ctx, store.Plain(scope)).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func (l *Reader) doubts(ctx context.Context, scope string, keys []string, found map[string]LastAccepted) error {
	if some, err := l.some(ctx, anyDoubt, scope); err != nil || !some {
		return err
	}
	return selectDoubts.Each(ctx, l.read, scope, keys, func(rows *sql.Rows) error {
		k := LastAccepted{Scope: scope}
		var d Doubt
		var at *int64
		if err := rows.Scan(&k.Key, &d.Run, &d.Seq, &d.Digest, &at); err != nil {
			return err
		}
		d.At = store.TimeOf(at)
		k.Key, k.Doubt = store.KeyOf(k.Key), &d
		found[k.Key] = k
		return nil
	})
}
