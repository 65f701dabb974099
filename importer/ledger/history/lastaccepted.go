package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"time"

	"docketsync/importer/ledger/bundle"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
	"docketsync/importer/ledger/varint"
)

// LastAccepted is what the service is known to hold under a scope and key.
type LastAccepted struct {
	Scope      string
	Key        string
	Digest     string
	Payload    json.RawMessage
	Adopted    json.RawMessage // if only the record's id is known, what the run that adopted it would have sent
	ServiceID  string
	Entries    []model.Entry
	Differs    []model.Reason // notes on what the service stored differently than it was sent
	Run        string
	AcceptedAt time.Time
	// Unsettled says that an update of this key was sent after the accepted one and was not accepted: the service may
	// hold either, so nothing counts as unchanged until one is accepted again.
	Unsettled bool
	// Acknowledged is the change that somebody acknowledged last. The service holds it if it was made there by hand.
	Acknowledged AcknowledgedChange
	// Doubt is the unsettled record of this scope and key, if there is one. It must not be sent again.
	Doubt *model.Doubt
	// Refused is the service's answer to the newest request of this key, nil if it did not refuse it. Known does not
	// fill it in: see Refusals.
	Refused *Refusal
	// Renames are the open questions whether the key is a new one of another record. Known does not fill them in
	// either.
	Renames []model.Rename
}

func (k *LastAccepted) hold(content []byte) {
	if k.Digest == "" {
		k.Adopted = content
	} else {
		k.Payload = content
	}
}

// Held returns the payload last accepted or, for an adopted record, what it most likely is.
func (k LastAccepted) Held() json.RawMessage {
	if k.Digest == "" {
		return k.Adopted
	}
	return k.Payload
}

// Known returns what the service is known to hold under those of these keys of a scope of which anything is known, and
// the doubt if the service may have acted on a record of the key. A key that is only in doubt comes with nothing but
// its Doubt.
func (l *Reader) Known(ctx context.Context, scope string, keys []string) (map[string]LastAccepted, error) {
	return l.known(ctx, scope, keys, selectKnown)
}

// KnownBriefly is Known without the payloads and the times, at half the cost. It is enough if the digest says that a
// record is the same.
func (l *Reader) KnownBriefly(ctx context.Context, scope string, keys []string) (map[string]LastAccepted, error) {
	return l.known(ctx, scope, keys, selectBriefly)
}

func (l *Reader) known(ctx context.Context, scope string, keys []string, what *store.Keys) (map[string]LastAccepted, error) {
	found := make(map[string]LastAccepted, len(keys))
	// Doubts are read first. A record that is accepted between the two reads is then seen as in doubt, which is safe,
	// and never as unknown, which would have it sent again.
	err := l.doubts(ctx, scope, keys, found)
	if err == nil {
		err = l.holds(ctx, scope, keys, what, found)
	}
	if errors.Is(err, bundle.ErrGone) { // a newer one was accepted meanwhile, and the run of the older one pruned
		err = l.holds(ctx, scope, keys, what, found)
	}
	if err == nil {
		err = l.unsettled(ctx, scope, keys, found)
	}
	if err == nil {
		err = l.acknowledged(ctx, scope, keys, found)
	}
	if err != nil {
		return nil, l.h.Wrap("look up known records", err)
	}
	l.withinWall(ctx, found)
	return found, nil
}

// AcceptedBefore reports whether the service accepted anything in an earlier run of a run's scope and operation.
func (l *Reader) AcceptedBefore(ctx context.Context, run model.Run) (accepted bool, err error) {
	err = l.h.OneForAll(ctx, "look up accepted records", `select exists (select 1 from known k join runs r on r.number = k.run_no
		where k.scope = $1 and k.digest <> '' and r.operation = $2 and r.id <> $3)`, []any{store.Plain(run.Scope), run.Operation, run.ID}, &accepted)
	return accepted, err
}

// OtherScopes returns the scopes of all runs of an operation except one, in order.
func (l *Reader) OtherScopes(ctx context.Context, operation, scope string) ([]string, error) {
	return handle.ListForAll(ctx, l.h, "look for other scopes", store.Column[string],
		`select distinct scope from runs where operation = $1 and scope <> $2 order by scope`, operation, store.Plain(scope))
}

