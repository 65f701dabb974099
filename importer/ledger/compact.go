package ledger

import (
	"context"
	"database/sql"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/sqlite"
	"docketsync/importer/ledger/store"
)

// Size is how much room a ledger takes, in bytes. Free is the part of it that later runs will fill first. Both are 0 for a
// PostgreSQL ledger, whose server knows.
type Size struct {
	Bytes int64 `json:"bytes"`
	Free  int64 `json:"free_bytes"`
}

// Extent is how much a ledger holds.
type Extent struct {
	Size
	Runs    int `json:"runs"`
	Pruned  int `json:"pruned_runs"`
	Records int `json:"records"`
	Known   int `json:"known"`
	InDoubt int `json:"in_doubt"`
}

// Extent counts what the ledger holds. It looks at every record's place in an index, which takes a second for a few million.
func (l *Reader) Extent(ctx context.Context) (x Extent, err error) {
	err = l.read.One(ctx, `select (select count(*) from runs), (select count(*) from runs where pruned_at is not null),
		(select count(*) from records) + (select coalesce(sum(records), 0) from ranges), (select count(*) from known),
		(select count(*) from records where state in ('sending', 'in_doubt') and sent_at is not null and state = 'in_doubt')`,
		nil, &x.Runs, &x.Pruned, &x.Records, &x.Known, &x.InDoubt)
	if err == nil {
		x.Size, err = l.size(ctx)
	}
	return x, l.wrap("measure the ledger", err)
}

func (l *Reader) size(ctx context.Context) (s Size, err error) {
	e, ok := l.engine.(*sqlite.Engine)
	if !ok {
		return s, nil
	}
	var pages, bytes int64
	err = l.read.QueryRowContext(ctx, `select (select freelist_count from pragma_freelist_count), (select page_size from pragma_page_size)`).Scan(&pages, &bytes)
	s.Free = pages * bytes
	s.Bytes = e.Size()
	return s, err
}

// Compact gives the room that pruning has freed in an SQLite ledger back to the disk. It writes the file anew, in one
// transaction that nothing can be written beside, and needs as much free space as the ledger holds; cut off, it has
// done nothing. So it takes the locks of all scopes first, and the error is a *fault.BusyError when a run is going on: a push that
// had to wait for so long would leave what it has sent in doubt.
//
// It is for once in a while; the room that a prune frees is filled by the next runs. A PostgreSQL ledger is fault.ErrOnServer: its
// autovacuum does this.
func (l *Ledger) Compact(ctx context.Context) (before, after Size, err error) {
	const doing = "compact the ledger"
	e, ok := l.engine.(*sqlite.Engine)
	if !ok {
		return before, after, &fault.Error{Ledger: l.read.Label(), Doing: doing, Kind: fault.ErrOnServer, Err: fault.ErrOnServer, Hint: "There is nothing to do: the server's autovacuum makes the room free again."}
	}
	release, err := l.lockScopes(ctx)
	defer release()
	if err != nil {
		return before, after, err
	}
	if before, err = l.size(ctx); err != nil {
		return before, after, l.wrap(doing, err)
	}
	if err := e.Vacuum(ctx); err != nil {
		return before, after, l.wrap(doing, err)
	}
	after, err = l.size(ctx)
	return before, after, l.wrap(doing, err)
}

// lockScopes takes the locks under which runs push.
func (l *Ledger) lockScopes(ctx context.Context) (release func(), err error) {
	var held []func() error
	release = func() {
		for _, free := range held {
			_ = free() // it dies with the process at the latest
		}
	}
	rows, err := l.read.QueryContext(ctx, `select distinct scope from runs order by scope`)
	if err != nil {
		return release, l.wrap("list the scopes", err)
	}
	scopes, err := store.Collect(rows, func(rows *sql.Rows) (scope string, err error) {
		err = rows.Scan(&scope)
		return scope, err
	})
	if err != nil {
		return release, l.wrap("list the scopes", err)
	}
	for _, scope := range scopes {
		free, err := l.Lock(ctx, scope)
		if err != nil {
			return release, err
		}
		held = append(held, free)
	}
	return release, nil
}
