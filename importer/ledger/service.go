package ledger

import (
	"context"
	"database/sql"
	"errors"

	"docketsync/importer/ledger/store"
)

// Service is the name of the service that the ledger is about, "" while nothing was sent yet. What the ledger knows is
// true of that service alone.
func (l *Reader) Service(ctx context.Context) (string, error) {
	var name string
	err := l.read.QueryRowContext(ctx, `select name from service`).Scan(&name)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return name, l.wrap("read which service the ledger is about", err)
}

// SetService says which service the ledger is about from now on.
func (l *Ledger) SetService(ctx context.Context, name string) error {
	err := l.do(ctx, false, func(tx *transaction) error {
		if _, err := tx.Exec(`delete from service`); err != nil {
			return err
		}
		_, err := tx.Exec(`insert into service (name) values ($1)`, store.Plain(name))
		return err
	})
	return l.wrap("write which service the ledger is about", err)
}
