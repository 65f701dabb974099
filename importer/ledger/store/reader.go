package store

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"sync"
)

// Reader is the pool of connections that read. Frequent statements stay prepared.
type Reader struct {
	db         *sql.DB
	engine     Engine
	closing    <-chan struct{}
	mu         sync.Mutex
	statements map[string]*sql.Stmt
}

// QueryContext runs a query.
func (r *Reader) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	return r.db.QueryContext(ctx, text, args...)
}

// One reads a single row.
func (r *Reader) One(ctx context.Context, text string, args []any, into ...any) error {
	return r.QueryRowContext(ctx, text, args...).Scan(into...)
}

// QueryRowContext runs a query for a single row.
func (r *Reader) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	return r.db.QueryRowContext(ctx, text, args...)
}

// statement returns the prepared form of a text. The database prepares it on each connection that it runs on.
func (r *Reader) statement(ctx context.Context, text string) (*sql.Stmt, error) {
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

// Query runs a query, in a transaction (Tx.Query) or outside (Reader.Asking, Reader.Prepared).
type Query = func(text string, args ...any) (*sql.Rows, error)

// Asking returns a Query outside of any transaction.
func (r *Reader) Asking(ctx context.Context) Query {
	return func(text string, args ...any) (*sql.Rows, error) { return r.QueryContext(ctx, text, args...) }
}

// Snapshot calls read with a Query that finds the database as it is at one moment, whatever is written meanwhile.
func (r *Reader) Snapshot(ctx context.Context, read func(Query) error) error {
	tx, err := r.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	return read(func(text string, args ...any) (*sql.Rows, error) { return tx.QueryContext(ctx, text, args...) })
}

// Prepared is Asking for frequent queries, which stay prepared.
func (r *Reader) Prepared(ctx context.Context) Query {
	return func(text string, args ...any) (*sql.Rows, error) {
		statement, err := r.statement(ctx, text)
		if err != nil {
			return nil, err
		}
		return statement.QueryContext(ctx, args...)
	}
}

// Each calls row for each row that a query finds.
func Each(query Query, row func(*sql.Rows) error, text string, args ...any) error {
	rows, err := query(text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// All reads all rows that a query finds.
func All[T any](query Query, scan func(*sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	return Append(nil, query, scan, text, args...)
}

// Append is All, for a list that may have room already.
func Append[T any](list []T, query Query, scan func(*sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	err := Each(query, func(rows *sql.Rows) error {
		item, err := scan(rows)
		list = append(list, item)
		return err
	}, text, args...)
	if err != nil {
		return nil, err
	}
	return list, nil
}

// List is All outside of any transaction.
func List[T any](ctx context.Context, r *Reader, scan func(*sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	return All(r.Asking(ctx), scan, text, args...)
}

// Page is List with room for that many expected rows, so that its list does not grow while they are read.
func Page[T any](ctx context.Context, r *Reader, room int, scan func(*sql.Rows) (T, error), text string, args ...any) ([]T, error) {
	return Append(make([]T, 0, room), r.Asking(ctx), scan, text, args...)
}

// Pages yields what read finds after the last thing found, starting with the zero value, until a page is not full.
// Nothing is held open between two pages, so the ledger may be written; changes made meanwhile may or may not be seen.
// An error ends it.
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

// PagesAhead is Pages that reads each page while the one before is being yielded. No read is under way any more when it
// ends.
func PagesAhead[T any](full int, read func(last T) ([]T, error)) iter.Seq2[T, error] {
	type page struct {
		list []T
		err  error
	}
	return func(yield func(T, error) bool) {
		next := make(chan page, 1)
		begin := func(last T) {
			list, err := read(last)
			next <- page{list, err}
		}
		begin(*new(T))
		for more := true; more; {
			p := <-next
			if p.err != nil {
				yield(*new(T), p.err)
				return
			}
			if more = len(p.list) == full; more {
				go begin(p.list[full-1])
			}
			for _, item := range p.list {
				if !yield(item, nil) {
					if more {
						<-next
					}
					return
				}
			}
		}
	}
}

// Found reports, from the error of reading a row, whether there was one.
func Found(err error) (bool, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// Column reads the only column of a row, for All.
func Column[T any](rows *sql.Rows) (value T, err error) {
	err = rows.Scan(&value)
	return value, err
}
