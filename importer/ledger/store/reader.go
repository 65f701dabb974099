package store

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"sync"
)

// Reader is the pool of connections that read. The statements that are asked again and again stay prepared.
type Reader struct {
	db         *sql.DB
	engine     Engine
	closing    <-chan struct{}
	mu         sync.Mutex
	statements map[string]*sql.Stmt
}

// QueryContext is a query.
func (r *Reader) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	return r.db.QueryContext(ctx, text, args...)
}

// One reads a single row.
func (r *Reader) One(ctx context.Context, text string, args []any, into ...any) error {
	return r.QueryRowContext(ctx, text, args...).Scan(into...)
}

// QueryRowContext is a query for a single row.
func (r *Reader) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	return r.db.QueryRowContext(ctx, text, args...)
}

// Statement is the prepared form of a text. The database prepares it on each connection that it comes to run on.
func (r *Reader) Statement(ctx context.Context, text string) (*sql.Stmt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if statement := r.statements[text]; statement != nil {
		return statement, nil
	}
	statement, err := r.db.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	if r.statements == nil {
		r.statements = map[string]*sql.Stmt{}
	}
	r.statements[text] = statement
	return statement, nil
}

func (r *Reader) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, statement := range r.statements {
		errs = append(errs, statement.Close())
	}
	r.statements = nil
	return errors.Join(append(errs, r.db.Close())...)
}

// Collect reads all rows and closes them.
func Collect[T any](rows *sql.Rows, scan func(*sql.Rows) (T, error)) ([]T, error) {
	return collect(nil, rows, scan)
}

func collect[T any](list []T, rows *sql.Rows, scan func(*sql.Rows) (T, error)) ([]T, error) {
	defer rows.Close()
	for rows.Next() {
		item, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, rows.Err()
}

// List reads all rows of a query.
func List[T any](ctx context.Context, r *Reader, scan func(*sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	rows, err := r.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	return Collect(rows, scan)
}

// Page is List with room for so many rows, which are expected: its list does not grow while they are read.
func Page[T any](ctx context.Context, r *Reader, room int, scan func(*sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	rows, err := r.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	return collect(make([]T, 0, room), rows, scan)
}

// Pages yields what read finds behind the last thing that was found, the zero value at first, until a page is not full. Nothing is held
// open between two pages, so that the ledger may be written; what changes meanwhile may or may not be seen. An error ends it.
func Pages[T any](full int, read func(last T) ([]T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for last := *new(T); ; {
			page, err := read(last)
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, last = range page {
				if !yield(last, nil) {
					return
				}
			}
			if len(page) < full {
				return
			}
		}
	}
}

// Found tells whether there was a row, of the error that reading it ended with.
func Found(err error) (bool, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// Column reads the only column of a row, for Collect.
func Column[T any](rows *sql.Rows) (value T, err error) {
	err = rows.Scan(&value)
	return value, err
}
