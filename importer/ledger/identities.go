package ledger

import (
	"context"
	"database/sql"
	"iter"

	"docketsync/importer/ledger/store"
)

// identitiesPage is how many ids are read at once.
const identitiesPage = 5000

// Identities yields the ids that the service gave to what it is known to hold under a scope, in the order of the keys;
// keys whose id is not known are left out. It reads page by page, so that what changes meanwhile may or may not be seen;
// an error ends it.
func (l *Reader) Identities(ctx context.Context, scope string) iter.Seq2[Identity, error] {
	return store.Pages(identitiesPage, func(last Identity) ([]Identity, error) {
		if err := l.forAll("read the ids of " + scope); err != nil {
			return nil, err
		}
		list, err := store.List(ctx, l.read, func(rows *sql.Rows) (Identity, error) {
			i := Identity{Scope: scope}
			err := rows.Scan(&i.Key, &i.ServiceID)
			i.Key = store.KeyOf(i.Key)
			return i, err
		}, `select key, service_id from known where scope = $1 and key > $2 and service_id <> '' order by key limit $3`,
			store.Plain(scope), store.StoredKey(last.Key), identitiesPage)
		return list, l.wrap("read the ids of "+scope, err)
	})
}

var selectHolders = &store.Keys{Text: `select k.scope, k.key, k.service_id from known k where cast($1 as text) = '' and k.service_id in ({keys}) and k.service_id <> ''`}

// Holders returns under which scopes and keys ids of the service are known, for those that are.
func (l *Reader) Holders(ctx context.Context, ids []string) (map[string][]Identity, error) {
	if err := l.forAll("look up the owners of ids"); err != nil {
		return nil, err
	}
	return l.holders(ctx, ids)
}

func (l *Reader) holders(ctx context.Context, ids []string) (map[string][]Identity, error) {
	found := map[string][]Identity{}
	err := selectHolders.Each(ctx, l.read, "", ids, func(rows *sql.Rows) error {
		var i Identity
		if err := rows.Scan(&i.Scope, &i.Key, &i.ServiceID); err != nil {
			return err
		}
		i.Key = store.KeyOf(i.Key)
		found[i.ServiceID] = append(found[i.ServiceID], i)
		return nil
	})
	return found, l.wrap("look up the owners of ids", err)
}

// Adopt writes down ids that the service gave to records of a run which that run did not send, as what the service is known to hold;
// what it holds of them is not known.
func (l *Ledger) Adopt(ctx context.Context, run string, ids []Identity) error {
	number, err := l.number(ctx, run)
	if err != nil {
		return l.wrap("adopt ids", err)
	}
	at := l.now().UnixMicro()
	return l.wrap("adopt ids", l.do(ctx, false, func(tx *transaction) error {
		var values []any
		for _, id := range ids {
			values = append(values, store.Plain(id.Scope), store.StoredKey(id.Key), "", store.Plain(id.ServiceID), number, at)
			if err := tx.noteAll(number, func() { tx.noteNamed(number, id, at) }); err != nil {
				return err
			}
		}
		_, err := tx.Bulk(upsertIdentities, values, nil)
		return err
	}))
}
