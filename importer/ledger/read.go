package ledger

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// reader is the pool of connections that read. The statements that are asked again and again stay prepared.
type reader struct {
	*sql.DB
	mu         sync.Mutex
	statements map[string]*sql.Stmt
	// fold folds the journal into the tables; nil where there is none.
	fold func(context.Context) error
}

// fresh sees to it that the tables say what has been committed so far, by whomever.
func (r *reader) fresh(ctx context.Context) error {
	if r.fold == nil {
		return nil
	}
	statement, err := r.prepared(ctx, anyJournal)
	if err != nil {
		return err
	}
	var one int
	err = statement.QueryRowContext(ctx).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return r.fold(ctx)
}

// QueryContext is a query over tables that say what has been committed so far.
func (r *reader) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if err := r.fresh(ctx); err != nil {
		return nil, err
	}
	return r.DB.QueryContext(ctx, text, args...)
}

// one reads a single row of tables that say what has been committed so far. QueryRowContext does not see to that: it is for
// the tables that the journal is not about.
func (r *reader) one(ctx context.Context, text string, args []any, into ...any) error {
	if err := r.fresh(ctx); err != nil {
		return err
	}
	return r.QueryRowContext(ctx, text, args...).Scan(into...)
}

// statement is the prepared form of a text, for tables that say what has been committed so far.
func (r *reader) statement(ctx context.Context, text string) (*sql.Stmt, error) {
	if err := r.fresh(ctx); err != nil {
		return nil, err
	}
	return r.prepared(ctx, text)
}

// prepared is the prepared form of a text. The database prepares it on each connection that it comes to run on.
func (r *reader) prepared(ctx context.Context, text string) (*sql.Stmt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if statement := r.statements[text]; statement != nil {
		return statement, nil
	}
	statement, err := r.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	if r.statements == nil {
		r.statements = map[string]*sql.Stmt{}
	}
	r.statements[text] = statement
	return statement, nil
}

func (r *reader) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, statement := range r.statements {
		errs = append(errs, statement.Close())
	}
	r.statements = nil
	return errors.Join(append(errs, r.Close())...)
}
