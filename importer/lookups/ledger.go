package lookups

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"docketsync/importer/ledger"
	"docketsync/mapping"
	"docketsync/mapping/lookup"
	"docketsync/mapping/reason"
)

const (
	// askedSingly is how many keys a lookup queries one by one before it reads many at once: a file of few rows should
	// not pay for everything that a large firm has.
	askedSingly = 200
	// idsHeld is the most ids that a lookup holds, at 16 bytes and the key each. Other keys are queried one by one.
	idsHeld = 200_000
)

// ledgerLookup looks up the ids that the service gave to records of a scope, by their keys.
func ledgerLookup(ctx context.Context, book *ledger.Ledger, spec mapping.LookupSpec) *lookup.Table {
	ids := &ledgerIDs{book: book.Reader, scope: spec.Ledger}
	return lookup.OfLedger(spec.Name, func(key string) (id, trouble string, err error) { return ids.find(ctx, key) })
}

// ledgerIDs are the ids of one scope. The lookup queries them from one goroutine at a time. A key that may have been
// replaced by a new one has no id until a person has decided, because its row may be of another record now.
type ledgerIDs struct {
	book  *ledger.Reader
	scope string
	asked int
	held  map[string]uuid.UUID // nil until many keys were asked for
	open  map[string]string    // keys that may be new ones, by the former key; nil until a key was asked for
	now   map[string]string    // keys that are new ones, by the former key; nil until an unknown key was asked for
}

// find returns the id of a key, or "" if the key is not known. trouble says why a known key has no id.
func (l *ledgerIDs) find(ctx context.Context, key string) (id, trouble string, err error) {
	if l.open == nil {
		open, err := l.book.OpenRenames(ctx)
		if err != nil {
			return "", "", err
		}
		l.open = map[string]string{}
		for _, q := range open {
			if q.Scope == l.scope {
				l.open[q.Former] = q.Key
			}
		}
	}
	if now, ok := l.open[key]; ok {
		return "", fmt.Sprintf("it is asked whether %q is a new key of it: docketsync renamed", now), nil
	}
	if l.asked++; l.asked == askedSingly {
		if err := l.hold(ctx); err != nil {
			return "", "", err
		}
	}
	if id, ok := l.held[key]; ok {
		return id.String(), "", nil
	}
	known, err := l.book.Known(ctx, l.scope, []string{key})
	if err != nil {
		return "", "", err
	}
	k, ok := known[key]
	switch {
	case ok && k.ServiceID != "":
		return k.ServiceID, "", nil
	case ok && k.Doubt != nil:
		return "", fmt.Sprintf("it has been in doubt since run %s whether it was created", k.Doubt.Run), nil
	case ok:
		return "", "it is in the service, and its id is not known. Look it up there and add it: docketsync resolve " + k.Run + " " + reason.Operand(key) + " exists --id GUID", nil
	}
	if l.now == nil {
		if l.now, err = l.book.RenamedTo(ctx, l.scope); err != nil {
			return "", "", err
		}
	}
	if now, ok := l.now[key]; ok {
		return "", fmt.Sprintf("it was renamed, and its key is %q now (docketsync renamed). Write that in the row, or leave the row out", now), nil
	}
	return "", "", nil
}

// hold reads as many ids of the scope as a lookup may hold.
func (l *ledgerIDs) hold(ctx context.Context) error {
	l.held = map[string]uuid.UUID{}
	for identity, err := range l.book.Identities(ctx, l.scope) {
		if err != nil {
			return err
		}
		// An id that is not a GUID is queried by its key, and reported as it is.
		if id, err := uuid.Parse(identity.ServiceID); err == nil {
			l.held[identity.Key] = id
		}
		if len(l.held) == idsHeld {
			break
		}
	}
	return nil
}
