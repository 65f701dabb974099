package sandbox

import (
	"cmp"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"github.com/google/uuid"
	"modernc.org/sqlite"
)

//go:embed schema.sql
var schema string

// errClosed is the error for a request that arrives while the sandbox is closing.
var errClosed = errors.New("the sandbox is closed")

// store is the SQLite database of a sandbox. One request writes at a time, in its own transaction. What has been
// answered survives the process, but not a power cut.
type store struct {
	db     *sql.DB    // of the writer
	reader *sql.DB    // in memory it is the same, with its one connection: it reads between two transactions, and no query may begin within another
	mu     sync.Mutex // held by the current transaction
	closed bool
	kept   map[string]*sql.Stmt // prepared statements of transactions, by their text
	missed []string             // what the current transaction ran unprepared
}

// openStore opens or creates the database at path, or one in memory if path is empty, and adds the trademarks of the
// directory.
func openStore(path string, marks []Trademark) (*store, error) {
	if _, err := sqlite.OFDLocking(true); err != nil && !errors.Is(err, sqlite.ErrOFDLockingUnavailable) && !errors.Is(err, sqlite.ErrOFDLockingTooLate) {
		return nil, err
	}
	s := &store{kept: map[string]*sql.Stmt{}}
	if err := s.open(path, marks); err != nil {
		return nil, errors.Join(fmt.Errorf("sandbox data %s: %w", cmp.Or(path, "in memory"), err), s.close())
	}
	return s, nil
}

func (s *store) open(path string, marks []Trademark) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return fmt.Errorf("make its folder: %w", err)
	}
	if path != "" { // private, because a rehearsal sends it what the service would get
		made, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		if err := errors.Join(made.Chmod(0o600), made.Close()); err != nil {
			return err
		}
	}
	if s.db, err = sql.Open("sqlite", dsn(path)); err != nil {
		return err
	}
	s.db.SetMaxOpenConns(1)
	s.reader = s.db
	if path != "" {
		if s.reader, err = sql.Open("sqlite", dsn(path)+"&_pragma=query_only(1)"); err != nil {
			return err
		}
		s.reader.SetMaxOpenConns(4)
	}
	var version int
	if err := s.db.QueryRow(`pragma user_version`).Scan(&version); err != nil {
		return err
	}
	if version > 1 {
		return fmt.Errorf("was written by a newer version (format %d); use that one, or another file", version)
	}
	if _, err := s.db.Exec(schema); err != nil {
		return err
	}
	return s.update(func(t tx) error {
		if err := t.addUpdatedBy(); err != nil {
			return err
		}
		for _, m := range marks { // existing trademarks are left alone
			if err := t.exec(`insert or ignore into trademarks (id, mark_text, registry, number, members, updates, updated_at) values (?, ?, ?, '', '{}', 0, 0)`,
				m.ID, m.MarkText, m.RegistryID); err != nil {
				return err
			}
		}
		return nil
	})
}

// addUpdatedBy upgrades data from before trademarks recorded who changed them.
func (t tx) addUpdatedBy() error {
	var there bool
	if err := t.QueryRow(`select exists (select 1 from pragma_table_info('trademarks') where name = 'updated_by')`).Scan(&there); err != nil || there {
		return err
	}
	_, err := t.Tx.Exec(`alter table trademarks add column updated_by text not null default ''`)
	return err
}

func dsn(path string) string {
	query := url.Values{"_txlock": {"immediate"}, "_pragma": {"busy_timeout(5000)", "synchronous(NORMAL)", "cache_size(-16000)"}}
	if path == "" {
		return "file::memory:?" + query.Encode()
	}
	query.Add("_pragma", "journal_mode(wal)")
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + query.Encode()
}

// querier reads: the readers, or the current transaction. Nothing can be cancelled: a cancelled statement would close
// the only connection of a database in memory, and lose its data.
type querier interface {
	Query(query string, args ...any) (*sql.Rows, error)
	QueryRow(query string, args ...any) *sql.Row
}

// tx is a transaction. Its statements stay prepared for the next one: parsing them is a sixth of the cost of a create.
type tx struct {
	*sql.Tx
	s *store
}

// statement returns the prepared statement for a text, or nil if there is none yet. The transaction occupies the only
// connection, so the statement is prepared before the next one.
func (t tx) statement(text string) *sql.Stmt {
	if kept := t.s.kept[text]; kept != nil {
		return t.Stmt(kept)
	}
	t.s.missed = append(t.s.missed, text)
	return nil
}

func (t tx) exec(text string, args ...any) (err error) {
	if prepared := t.statement(text); prepared != nil {
		_, err = prepared.Exec(args...)
	} else {
		_, err = t.Tx.Exec(text, args...)
	}
	return err
}

func (t tx) Query(text string, args ...any) (*sql.Rows, error) {
	if prepared := t.statement(text); prepared != nil {
		return prepared.Query(args...)
	}
	return t.Tx.Query(text, args...)
}

func (t tx) QueryRow(text string, args ...any) *sql.Row {
	if prepared := t.statement(text); prepared != nil {
		return prepared.QueryRow(args...)
	}
	return t.Tx.QueryRow(text, args...)
}

// prepare prepares the statements that transactions have missed.
func (s *store) prepare() error {
	for _, text := range s.missed {
		if s.kept[text] != nil {
			continue
		}
		prepared, err := s.db.Prepare(text)
		if err != nil {
			return err
		}
		s.kept[text] = prepared
	}
	s.missed = s.missed[:0]
	return nil
}

// update runs do in a transaction.
func (s *store) update(do func(tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	if err := s.prepare(); err != nil {
		return err
	}
	t, err := s.db.Begin()
	if err != nil {
		return err
	}
	if err := do(tx{t, s}); err != nil {
		return errors.Join(err, t.Rollback())
	}
	if err := t.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// close closes the store after the current transaction.
func (s *store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	var problems []error
	for _, db := range []*sql.DB{s.db, s.reader} {
		if db != nil {
			problems = append(problems, db.Close())
		}
	}
	return errors.Join(problems...)
}

// query reads all rows of a query; the list is never nil.
func query[T any](q querier, text string, row func(scan func(...any) error) (T, error), args ...any) ([]T, error) {
	list := []T{}
	err := each(q, text, func(scan func(...any) error) error {
		one, err := row(scan)
		list = append(list, one)
		return err
	}, args...)
	return list, err
}

// each runs a query and passes each row to row.
func each(q querier, query string, row func(scan func(...any) error) error, args ...any) error {
	rows, err := q.Query(query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// found reads one row and reports whether there was one.
func found(row *sql.Row, into ...any) (bool, error) {
	err := row.Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// newID returns a GUID of version 7, so that the index over ids grows at its end.
func newID() string { return uuid.Must(uuid.NewV7()).String() }
