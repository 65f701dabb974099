// Package shelf keeps files of a console in the ledger's PostgreSQL database, so that all consoles of the ledger have
// them: uploads and their drafts, and plans that await approval. Each console works on a copy in its own folder, as
// with SQLite, where there is no shelf: a nil *Shelf keeps nothing.
//
// Everything on the shelf has a version. Whoever puts something says which version it was made from. So if two people
// change one draft at two consoles, the second is told, as with two windows of one console. The table is not the
// ledger's: the first console creates it, and a ledger that is restored without it has lost nothing that was sent.
package shelf

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"docketsync/importer/atomicfile"
)

const table = `select pg_advisory_xact_lock(hashtextextended('docketsync/' || current_schema() || '/shelf', 0));
	do $$ begin if to_regclass('shelf') is null then
		create table shelf (name text collate "C", part int, version bigint not null, at timestamptz not null default clock_timestamp(), content bytea not null, primary key (name, part));
	end if; end $$`

// partSize is how much of a file is in memory at a time.
const partSize = 1 << 20

// ErrChanged says that what should be replaced has another version.
var ErrChanged = errors.New("it has been changed at another console")

// Shelf is an open shelf.
type Shelf struct{ db *sql.DB }

// Open opens the shelf of a database, and creates it if there is none.
func Open(ctx context.Context, db *sql.DB) (*Shelf, error) {
	_, err := db.ExecContext(ctx, table)
	return &Shelf{db}, err
}

// Put replaces the version before of name, 0 for nothing, by everything that r yields. It returns ErrChanged if there
// is another version.
func (s *Shelf) Put(ctx context.Context, name string, before int64, r io.Reader) (version int64, err error) {
	if s == nil {
		return 0, nil
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback() }() // no effect after commit
	if err := tx.QueryRowContext(ctx, `select version from shelf where name = $1 and part = 0 for update`, name).Scan(&version); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	if version != before {
		return 0, ErrChanged
	}
	if _, err := tx.ExecContext(ctx, `delete from shelf where name = $1`, name); err != nil {
		return 0, err
	}
	content := make([]byte, partSize)
	for part := 0; ; part++ {
		n, err := io.ReadFull(r, content)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return 0, err
		}
		if n > 0 || part == 0 {
			if _, err := tx.ExecContext(ctx, `insert into shelf (name, part, version, content) values ($1, $2, $3, $4)`, name, part, before+1, content[:n]); err != nil {
				return 0, err
			}
		}
		if err != nil {
			return before + 1, tx.Commit()
		}
	}
}

// PutFile is Put for the content of a file.
func (s *Shelf) PutFile(ctx context.Context, name string, before int64, path string) (version int64, err error) {
	if s == nil {
		return 0, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return s.Put(ctx, name, before, f)
}

// Version returns the version of name, 0 if there is none.
func (s *Shelf) Version(ctx context.Context, name string) (version int64, err error) {
	if s == nil {
		return 0, nil
	}
	err = s.db.QueryRowContext(ctx, `select version from shelf where name = $1 and part = 0`, name).Scan(&version)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return version, err
}

// Fetch writes the content of name to w and returns its version; fs.ErrNotExist if there is none.
func (s *Shelf) Fetch(ctx context.Context, name string, w io.Writer) (version int64, err error) {
	if s == nil {
		return 0, fs.ErrNotExist
	}
	rows, err := s.db.QueryContext(ctx, `select version, content from shelf where name = $1 order by part`, name)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var content sql.RawBytes
		if err := rows.Scan(&version, &content); err != nil {
			return 0, err
		}
		if _, err := io.Copy(w, bytes.NewReader(content)); err != nil {
			return 0, err
		}
	}
	if version == 0 && rows.Err() == nil {
		return 0, fs.ErrNotExist
	}
	return version, rows.Err()
}

// FetchFile is Fetch into a file that only docketsync can read. It creates the folder if needed.
func (s *Shelf) FetchFile(ctx context.Context, name, path string) (version int64, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return 0, err
	}
	err = atomicfile.Write(path, 0o600, func(w io.Writer) error {
		version, err = s.Fetch(ctx, name, w)
		return err
	})
	return version, err
}

// Delete removes name, and all names that begin with it and a slash.
func (s *Shelf) Delete(ctx context.Context, name string) error {
	if s == nil {
		return nil
	}
	_, err := s.db.ExecContext(ctx, `delete from shelf where name = $1 or starts_with(name, $1 || '/')`, name)
	return err
}

// Names returns the names that begin with prefix and were put before a time, zero for all.
func (s *Shelf) Names(ctx context.Context, prefix string, before time.Time) (names []string, err error) {
	if s == nil {
		return nil, nil
	}
	rows, err := s.db.QueryContext(ctx, `select name from shelf where part = 0 and starts_with(name, $1) and ($2 or at < $3) order by name`, prefix, before.IsZero(), before)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}
