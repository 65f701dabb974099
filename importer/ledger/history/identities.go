package history

import (
	"context"
	"database/sql"
	"iter"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// IdentitiesPage is how many ids are read at once.
const IdentitiesPage = 5000

// Identities yields the ids that the service gave to what it is known to hold under a scope, in the order of the keys.
// It leaves out keys whose id is not known. It reads page by page, so changes made meanwhile may or may not be seen. An
// error ends it.
func (l *Reader) Identities(ctx context.Context, scope string) iter.Seq2[model.Identity, error] {
	return store.Pages(IdentitiesPage, func(last model.Identity) ([]model.Identity, error) {
		if err := l.h.ForAll("read the ids of " + scope); err != nil {
			return nil, err
		}
		list, err := store.List(ctx, l.h.Read, func(rows *sql.Rows) (model.Identity, error) {
			i := model.Identity{Scope: scope}
			err := rows.Scan(&i.Key, &i.ServiceID)
			i.Key = store.KeyOf(i.Key)
			return i, err
		}, `select key, service_id from known where scope = $1 and key > $2 and service_id <> '' order by key limit $3`,
			store.Plain(scope), store.StoredKey(last.Key), IdentitiesPage)
		return list, l.h.Wrap("read the ids of "+scope, err)
	})
}

// SharingIDs returns the keys of a scope whose ids other keys of it have too.
func (l *Reader) SharingIDs(ctx context.Context, scope string) ([]string, error) {
	if err := l.h.ForAll("look up shared ids"); err != nil {
		return nil, err
	}
	list, err := store.List(ctx, l.h.Read, func(rows *sql.Rows) (key string, err error) {
		err = rows.Scan(&key)
		return store.KeyOf(key), err
	}, `select key from known where scope = $1 and service_id in (
		select service_id from known where scope = $1 and service_id <> '' group by service_id having count(*) > 1)`, store.Plain(scope))
	return list, l.h.Wrap("look up shared ids", err)
}

var selectHolders = &store.Keys{Text: `select k.scope, k.key, k.service_id from known k where cast($1 as text) = '' and k.service_id in ({keys}) and k.service_id <> ''`}

// Holders returns the scopes and keys under which ids of the service are known, by id as payload.PlainID spells it. The
// ledger keeps ids as the service spelled them.
func (l *Reader) Holders(ctx context.Context, ids []string) (map[string][]model.Identity, error) {
	if err := l.h.ForAll("look up the owners of ids"); err != nil {
		return nil, err
	}
	return HoldersOf(ctx, l, ids)
}

// HoldersOf is Holders for a search, which afterwards leaves out what its reader may not see.
func HoldersOf(ctx context.Context, l *Reader, ids []string) (map[string][]model.Identity, error) {
	var found map[string][]model.Identity
	var spelled []string
	for _, id := range ids {
		plain := payload.PlainID(id)
		spelled = append(spelled, id, plain, strings.ToUpper(plain), "{"+plain+"}", "{"+strings.ToUpper(plain)+"}")
	}
	slices.Sort(spelled)
	spelled = slices.Compact(spelled)
	err := l.h.Patiently(ctx, func() error {
		found = map[string][]model.Identity{}
		return selectHolders.Each(ctx, l.h.Read, "", spelled, func(rows *sql.Rows) error {
			var i model.Identity
			if err := rows.Scan(&i.Scope, &i.Key, &i.ServiceID); err != nil {
				return err
			}
			i.Key = store.KeyOf(i.Key)
			id := payload.PlainID(i.ServiceID)
			found[id] = append(found[id], i)
			return nil
		})
	})
	return found, l.h.Wrap("look up the owners of ids", err)
}
