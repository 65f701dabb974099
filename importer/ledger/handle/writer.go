package handle

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// Writer writes to a ledger, one transaction at a time.
type Writer struct {
	*Reader
	Store *store.Store
	Now   func() time.Time

	chains sync.Map // run number → whether it has a chain of evidence
}

// Tx is one transaction of a ledger, with the evidence that it has to record.
type Tx struct {
	*store.Tx
	w        *Writer
	evidence evidence
}

// Do runs one transaction and records what it did; see store.Writer.Do.
func (w *Writer) Do(ctx context.Context, relaxed bool, change func(*Tx) error) error {
	return w.DoUnder(ctx, nil, relaxed, change)
}

// DoUnder is Do for a transaction that relies only on the given locks; see store.Writer.DoUnder.
func (w *Writer) DoUnder(ctx context.Context, under store.Locks, relaxed bool, change func(*Tx) error) error {
	return w.Store.DoUnder(ctx, under, relaxed, func(stored *store.Tx) error {
		tx := &Tx{Tx: stored, w: w}
		if err := change(tx); err != nil {
			return err
		}
		return tx.seal()
	})
}

// AtOnce is DoUnder for steps that are known before the transaction begins, on a server; see store.Writer.AtOnce. Their
// evidence is in the entries of runs.
func (w *Writer) AtOnce(ctx context.Context, under store.Locks, steps func(*Tx) ([]store.Step, error)) error {
	return w.Store.AtOnce(ctx, under, func(stored *store.Tx) ([]store.Step, error) { return steps(&Tx{Tx: stored, w: w}) })
}

// DoFor is Do for a run. doing says in an error what was being done.
func (w *Writer) DoFor(ctx context.Context, doing, run string, relaxed bool, change func(tx *Tx, number int64) error) error {
	number, err := w.Number(ctx, run)
	if err == nil {
		err = w.Do(ctx, relaxed, func(tx *Tx) error { return change(tx, number) })
	}
	return w.Wrap(doing, err)
}

// ExecEach runs one statement for each item of a list, all in one transaction, which is on disk when it returns.
func ExecEach[T any](ctx context.Context, w *Writer, doing string, list []T, args func(T) []any, text string) error {
	if len(list) == 0 {
		return nil
	}
	return w.Wrap(doing, w.Do(ctx, false, func(tx *Tx) error {
		for _, item := range list {
			if _, err := tx.Exec(text, args(item)...); err != nil {
				return err
			}
		}
		return nil
	}))
}

// Exec runs one statement in a transaction of its own, which is on disk when it returns. doing says in an error what
// was being done.
func (w *Writer) Exec(ctx context.Context, doing, text string, args ...any) error {
	return w.Wrap(doing, w.Do(ctx, false, func(tx *Tx) error {
		_, err := tx.Exec(text, args...)
		return err
	}))
}

// ErrRefused marks the errors that concern one call only.
var ErrRefused = errors.New("refused")

// refused is an error that concerns one call only.
type refused struct{ error }

// Refuse marks an error as one that concerns one call only.
func Refuse(err error) error { return refused{err} }

func (r refused) Is(target error) bool { return target == ErrRefused }
func (r refused) Unwrap() error        { return r.error }

// Standing reads the state of a record and its scope and key, as stored.
func (tx *Tx) Standing(p model.Place) (state model.State, of model.ScopedKey, err error) {
	err = tx.One(`select state, scope, key from records where run_no = $1 and seq = $2`, []any{p.Number, p.Seq}, &state, &of.Scope, &of.Key)
	if errors.Is(err, sql.ErrNoRows) {
		err = refused{fmt.Errorf("run %s, record %d: %w", p.Run, p.Seq, ErrNotFound)}
	}
	return state, of, err
}

// Rest leaves the database to others for a while: another process that waits checks only now and then whether it is
// free.
func Rest(ctx context.Context, d time.Duration) error {
	over, stop := context.WithTimeout(ctx, d)
	defer stop()
	<-over.Done()
	return ctx.Err()
}

// Part is how many rows a long change touches in one transaction, so that others get their turn and the log stays
// small.
const Part = 5000

// InParts makes a long change in several transactions, until a part says that nothing is left.
func (w *Writer) InParts(ctx context.Context, part func(*Tx) (left bool, err error)) error {
	for left := true; left; {
		if err := w.Do(ctx, true, func(tx *Tx) (err error) {
			left, err = part(tx)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// RemoveInParts deletes the rows of a run from a table whose primary key is the run and one more column.
func (w *Writer) RemoveInParts(ctx context.Context, table, column string, run int64) error {
	text := fmt.Sprintf(`delete from %[1]s where run_no = $1 and %[2]s <= (
		select max(%[2]s) from (select %[2]s from %[1]s where run_no = $1 order by %[2]s limit %[3]d) as p)`, table, column, Part)
	return w.InParts(ctx, func(tx *Tx) (left bool, err error) {
		removed, err := tx.Exec(text, run)
		return removed == Part, err
	})
}

// DropAnswer removes the form of an ordinary answer from a run of which no record needs it any more. It is what the
// service said of one record, and goes when that does.
func (tx *Tx) DropAnswer(run int64) error {
	_, err := tx.Exec(`update runs set answer = null where number = $1 and answer is not null
		and not exists (select 1 from records r where r.run_no = runs.number and r.took_us is not null)`, run)
	return err
}

// IDInAnswer is the placeholder, in the answer kept with a run, for the id that the service gave.
const IDInAnswer = "{id}"

// AnswerOf returns the answer for a record, given the form; ordinaryAttempts does the same in SQL.
func AnswerOf(form, id string) string { return strings.ReplaceAll(form, IDInAnswer, id) }
