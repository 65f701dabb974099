package ledger

import (
	"context"
	"database/sql"
	"errors"
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
	err := l.writer.do(ctx, false, func(tx *transaction) error {
		if _, err := tx.exec(`delete from service`); err != nil {
			return err
		}
		_, err := tx.exec(`insert into service (name) values ($1)`, plain(name))
		return err
	})
	return l.wrap("write which service the ledger is about", err)
}
