package ledger

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/sqlite"
	"docketsync/importer/ledger/store"
)

// Backup writes a copy of an SQLite ledger to a file that only its owner can read, while runs may go on. The copy is
// the ledger at one instant, which is returned: whole transactions only. It is compacted, checked and opened as a
// ledger before it gets its name, so the file is a complete backup or what it was before. Pushes do not wait for a
// backup. Meanwhile the log grows, because it cannot be folded back under a reader.
//
// The file may exist already if it is a ledger, and is replaced. The copy knows that it is one (BackupTaken).
//
// For a PostgreSQL ledger Backup returns fault.ErrOnServer: pg_dump makes a consistent copy of it.
func (l *Ledger) Backup(ctx context.Context, path string) (time.Time, error) {
	doing := "back up to " + path
	e, ok := l.h.Engine.(*sqlite.Engine)
	if !ok {
		return time.Time{}, &fault.Error{Ledger: l.h.Read.Label(), Doing: doing, Kind: fault.ErrOnServer, Err: fault.ErrOnServer, Hint: "Use pg_dump, which makes a consistent copy while runs continue."}
	}
	if err := e.Replaceable(ctx, path); err != nil {
		return time.Time{}, fmt.Errorf("%s: %w", doing, err)
	}
	taken, err := l.backup(ctx, e, path)
	return taken, l.h.Wrap(doing, err)
}

func (l *Ledger) backup(ctx context.Context, e *sqlite.Engine, path string) (taken time.Time, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return taken, err
	}
	// A folder of its own, because opening a database puts files beside it.
	dir, err := os.MkdirTemp(filepath.Dir(path), ".backup-*")
	if err != nil {
		return taken, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	copied := filepath.Join(dir, "ledger.db")
	if err := os.WriteFile(copied, nil, 0o600); err != nil {
		return taken, err
	}
	// A copy gets new indexes, so damage to the ledger's own indexes would not show in it.
	if err := e.Sound(ctx, "integrity_check(1)"); err != nil {
		return taken, err
	}
	taken = l.w.Now().UTC()
	if err := e.VacuumInto(ctx, copied); err != nil {
		return taken, err
	}
	if err := provenAsBackup(ctx, copied, taken); err != nil {
		return taken, fmt.Errorf("the copy is not sound: %w", err)
	}
	return taken, errors.Join(sqlite.SyncFile(copied), os.Rename(copied, path), sqlite.SyncFolder(filepath.Dir(path)))
}

// provenAsBackup opens the copy as a ledger, checks all of it, and notes that it is a copy.
func provenAsBackup(ctx context.Context, path string, taken time.Time) (err error) {
	l, err := Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if err := l.h.Engine.(*sqlite.Engine).Sound(ctx, "integrity_check(1)"); err != nil {
		return err
	}
	return l.do(ctx, false, func(tx *transaction) error {
		if _, err := tx.Exec(`delete from backups`); err != nil {
			return err
		}
		_, err := tx.Exec(`insert into backups (taken_at) values ($1)`, taken.UnixMicro())
		return err
	})
}

// BackupTaken returns when this ledger was written as a backup. It returns the zero time if the ledger is not a backup,
// or was accepted in place of the original (AcceptRestore). What was sent since then is not in it.
func (l *Reader) BackupTaken(ctx context.Context) (taken time.Time, err error) {
	_, err = store.Found(l.h.Read.QueryRowContext(ctx, `select taken_at from backups`).Scan((*store.Time)(&taken)))
	return taken, l.h.Wrap("read whether the ledger is a backup", err)
}

// Size is how much room a ledger takes, in bytes. Free is the part of it that later runs will fill first. Both are 0
// for a PostgreSQL ledger, whose server knows.
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

// Extent counts what the ledger holds. It reads an index entry for every record, which takes a second for a few
// million.
func (l *Reader) Extent(ctx context.Context) (x Extent, err error) {
	err = l.h.OneForAll(ctx, "measure the ledger", `select (select count(*) from runs), (select count(*) from runs where pruned_at is not null),
		(select count(*) from records) + (select coalesce(sum(records), 0) from ranges), (select count(*) from known),
		(select count(*) from records where state in ('sending', 'in_doubt') and sent_at is not null and state = 'in_doubt')`,
		nil, &x.Runs, &x.Pruned, &x.Records, &x.Known, &x.InDoubt)
	if err == nil {
		x.Size, err = l.size(ctx)
	}
	return x, l.h.Wrap("measure the ledger", err)
}

func (l *Reader) size(ctx context.Context) (s Size, err error) {
	e, ok := l.h.Engine.(*sqlite.Engine)
	if !ok {
		return s, nil
	}
	var pages, bytes int64
	err = l.h.Read.QueryRowContext(ctx, `select (select freelist_count from pragma_freelist_count), (select page_size from pragma_page_size)`).Scan(&pages, &bytes)
	s.Free = pages * bytes
	s.Bytes = e.Size()
	return s, err
}

// Compact returns the room that pruning has freed in an SQLite ledger to the disk. It rewrites the file in one
// transaction, during which nothing else can be written, and needs as much free space as the ledger holds. If it is
// interrupted, it has done nothing. It takes the locks of all scopes first, and returns a *fault.BusyError if a run is
// going on, because a push that had to wait so long would leave what it has sent in doubt.
//
// Compact is for once in a while: later runs fill the room that a prune frees. For a PostgreSQL ledger it returns
// fault.ErrOnServer: the server's autovacuum does this.
func (l *Ledger) Compact(ctx context.Context) (before, after Size, err error) {
	const doing = "compact the ledger"
	e, ok := l.h.Engine.(*sqlite.Engine)
	if !ok {
		return before, after, &fault.Error{Ledger: l.h.Read.Label(), Doing: doing, Kind: fault.ErrOnServer, Err: fault.ErrOnServer, Hint: "Nothing to do: the server's autovacuum frees the space."}
	}
	release, err := l.lockScopes(ctx)
	defer release()
	if err != nil {
		return before, after, err
	}
	if before, err = l.size(ctx); err != nil {
		return before, after, l.h.Wrap(doing, err)
	}
	if err := e.Vacuum(ctx); err != nil {
		return before, after, l.h.Wrap(doing, err)
	}
	after, err = l.size(ctx)
	return before, after, l.h.Wrap(doing, err)
}

// lockScopes takes the locks under which runs push.
func (l *Ledger) lockScopes(ctx context.Context) (release func(), err error) {
	var held []func() error
	release = func() {
		for _, free := range held {
			_ = free() // it dies with the process at the latest
		}
	}
	scopes, err := store.List(ctx, l.h.Read, store.Column[string], `select distinct scope from runs order by scope`)
	if err != nil {
		return release, l.h.Wrap("list the scopes", err)
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
