// Package sqlite is the engine that keeps a ledger in one file beside the user's other files, for one machine.
//
// The file is in WAL mode: readers never wait for the writer, and two processes may have the ledger open. A lock is a
// lock on a file beside the database, which the system releases with its process. A ledger that was not closed is
// checked when it is next opened (occupy). If the disk is read-only or full, a copy is read instead (copy.go). A backup
// is one consistent copy made while runs go on (backup.go).
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/pressly/goose/v3/database"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/store"
)

const (
	// The page caches, in KiB for each connection, are bounded so that memory does not grow with the ledger. Reads are
	// in order, or of one page among many, so a larger cache would hold nothing that a reader asks for again.
	writerCacheKiB = 16 << 10
	readerCacheKiB = 4 << 10
	readers        = 4
	// LogPages is when SQLite folds the log back into the database, in pages of 4 KiB. The more the log holds, the more
	// often a page that changes repeatedly is folded back only once.
	LogPages = 8000
	// logLimit is how many bytes of the log's file are kept after a single transaction has made it larger.
	logLimit = 64 << 20
)

// Engine keeps a ledger in one file with SQLite.
//
// Commits that must last are fully synced. Those of the first pass are not: a crash may cost them (the plan is made
// again), as long as they never outlast something that came before them, which the order of the log guarantees. SQLite
// moves the log into the database whenever it has grown past LogPages and no reader holds it back; only a
// verification reads for long.
type Engine struct {
	Path string       // of the file
	open *flock.Flock // see occupy

	// For a copy that is read instead of the ledger: why the ledger cannot be written, and when the copy was taken.
	// Zero for the ledger itself. See ledger.OpenView.
	Unwritable error
	Taken      time.Time
	original   string // the ledger that it is a copy of
	of         string // the state of the ledger's files when the copy was taken
}

// lockByDescription makes SQLite lock the file by open file description. The usual kind of lock is lost whenever
// anything in the process, such as a backup, opens and closes the file. If the system does not have the former, the
// usual kind has to do.
var lockByDescription = sync.OnceFunc(func() { _, _ = sqlite.OFDLocking(true) })

func New(dsn string) (*Engine, error) {
	path := strings.TrimPrefix(dsn, "file:")
	switch {
	case strings.Contains(dsn, "password=") || strings.Contains(dsn, "dbname="):
		return nil, errors.New("ledger: a PostgreSQL database requires a URL: postgres://user:password@host:5432/database")
	case path == "" || path == ":memory:":
		return nil, fmt.Errorf("ledger %q: the ledger must be a file, such as docketsync.db", dsn)
	case strings.HasPrefix(dsn, "file:") && strings.ContainsAny(path, "?#"):
		return nil, fmt.Errorf("ledger %q: parameters after the path are not supported: use the path only", dsn)
	case strings.Contains(dsn, "://"):
		scheme, _, _ := strings.Cut(dsn, "://")
		return nil, fmt.Errorf("ledger: %s:// is not supported: use the path of a file, or postgres://…", scheme)
	}
	return &Engine{Path: path}, nil
}

func (e *Engine) Label() string {
	if e.original != "" {
		return e.original
	}
	return e.Path
}

func (e *Engine) Connect(ctx context.Context) (write, read *sql.DB, err error) {
	lockByDescription()
	if err := e.prepare(); err != nil {
		return nil, nil, err
	}
	if e.occupy() {
		if err := e.Sound(ctx, "quick_check(1)"); err != nil {
			return nil, nil, err
		}
	}
	if err := e.onlyLedger(ctx); err != nil {
		return nil, nil, err
	}
	if write, err = sql.Open("sqlite", e.dsn("_txlock=immediate", "_busy_timeout=250", memory(writerCacheKiB))); err != nil {
		return nil, nil, err
	}
	write.SetMaxOpenConns(1)
	if read, err = sql.Open("sqlite", e.dsn("_query_only=1", "_busy_timeout=10000", memory(readerCacheKiB))); err != nil {
		return nil, nil, errors.Join(err, write.Close())
	}
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	return write, read, nil
}

// onlyLedger makes sure that the file is a ledger or empty. It uses a connection of its own that changes nothing: the
// database of another program is left exactly as it is.
func (e *Engine) onlyLedger(ctx context.Context) error {
	var tables, ours int
	err := with(e.uri("_busy_timeout=10000"), func(db *sql.DB) error {
		return db.QueryRowContext(ctx, `select count(*), coalesce(sum(case when name = '`+store.VersionTable+`' then 1 else 0 end), 0)
			from sqlite_master where type = 'table'`).Scan(&tables, &ours)
	})
	if err == nil && tables > 0 && ours == 0 {
		return errNotLedger
	}
	return err
}

// memory bounds what a connection keeps in memory and in the log.
func memory(cacheKiB int) string {
	return fmt.Sprintf("_pragma=temp_store(memory)&_pragma=cache_size(-%d)&_pragma=wal_autocheckpoint(%d)&_pragma=journal_size_limit(%d)",
		cacheKiB, LogPages, logLimit)
}

func (e *Engine) dsn(parameters ...string) string {
	return e.uri(append(parameters, "_journal_mode=WAL", "_synchronous=FULL", "_foreign_keys=1", "_dqs=0")...)
}

