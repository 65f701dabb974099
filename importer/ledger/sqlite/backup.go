package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/gofrs/flock"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/store"
)

// Replaceable makes sure that a backup replaces nothing but an older one.
func (e *Engine) Replaceable(ctx context.Context, path string) error {
	there, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if own, err := os.Stat(e.Path); err == nil && os.SameFile(own, there) {
		return errors.New("this is the ledger itself; choose another file")
	}
	var backups int
	err = with((&Engine{Path: path}).uri("mode=ro", "immutable=1"), func(db *sql.DB) error {
		return db.QueryRowContext(ctx, `select count(*) from backups`).Scan(&backups)
	})
	if err != nil || backups == 0 {
		return errors.New("the file exists and is not a ledger backup; choose another name")
	}
	return nil
}

// VacuumInto copies the database into an empty file, in one reading transaction.
func (e *Engine) VacuumInto(ctx context.Context, path string) error {
	return with(e.uri("_busy_timeout=10000", memory(readerCacheKiB)), func(db *sql.DB) error {
		_, err := db.ExecContext(ctx, `vacuum into ?`, path)
		return err
	})
}

// with opens a database with a connection of its own.
func with(dsn string, use func(db *sql.DB) error) error {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	return errors.Join(use(db), db.Close())
}

// Vacuum rewrites the file and empties the log, which then holds all of it.
func (e *Engine) Vacuum(ctx context.Context) error {
	return with(e.dsn("_busy_timeout=10000", memory(writerCacheKiB)), func(db *sql.DB) error {
		for _, text := range []string{`vacuum`, `pragma wal_checkpoint(truncate)`} {
			if _, err := db.ExecContext(ctx, text); err != nil {
				return fmt.Errorf("%s: %w", text, err)
			}
		}
		return nil
	})
}

// Size returns how many bytes the ledger and its log take on the disk.
func (e *Engine) Size() (bytes int64) {
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(e.Path + suffix); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}

// SyncFile makes the content of a file durable.
func SyncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// SyncFolder makes a new name durable. If folders cannot be synced (Windows), the system does so itself.
func SyncFolder(path string) error {
	if f, err := os.Open(path); err == nil {
		_ = f.Sync()
		return f.Close()
	}
	return nil
}

// Damage returns what one of SQLite's checks finds, on a connection that only reads.
func (e *Engine) Damage(ctx context.Context, check string) (found []string, err error) {
	lockByDescription()
	err = with(e.uri("_query_only=1", "_busy_timeout=10000", memory(readerCacheKiB)), func(db *sql.DB) error {
		query := func(text string, _ ...any) (*sql.Rows, error) { return db.QueryContext(ctx, text) }
		found, err = store.All(query, store.Column[string], "pragma "+check)
		return err
	})
	if err == nil && len(found) == 1 && found[0] == "ok" {
		return nil, nil
	}
	return found, err
}

// Sound returns an error if a check finds damage.
func (e *Engine) Sound(ctx context.Context, check string) error {
	found, err := e.Damage(ctx, check)
	if err == nil && len(found) > 0 {
		err = fmt.Errorf("%w: %s", fault.ErrDamaged, found[0])
	}
	return err
}

// occupy notes that this process has the ledger open, by a lock on a file beside it, which the system releases when the
// process is gone. crashed says that nobody else has the ledger open, and whoever had it last did not close it: its log
// is still there.
func (e *Engine) occupy() (crashed bool) {
	e.open = flock.New(e.Path + ".open.lock")
	first, _ := e.open.TryLock()
	if first {
		info, err := os.Stat(e.Path + "-wal")
		crashed = err == nil && info.Size() > 0
	}
	_, _ = e.open.TryRLock() // if this fails, the next start runs one check more than needed
	return crashed
}