// Keys yields the keys of a scope under which the service is known to hold something, in order. It reads page by page,
// so the ledger may be written in between.
func (l *Reader) Keys(ctx context.Context, scope string) iter.Seq2[string, error] {
	return store.Pages(KeysPerPage, func(last string) ([]string, error) {
		return handle.ListForAll(ctx, l.h, "list known records", scanKey, `select key from known where scope = $1 and key > $2 order by key limit $3`,
			store.Plain(scope), store.StoredKey(last), KeysPerPage)
	})
}

// KeysPerPage is how many keys are read at once.
const KeysPerPage = 1000

// UnsettledStates is spelled as in the index records_unsettled; otherwise SQLite does not use the index.
const UnsettledStates = `(r.state = 'failed' or r.state = 'held' or r.state = 'planned' or r.state = 'refused')`

const anyUnsettled = `select 1 from records r where scope = $1 and ` + UnsettledStates + ` and sent_at is not null limit 1`

// selectUnsettled finds keys that were sent after they were last accepted, without a reliable outcome.
var selectUnsettled = &store.Keys{Any: anyUnsettled, Text: `select distinct r.key from records r join known k on k.scope = r.scope and k.key = r.key
	where r.scope = $1 and r.key in ({keys}) and ` + UnsettledStates + ` and r.sent_at is not null and r.run_no > k.run_no`}

// unsettled marks the keys of found whose newest attempt has no reliable outcome.
func (l *Reader) unsettled(ctx context.Context, scope string, keys []string, found map[string]LastAccepted) error {
	if len(found) == 0 {
		return nil
	}
	return selectUnsettled.Each(ctx, l.h.Read, scope, keys, func(rows *sql.Rows) error {
		key, err := scanKey(rows)
		k := found[key]
		k.Unsettled = true
		found[key] = k
		return err
	})
}

// AcknowledgedChange is a change that could not be sent and that somebody has acknowledged, by the digest of its
// payload, "" for none.
type AcknowledgedChange struct {
	Digest string
	At     time.Time
}

const changes = ` from acknowledged where scope = $1 and print like '` + model.ChangePrint + `%'`

var selectAcknowledged = &store.Keys{Any: `select 1` + changes + ` limit 1`, Text: `select key, print, at` + changes + ` and key in ({keys}) order by at`}

// acknowledged adds the changes of the keys of found that were acknowledged last.
func (l *Reader) acknowledged(ctx context.Context, scope string, keys []string, found map[string]LastAccepted) error {
	if len(found) == 0 {
		return nil
	}
	return selectAcknowledged.Each(ctx, l.h.Read, scope, keys, func(rows *sql.Rows) error {
		var key, print string
		var change AcknowledgedChange
		err := rows.Scan((*store.Key)(&key), &print, (*store.Time)(&change.At))
		if k, ok := found[key]; ok {
			change.Digest, _, _ = strings.Cut(strings.TrimPrefix(print, model.ChangePrint), " ")
			k.Acknowledged = change
			found[key] = k
		}
		return err
	})
}

const anyKnown = `select 1 from known where scope = $1 limit 1`

var (
	selectKnown   = &store.Keys{Any: anyKnown, Text: `select key, digest, service_id, entries, differs, run_no, payload, accepted_at, bundle, bundle_seq from known where scope = $1 and key in ({keys})`}
	selectBriefly = &store.Keys{Any: anyKnown, Text: `select key, digest, service_id, entries, differs, run_no from known where scope = $1 and key in ({keys})`}
)

