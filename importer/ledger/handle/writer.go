package handle

import (
	"context"
	"sync"
	"time"

	"docketsync/importer/ledger/store"
)

// Writer writes into a ledger, one transaction at a time.
type Writer struct {
	*Reader
	Store *store.Store
	Now   func() time.Time

	chains sync.Map // run number → whether it has a chain of evidence
}

// Tx is one transaction of a ledger, with what it has to put down as evidence.
type Tx struct {
	*store.Tx
	w        *Writer
	evidence evidence
}

// Do runs one transaction, and puts down what it did; see store.Writer.Do.
func (w *Writer) Do(ctx context.Context, relaxed bool, change func(*Tx) error) error {
	return w.DoUnder(ctx, nil, relaxed, change)
}

// DoUnder is Do of what relies on these locks alone; see store.Writer.DoUnder.
func (w *Writer) DoUnder(ctx context.Context, under store.Locks, relaxed bool, change func(*Tx) error) error {
	return w.Store.DoUnder(ctx, under, relaxed, func(stored *store.Tx) error {
		tx := &Tx{Tx: stored, w: w}
		if err := change(tx); err != nil {
			return err
		}
		return tx.seal()
	})
}

// AtOnce is DoUnder of steps that are known before the transaction begins, on a server; see store.Writer.AtOnce. What they put down are entries of runs.
func (w *Writer) AtOnce(ctx context.Context, under store.Locks, steps func(*Tx) ([]store.Step, error)) error {
	return w.Store.AtOnce(ctx, under, func(stored *store.Tx) ([]store.Step, error) { return steps(&Tx{Tx: stored, w: w}) })
}

// Exec runs one statement in a transaction of its own, which is on disk when it returns. doing says what for, in an error.
func (w *Writer) Exec(ctx context.Context, doing, text string, args ...any) error {
	return w.Wrap(doing, w.Do(ctx, false, func(tx *Tx) error {
		_, err := tx.Exec(text, args...)
		return err
	}))
}
