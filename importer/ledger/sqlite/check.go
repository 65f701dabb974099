package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"

	"github.com/gofrs/flock"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/store"
)

// Damage is what one of SQLite's checks finds, on a connection that reads alone.
func (e *Engine) Damage(ctx context.Context, check string) ([]string, error) {
	lockByDescription()
	db, err := sql.Open("sqlite", e.uri("_query_only=1", "_busy_timeout=10000", memory(readerCacheKiB)))
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, "pragma "+check)
	if err != nil {
		return nil, err
	}
	found, err := store.Collect(rows, func(rows *sql.Rows) (text string, err error) {
		err = rows.Scan(&text)
		return text, err
	})
	if err == nil && len(found) == 1 && found[0] == "ok" {
		return nil, nil
	}
	return found, err
}

// Sound is an error when a check finds damage.
func (e *Engine) Sound(ctx context.Context, check string) error {
	found, err := e.Damage(ctx, check)
	if err == nil && len(found) > 0 {
		err = fmt.Errorf("%w: %s", fault.ErrDamaged, found[0])
	}
	return err
}

// occupy notes that this process has the ledger open, in a lock on a file beside it, which the system releases when the process
// is gone. crashed tells that nobody else has it open, and whoever had it last did not close it: its log is still there.
func (e *Engine) occupy() (crashed bool) {
	e.open = flock.New(e.path + ".open.lock")
	first, _ := e.open.TryLock()
	if first {
		info, err := os.Stat(e.path + "-wal")
		crashed = err == nil && info.Size() > 0
	}
	_, _ = e.open.TryRLock() // where it cannot be had, the next start looks once more than it need
	return crashed
}
