package sandbox

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"modernc.org/sqlite"
)

//go:embed schema.sql
var schema string

// store is the SQLite database behind a sandbox. One goroutine and one connection write; see commit.go.
type store struct {
	db     *sql.DB // of the writer; of the readers too when in memory
	reader *sql.DB // nil when in memory
	tx     *tx
	jobs   chan *job
	closed chan struct{} // no more jobs
	idle   chan struct{} // the writer has ended
	once   sync.Once
}

// openStore opens or makes the database at path, or one in memory where path is empty. Nothing is written until start.
func openStore(path, synchronous string) (*store, error) {
	if _, err := sqlite.OFDLocking(true); err != nil && !errors.Is(err, sqlite.ErrOFDLockingUnavailable) && !errors.Is(err, sqlite.ErrOFDLockingTooLate) {
		return nil, err
	}
	switch synchronous {
	case "FULL", "NORMAL", "OFF":
	default:
		return nil, fmt.Errorf("synchronous %q: use FULL, NORMAL or OFF", synchronous)
	}
	s := &store{jobs: make(chan *job, 1024), closed: make(chan struct{}), idle: make(chan struct{})}
	var err error
	if s.db, err = sql.Open("sqlite", dsn(path, synchronous)); err != nil {
		return nil, err
	}
	s.db.SetMaxOpenConns(1)
	if err := s.prepare(path, synchronous); err != nil {
		return nil, errors.Join(fmt.Errorf("sandbox data %s: %w", or(path, "in memory"), err), s.db.Close())
	}
	return s, nil
}

func (s *store) prepare(path, synchronous string) error {
	ctx := context.Background()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return fmt.Errorf("make its folder: %w", err)
	}
	var version int
	if err := s.db.QueryRowContext(ctx, `pragma user_version`).Scan(&version); err != nil {
		return err
	}
	if version > 1 {
		return fmt.Errorf("was written by a newer version (format %d); use that one, or another file", version)
	}
	if _, err := s.db.ExecContext(ctx, schema); err != nil {
		return err
	}
	var err error
	if path != "" {
		if s.reader, err = sql.Open("sqlite", dsn(path, synchronous)+"&_pragma=query_only(1)"); err != nil {
			return err
		}
		s.reader.SetMaxOpenConns(4)
	}
	s.tx, err = newTx(ctx, s.db)
	return err
}

// start makes the trademarks of the directory known and begins to take jobs.
func (s *store) start(marks []Trademark) error {
	defer func() { go s.write() }()
	return s.within(func() error { return s.tx.seed(marks) })
}

func dsn(path, synchronous string) string {
	query := url.Values{"_pragma": {"busy_timeout(5000)", "synchronous(" + synchronous + ")", "cache_size(-16000)"}}
	if path == "" {
		return "file::memory:?" + query.Encode()
	}
	query.Add("_pragma", "journal_mode(wal)")
	query.Set("_txlock", "immediate")
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + query.Encode()
}

// querier is what reads: a pool, or the writer's connection.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// view reads. In memory there is but one connection, so the writer reads between two transactions.
func (s *store) view(ctx context.Context, read func(querier) error) error {
	if s.reader != nil {
		return read(s.reader)
	}
	j := &job{read: read, done: make(chan error, 1)}
	return s.run(ctx, j)
}

// close ends the writer after what waits has been written. A second call does nothing.
func (s *store) close() error {
	s.once.Do(func() { close(s.closed) })
	<-s.idle
	faults := []error{s.tx.close(), s.db.Close()}
	if s.reader != nil {
		faults = append(faults, s.reader.Close())
	}
	return errors.Join(faults...)
}