func (l *Reader) holds(ctx context.Context, scope string, keys []string, what *store.Keys, found map[string]LastAccepted) error {
	var last int64 // most of what is known was accepted in few runs
	var run string
	var at []bundle.Place // where the payloads are, and which keys they belong to
	var of []string
	err := what.Each(ctx, l.h.Read, scope, keys, func(rows *sql.Rows) error {
		k := LastAccepted{Scope: scope}
		var entries, differs sql.RawBytes
		var number int64
		var accepted, in, seq *int64
		var content []byte
		into := []any{&k.Key, &k.Digest, &k.ServiceID, &entries, &differs, &number}
		if what == selectKnown {
			into = append(into, &content, &accepted, &in, &seq)
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if number != last {
			id, err := l.h.Name(ctx, number)
			if err != nil {
				return err
			}
			last, run = number, id
		}
		k.Key, k.Run, k.AcceptedAt = store.KeyOf(k.Key), run, store.TimeOf(accepted)
		k.Doubt = found[k.Key].Doubt
		k.hold(content)
		if err := errors.Join(store.Unlisted(entries, &k.Entries), store.Unlisted(differs, &k.Differs)); err != nil {
			return err
		}
		found[k.Key] = k
		if in != nil && seq != nil {
			at, of = append(at, bundle.At(in, *seq)), append(of, k.Key)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return bundle.Contents(ctx, l.h.Read, at, func(n int, content []byte) error {
		k, read := found[of[n]], varint.Reader{Rest: content}
		k.hold(read.Part())
		found[of[n]] = k
		return nil
	})
}

var selectDoubts = &store.Keys{Any: `select 1 from records where scope = $1 and state in ('sending', 'in_doubt') and sent_at is not null limit 1`, Text: `select r.key, u.id, r.seq, r.digest, r.sent_at from records r join runs u on u.number = r.run_no
	where r.scope = $1 and r.key in ({keys}) and r.state in ('sending', 'in_doubt') and r.sent_at is not null`}

func (l *Reader) doubts(ctx context.Context, scope string, keys []string, found map[string]LastAccepted) error {
	return selectDoubts.Each(ctx, l.h.Read, scope, keys, func(rows *sql.Rows) error {
		k := LastAccepted{Scope: scope}
		k.Doubt = &model.Doubt{}
		err := rows.Scan((*store.Key)(&k.Key), &k.Doubt.Run, &k.Doubt.Seq, &k.Doubt.Digest, (*store.Time)(&k.Doubt.At))
		found[k.Key] = k
		return err
	})
}

// Refusal is the service's last word about a key: it refused the payload with that digest.
type Refusal struct {
	Run     string
	Digest  string
	Reasons []model.Reason
	At      time.Time
}

// selectRefusals finds what was sent after it was last accepted, oldest first, by the same index as selectUnsettled.
var selectRefusals = &store.Keys{Any: anyUnsettled, Text: `select r.key, u.id, r.digest, r.reasons, r.settled_at, r.state from records r join runs u on u.number = r.run_no
	where r.scope = $1 and r.key in ({keys}) and ` + UnsettledStates + ` and r.sent_at is not null
		and not exists (select 1 from known k where k.scope = r.scope and k.key = r.key and k.run_no >= r.run_no)
	order by r.run_no`}

// Refusals returns those of these keys of a scope whose newest request the service refused, with what it said. A key
// that was sent again since, with any other outcome, is not among them.
func (l *Reader) Refusals(ctx context.Context, scope string, keys []string) (map[string]Refusal, error) {
	found := map[string]Refusal{}
	if len(keys) == 0 {
		return found, nil
	}
	if err := l.h.ForAll("look up refused records"); err != nil {
		return nil, err
	}
	err := selectRefusals.Each(ctx, l.h.Read, scope, keys, func(rows *sql.Rows) error {
		var r Refusal
		var key string
		var state model.State
		err := rows.Scan((*store.Key)(&key), &r.Run, &r.Digest, store.JSON(&r.Reasons), (*store.Time)(&r.At), &state)
		if delete(found, key); state == model.Refused {
			found[key] = r
		}
		return err
	})
	return found, l.h.Wrap("look up refused records", err)
}

// withinWall removes from what the service is known to hold what runs of other jobs did.
func (l *Reader) withinWall(ctx context.Context, found map[string]LastAccepted) {
	if l.h.Only == nil {
		return
	}
	for key, k := range found {
		if k.Doubt != nil && !l.h.SeenRun(ctx, k.Doubt.Run) {
			k.Doubt = nil
		}
		if k.Run == "" || !l.h.SeenRun(ctx, k.Run) {
			k = LastAccepted{Scope: k.Scope, Key: k.Key, Doubt: k.Doubt}
		}
		if found[key] = k; k.Doubt == nil && k.Run == "" {
			delete(found, key)
		}
	}
}
