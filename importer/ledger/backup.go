package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/sqlite"
	"docketsync/importer/ledger/store"
)

// Backup writes a copy of an SQLite ledger to a file, readable by its owner alone, while runs may go on. The copy is the
// ledger as it was at one instant, the one returned: whole transactions, no part of one. It is compacted, checked and
// opened as a ledger before it gets its name, so that the file is a whole backup or what it was before. Pushes do not wait
// for it; the log grows meanwhile, since it cannot be folded back under a reader.
//
// The file may be there already if it is a ledger, and is replaced. The copy knows that it is one (BackupTaken).
//
// A PostgreSQL ledger is fault.ErrOnServer: pg_dump makes a consistent copy of it.
func (l *Ledger) Backup(ctx context.Context, path string) (time.Time, error) {
	doing := "back up to " + path
	e, ok := l.engine.(*sqlite.Engine)
	if !ok {
		return time.Time{}, &fault.Error{Ledger: l.read.Label(), Doing: doing, Kind: fault.ErrOnServer, Err: fault.ErrOnServer, Hint: "Use pg_dump, which makes a consistent copy while runs go on."}
	}
	if err := e.Replaceable(ctx, path); err != nil {
		return time.Time{}, fmt.Errorf("%s: %w", doing, err)
	}
	taken, err := l.backup(ctx, e, path)
	return taken, l.wrap(doing, err)
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
	// A copy has its indexes made anew, so what is wrong with the ledger's own would not be seen in it.
	if err := e.Sound(ctx, "integrity_check(1)"); err != nil {
		return taken, err
	}
	taken = l.now().UTC()
	if err := e.VacuumInto(ctx, copied); err != nil {
		return taken, err
	}
	if err := provenAsBackup(ctx, copied, taken); err != nil {
		return taken, fmt.Errorf("the copy is not sound: %w", err)
	}
	return taken, errors.Join(sqlite.SyncFile(copied), os.Rename(copied, path), sqlite.SyncFolder(filepath.Dir(path)))
}

// provenAsBackup opens the copy as a ledger, looks through all of it, and notes that it is a copy.
func provenAsBackup(ctx context.Context, path string, taken time.Time) (err error) {
	l, err := Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	var said string
	if err := l.read.QueryRowContext(ctx, `pragma integrity_check(1)`).Scan(&said); err != nil {
		return err
	}
	if said != "ok" {
		return fmt.Errorf("%s: %w", said, fault.ErrCorrupt)
	}
	return l.do(ctx, false, func(tx *transaction) error {
		if _, err := tx.Exec(`delete from backups`); err != nil {
			return err
		}
		_, err := tx.Exec(`insert into backups (taken_at) values ($1)`, taken.UnixMicro())
		return err
	})
}

// BackupTaken is when this ledger was written as a backup, zero when it is none, or was accepted in place of the ledger
// that it is a copy of (AcceptRestore). What was sent since then is not in it.
func (l *Reader) BackupTaken(ctx context.Context) (time.Time, error) {
	var taken int64
	err := l.read.QueryRowContext(ctx, `select taken_at from backups`).Scan(&taken)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, nil
	}
	return store.TimeOf(&taken), l.wrap("read whether the ledger is a backup", err)
}
