package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrOnServer tells that the upkeep of a PostgreSQL database is its server's.
var ErrOnServer = errors.New("the ledger is a PostgreSQL database")

// Backup writes a copy of an SQLite ledger to a file, readable by its owner alone, while runs may go on. The copy is the
// ledger as it was at one instant, the one returned: whole transactions, no part of one. It is compacted, checked and
// opened as a ledger before it gets its name, so that the file is a whole backup or what it was before. Pushes do not wait
// for it; the log grows meanwhile, since it cannot be folded back under a reader.
//
// The file may be there already if it is a ledger, and is replaced. The copy knows that it is one (BackupTaken).
//
// A PostgreSQL ledger is ErrOnServer: pg_dump makes a consistent copy of it.
func (l *Ledger) Backup(ctx context.Context, path string) (time.Time, error) {
	doing := "back up to " + path
	e, ok := l.engine.(*sqliteEngine)
	if !ok {
		return time.Time{}, &Error{Ledger: l.engine.label(), Doing: doing, Kind: ErrOnServer, Err: ErrOnServer, Hint: "Use pg_dump, which makes a consistent copy while runs go on."}
	}
	if err := e.replaceable(ctx, path); err != nil {
		return time.Time{}, fmt.Errorf("%s: %w", doing, err)
	}
	taken, err := l.backup(ctx, e, path)
	return taken, l.wrap(doing, err)
}

// replaceable makes sure that a backup takes the place of nothing but an older one.
func (e *sqliteEngine) replaceable(ctx context.Context, path string) error {
	there, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if own, err := os.Stat(e.path); err == nil && os.SameFile(own, there) {
		return errors.New("this is the ledger itself; choose another file")
	}
	var backups int
	db, err := sql.Open("sqlite", (&sqliteEngine{path: path}).uri("mode=ro", "immutable=1"))
	if err == nil {
		defer db.Close()
		err = db.QueryRowContext(ctx, `select count(*) from backups`).Scan(&backups)
	}
	if err != nil || backups == 0 {
		return errors.New("the file is there, and it is no backup of a ledger; choose another name")
	}
	return nil
}

func (l *Ledger) backup(ctx context.Context, e *sqliteEngine, path string) (taken time.Time, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return taken, err
	}
	// A folder of its own, because opening a database puts files beside it.
	dir, err := os.MkdirTemp(filepath.Dir(path), ".backup-*")
	if err != nil {
		return taken, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	copied := &sqliteEngine{path: filepath.Join(dir, "ledger.db")}
	if err := os.WriteFile(copied.path, nil, 0o600); err != nil {
		return taken, err
	}
	// A copy has its indexes made anew, so what is wrong with the ledger's own would not be seen in it.
	if err := e.sound(ctx, "integrity_check(1)"); err != nil {
		return taken, err
	}
	taken = l.now().UTC()
	if err := e.vacuumInto(ctx, copied.path); err != nil {
		return taken, err
	}
	if err := copied.provenAsBackup(ctx, taken); err != nil {
		return taken, fmt.Errorf("the copy is not sound: %w", err)
	}
	return taken, errors.Join(syncFile(copied.path), os.Rename(copied.path, path), syncFolder(filepath.Dir(path)))
}

// vacuumInto copies the database into an empty file, in one reading transaction.
func (e *sqliteEngine) vacuumInto(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", e.uri("_busy_timeout=10000", memory(readerCacheKiB)))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `vacuum into ?`, path)
	return errors.Join(err, db.Close())
}

// provenAsBackup opens the copy as a ledger, looks through all of it, and notes that it is a copy.
func (e *sqliteEngine) provenAsBackup(ctx context.Context, taken time.Time) (err error) {
	l, err := Open(ctx, e.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	var said string
	if err := l.read.QueryRowContext(ctx, `pragma integrity_check(1)`).Scan(&said); err != nil {
		return err
	}
	if said != "ok" {
		return fmt.Errorf("%s: %w", said, ErrCorrupt)
	}
	return l.writer.do(ctx, false, func(tx *transaction) error {
		if _, err := tx.exec(`delete from backups`); err != nil {
			return err
		}
		_, err := tx.exec(`insert into backups (taken_at) values ($1)`, taken.UnixMicro())
		return err
	})
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncFolder makes a new name durable. Where folders cannot be synchronised (Windows), the system does so itself.
func syncFolder(path string) error {
	if f, err := os.Open(path); err == nil {
		_ = f.Sync()
		return f.Close()
	}
	return nil
}

// BackupTaken is when this ledger was written as a backup, zero when it is none, or was accepted in place of the ledger
// that it is a copy of (AcceptRestore). What was sent since then is not in it.
func (l *Reader) BackupTaken(ctx context.Context) (time.Time, error) {
	var taken int64
	err := l.read.QueryRowContext(ctx, `select taken_at from backups`).Scan(&taken)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, nil
	}
	return timeOf(&taken), l.wrap("read whether the ledger is a backup", err)
}