func (e *Engine) uri(parameters ...string) string {
	path := filepath.ToSlash(e.Path)
	if runtime.GOOS == "windows" && filepath.IsAbs(e.Path) {
		path = "/" + path
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + strings.Join(parameters, "&")
}

// prepare creates the folder and the file, which only their owner may read: a ledger is full of other people's matters.
// It does not touch a file that is not a database.
func (e *Engine) prepare() error {
	if err := os.MkdirAll(filepath.Dir(e.Path), 0o700); err != nil {
		return err
	}
	flags := os.O_RDWR | os.O_CREATE
	if e.original != "" { // a copy is never new
		flags = os.O_RDWR
	}
	f, err := os.OpenFile(e.Path, flags, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	const magic = "SQLite format 3\x00"
	head := make([]byte, len(magic))
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if n > 0 && string(head[:n]) != magic {
		return errNotLedger
	}
	return nil
}

var errNotLedger = errors.New("the file is not a ledger")

// dialect has bare question marks: the driver looks numbered parameters up by name, which costs as much as binding
// them. It keeps no rows, because nobody else writes during a transaction that writes.
var dialect = store.Dialect{
	Goose: database.DialectSQLite3,
	Words: strings.NewReplacer("{identity}", "integer primary key autoincrement", "{exact}", "text", "{clustered}", "without rowid",
		"{counted}", "integer primary key", "{numbered}", "integer primary key", "{bytes}", "blob", "{stamp}", store.SQLiteStamp, "{restamp}", store.SQLiteRestamp,
		"{clock}", "cast(unixepoch('subsec') * 1000000 as integer)"),
	Begin:   "begin immediate",
	Durable: "pragma synchronous = full",
	Relaxed: "pragma synchronous = normal",
}

func (e *Engine) Dialect() store.Dialect { return dialect }

func (e *Engine) Locked(err error) bool { return codeOf(err) == sqlite3.SQLITE_BUSY }

func (e *Engine) Repeated(err error) bool {
	var failed *sqlite.Error
	return errors.As(err, &failed) && (failed.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || failed.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)
}

// codeOf returns the primary result code of an error, or 0 if it is not one of SQLite's.
func codeOf(err error) int {
	if failed, ok := errors.AsType[*sqlite.Error](err); ok {
		return failed.Code() & 0xff
	}
	return 0
}

func (e *Engine) Judge(err error) (hint string, kind error) {
	folder := folderOf(e.Path)
	corrupt := "Keep " + e.Path + " (and the files -wal and -shm beside it) unchanged and restore the last backup. Do not start with a new ledger: everything would be sent again."
	readOnly := "Make the folder " + folder + " and the files in it writable for the user that runs docketsync, or choose another ledger."
	var failed *sqlite.Error
	switch { // what the operating system says about the file and its folder
	case errors.Is(err, errNotLedger):
		return corrupt, fault.ErrCorrupt
	case errors.Is(err, syscall.ENOSPC), errors.As(err, &failed) && failed.Code() == sqlite3.SQLITE_IOERR_SHMSIZE: // no room for the file beside the log
		return "Free some space on the disk of " + folder + " and start again.", fault.ErrFull
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return readOnly, fault.ErrReadOnly
	}
	switch codeOf(err) {
	case sqlite3.SQLITE_FULL:
		return "Free some space on the disk of " + folder + " and run again: everything acknowledged is kept.", fault.ErrFull
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return readOnly, fault.ErrReadOnly
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return corrupt, fault.ErrCorrupt
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return "Close the program that has " + e.Path + " open for writing, and start again.", fault.ErrLocked
	case sqlite3.SQLITE_IOERR:
		return "The disk of " + folder + " failed: check it and the system's log. A ledger must not be on a network share.", nil
	}
	return "", nil
}

// folderOf returns the absolute folder of a ledger, because a relative path may have none but a dot.
func folderOf(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return filepath.Dir(path)
}

func (e *Engine) Outlast(time.Duration, func(string)) {}

// The system keeps the locks on files.
func (e *Engine) Hold(context.Context, store.Locks) error { return nil }
func (e *Engine) Held(store.Locks) error                  { return nil }

func (e *Engine) Close() error {
	var err error
	if e.open != nil {
		err = e.open.Close()
	}
	if e.original != "" {
		err = errors.Join(err, os.RemoveAll(filepath.Dir(e.Path)))
	}
	return err
}

// LogRoom is the size of the log in bytes when it is folded back: a header, and a header before each page.
const LogRoom = 32 + LogPages*(24+4096)

// Reserve gives the log all the room that it will need before it is folded back. A flush that overwrites part of a file
// takes less than half the time of one that also makes the file longer, and every group of commits waits for a flush.
//
// It is called in a transaction that has written nothing yet, so nobody else is writing to the log. To SQLite zeros are
// not a frame: a recovery of the log stops there. If there is no room, the log grows as needed.
func (e *Engine) Reserve() {
	f, err := os.OpenFile(e.Path+"-wal", os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return
	}
	zeros := make([]byte, 4096)
	for at := info.Size(); at < LogRoom; at += int64(len(zeros)) {
		if _, err := f.WriteAt(zeros[:min(int64(len(zeros)), LogRoom-at)], at); err != nil {
			_ = f.Truncate(info.Size())
			return
		}
	}
}
