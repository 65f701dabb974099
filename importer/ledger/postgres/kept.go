package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// keptPatience is how long one change may take, from waiting for its turn to the commit.
const keptPatience = 10 * time.Second

// Kept is a connection beside those of the ledger for data that several processes change together many times a second
// (the table accounts). The data may be lost in a crash of the server, so a change waits neither for the disk nor for
// the ledger's own commits.
type Kept struct {
	config *pgx.ConnConfig
	turn   chan struct{} // holds one token while nobody uses the connection
	conn   *pgx.Conn
}

// Kept returns such a connection, which is made when it is first used. It must be closed.
func (e *Engine) Kept() *Kept {
	k := &Kept{config: e.config.Copy(), turn: make(chan struct{}, 1)}
	k.turn <- struct{}{}
	return k
}

// Change changes what is kept under a name, while nobody else does. change gets the server's time and what is kept, nil
// at first, and must return at once. It is called once, or not at all if there is an error before. After an error
// nobody knows whether the change was made.
func (k *Kept) Change(ctx context.Context, name string, change func(now time.Time, kept []byte) []byte) (err error) {
	ctx, cancel := context.WithTimeout(ctx, keptPatience)
	defer cancel()
	select {
	case <-k.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { k.turn <- struct{}{} }()
	if k.conn == nil {
		if err := k.connect(ctx); err != nil {
			return err
		}
	}
	if err = k.change(ctx, name, change); err != nil { // what is left of the transaction goes with the connection
		_ = k.conn.Close(context.WithoutCancel(ctx))
		k.conn = nil
	}
	return err
}

// connect connects. A process that stands still in the middle of a change must not keep the others waiting for long.
func (k *Kept) connect(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, k.config)
	if err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, `set idle_in_transaction_session_timeout = '2s'; set synchronous_commit = off`); err != nil {
		return errors.Join(err, conn.Close(ctx))
	}
	k.conn = conn
	return nil
}

func (k *Kept) change(ctx context.Context, name string, change func(now time.Time, kept []byte) []byte) error {
	now, kept, err := k.take(ctx, name)
	if errors.Is(err, pgx.ErrNoRows) {
		if _, err := k.conn.Exec(ctx, `insert into accounts (name, kept) values ($1, '') on conflict do nothing`, name); err != nil {
			return err
		}
		if _, err := k.conn.Exec(ctx, `commit`); err != nil {
			return err
		}
		now, kept, err = k.take(ctx, name)
	}
	if err != nil {
		return err
	}
	var batch pgx.Batch
	batch.Queue(`update accounts set kept = $2 where name = $1`, name, change(now, kept))
	batch.Queue(`commit`)
	return k.conn.SendBatch(ctx, &batch).Close()
}

// take begins a transaction, locks the row and reads it. The time is that of the lock.
func (k *Kept) take(ctx context.Context, name string) (now time.Time, kept []byte, err error) {
	var batch pgx.Batch
	batch.Queue(`begin`)
	batch.Queue(`select kept from accounts where name = $1 for update`, name)
	batch.Queue(`select clock_timestamp()`)
	results := k.conn.SendBatch(ctx, &batch)
	_, begun := results.Exec()
	read := results.QueryRow().Scan(&kept)
	timed := results.QueryRow().Scan(&now)
	if err := errors.Join(begun, timed, results.Close()); err != nil {
		return now, nil, err
	}
	return now, kept, read
}

// Close ends the connection.
func (k *Kept) Close() error {
	<-k.turn
	defer func() { k.turn <- struct{}{} }()
	if k.conn == nil {
		return nil
	}
	_ = k.conn.Close(context.Background()) // the server may have lost it long ago
	k.conn = nil
	return nil
}
