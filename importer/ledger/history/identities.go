package history

import (
	"context"
	"database/sql"
	"iter"
	"slices"
	"strings"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// IdentitiesPage is how many ids are read at once.
const IdentitiesPage = 5000

// Identities yields the ids that the service gave to what it is known to hold under a scope, in the order of the keys.
// It leaves out keys whose id is not known. It reads page by page, so changes made meanwhile may or may not be seen. An
// error ends it.
func (l *Reader) Identities(ctx context.Context, scope string) iter.Seq2[model.Identity, error] {
	scan := func(rows *sql.Rows) (model.Identity, error) {
		i := model.Identity{Scope: scope}
		err := rows.Scan((*store.Key)(&i.Key), &i.ServiceID)
		return i, err
	}
	return store.Pages(IdentitiesPage, func(last model.Identity) ([]model.Identity, error) {
		return handle.ListForAll(ctx, l.h, "read the ids of "+scope, scan, `select key, service_id from known where scope = $1 and key > $2 and service_id <> '' order by key limit $3`,
			store.Plain(scope), store.StoredKey(last.Key), IdentitiesPage)
	})
}

// SharingIDs returns the keys of a scope whose ids other keys of it have too.
func (l *Reader) SharingIDs(ctx context.Context, scope string) ([]string, error) {
	return handle.ListForAll(ctx, l.h, "look up shared ids", scanKey, `select key from known where scope = $1 and service_id in (
		select service_id from known where scope = $1 and service_id <> '' group by service_id having count(*) > 1)`, store.Plain(scope))
}

// scanKey reads a key, the only column of a row.
var scanKey = store.Into(func(key *string) []any { return []any{(*store.Key)(key)} })

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
			err := rows.Scan(&i.Scope, (*store.Key)(&i.Key), &i.ServiceID)
			id := payload.PlainID(i.ServiceID)
			found[id] = append(found[id], i)
			return err
		})
	})
	return found, l.h.Wrap("look up the owners of ids", err)
}
