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
}

// statement is the prepared form of a text. The database prepares it on each connection that it comes to run on.
func (r *reader) statement(ctx context.Context, text string) (*sql.Stmt, error) {
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
