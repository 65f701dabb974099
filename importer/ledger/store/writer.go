package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"docketsync/importer/ledger/fault"
)

const (
	// LockPatience is how long a transaction waits for another process to finish writing.
	LockPatience = 10 * time.Second
	// statementPatience is how long a statement may take before the connection is given up.
	statementPatience = time.Minute
)

// Writer owns the one connection that writes. It speaks begin and commit itself rather than through sql.Tx, so that
// statements stay prepared from one transaction to the next.
type Writer struct {
	db       *sql.DB
	engine   Engine
	patience time.Duration // for locks
	turn     chan struct{} // holds one token while nobody is writing

	conn       *sql.Conn
	statements map[string]*sql.Stmt
	args       []any // of the last Bulk, for their memory
	relaxed    bool
	held       bool // whether all locks were found to be held since the connection was made
	sealed     error
}

// Seal has nothing changed any more; why is the error of whoever tries.
func (w *Writer) Seal(why error) { w.sealed = why }

// Impatient has transactions wait for other programs no longer than that.
func (w *Writer) Impatient(patience time.Duration) { w.patience = patience }

// Tx is one transaction of the writer. A statement is not cut off half way when the context ends; it is the
// next one that is not begun.
type Tx struct {
	w      *Writer
	under  Locks
	ctx    context.Context
	within context.Context // ctx without its end
}

// Do runs one transaction while nobody else does. It is on disk when Do returns, unless relaxed, which leaves that to the next one that
// is not. When change fails, or ctx ends before commit, nothing of it is done. It relies on all locks of this process.
func (w *Writer) Do(ctx context.Context, relaxed bool, change func(*Tx) error) error {
	return w.DoUnder(ctx, nil, relaxed, change)
}

// DoUnder is Do of what relies on these locks alone.
func (w *Writer) DoUnder(ctx context.Context, under Locks, relaxed bool, change func(*Tx) error) error {
	return w.inTurn(ctx, under, func(tx *Tx) error { return w.run(tx, relaxed, change) })
}

// AtOnce is DoUnder of steps that are known before the transaction begins. A server is sent all of them in one exchange, without begin and commit: it
// carries out all or none (an implicit transaction). So whatever has to hold, the steps themselves have to refuse (Step.Exact).
func (w *Writer) AtOnce(ctx context.Context, under Locks, steps func(*Tx) ([]Step, error)) error {
	return w.inTurn(ctx, under, func(tx *Tx) error {
		err := w.connect(tx)
		if err == nil {
			err = w.hold(tx)
		}
		if err != nil {
			return err
		}
		list, err := steps(tx)
		if err == nil {
			_, err = tx.Together(list...)
		}
		if err != nil {
			w.undo(tx)
		}
		return err
	})
}

// inTurn has a transaction run while nobody else writes.
func (w *Writer) inTurn(ctx context.Context, under Locks, run func(*Tx) error) error {
	select {
	case <-w.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { w.turn <- struct{}{} }()
	if w.db == nil {
		return fault.ErrClosed
	}
	if w.sealed != nil {
		return w.sealed
	}
	tx := &Tx{w: w, under: under, ctx: ctx, within: context.WithoutCancel(ctx)}
	if w.engine.Dialect().Remote {
		var cancel context.CancelFunc
		tx.within, cancel = context.WithTimeout(tx.within, statementPatience)
		defer cancel()
	}
	err := run(tx)
	if err != nil && ctx.Err() == nil && tx.within.Err() != nil {
		// The context that ended is not the caller's.
		return fmt.Errorf("no answer within %v: %v", statementPatience, err)
	}
	return err
}

func (w *Writer) run(tx *Tx, relaxed bool, change func(*Tx) error) error {
	if err := w.start(tx, relaxed); err != nil {
		return err
	}
	err := change(tx)
	if err == nil {
		_, err = tx.Exec("commit")
	}
	if err != nil {
		w.undo(tx)
	}
	return err
}

// start begins a transaction. When the connection turns out to be gone, as it is after the server was started anew, it
// connects once more: nothing has been done yet.
func (w *Writer) start(tx *Tx, relaxed bool) error {
	for again := false; ; again = true {
		if err := w.connect(tx); err != nil {
			return err
		}
		if err := w.hold(tx); err != nil {
			return err
		}
		err := w.open(tx, relaxed)
		if err == nil {
			return nil
		}
		w.undo(tx)
		if w.conn != nil || again {
			return err
		}
	}
}

// connect connects when there is no connection, or none any more.
func (w *Writer) connect(tx *Tx) error {
	if w.conn != nil {
		return nil
	}
	conn, err := w.db.Conn(tx.ctx)
	if err != nil {
		return err
	}
	w.conn, w.statements, w.relaxed, w.held = conn, map[string]*sql.Stmt{}, false, false
	return nil
}

// hold makes sure of the locks that a transaction relies on: what cost the connection before this one may have cost them too.
func (w *Writer) hold(tx *Tx) error {
	if w.held {
		return nil
	}
	err := w.engine.Hold(tx.within, tx.under)
	w.held = err == nil && tx.under == nil
	return err
}

func (w *Writer) open(tx *Tx, relaxed bool) error {
	d := w.engine.Dialect()
	before, within := d.Durable, ""
	if relaxed {
		before, within = d.Relaxed, d.RelaxedWithin
	}
	if before != "" && relaxed != w.relaxed {
		if _, err := tx.Exec(before); err != nil {
			return err
		}
		w.relaxed = relaxed
	}
	for end := time.Now().Add(w.patience); ; { // another process may be writing
		_, err := tx.Exec(d.Begin)
		if err == nil {
			break
		}
		if !w.engine.Locked(err) || time.Now().After(end) {
			return err
		}
	}
	if within != "" {
		_, err := tx.Exec(within)
		return err
	}
	return nil
}

// undo rolls back. A connection that cannot even do that is thrown away, which undoes the transaction as well.
func (w *Writer) undo(tx *Tx) {
	_, err := w.conn.ExecContext(tx.within, "rollback")
	if err != nil && !strings.Contains(err.Error(), "no transaction is active") { // which SQLite has rolled back itself
		w.drop()
	}
}

func (w *Writer) drop() {
	for _, statement := range w.statements {
		_ = statement.Close()
	}
	_ = w.conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = w.conn.Close()
	w.conn, w.statements = nil, nil
}

func (w *Writer) close() error {
	<-w.turn
	defer func() { w.turn <- struct{}{} }()
	if w.db == nil {
		return nil
	}
	var errs []error
	for _, statement := range w.statements {
		errs = append(errs, statement.Close())
	}
	if w.conn != nil {
		errs = append(errs, w.conn.Close())
	}
	errs = append(errs, w.db.Close())
	w.db, w.conn, w.statements = nil, nil, nil
	return errors.Join(errs...)
}

// statement is the prepared form of a text, kept for the life of the connection.
func (tx *Tx) statement(text string) (*sql.Stmt, error) {
	if err := tx.ctx.Err(); err != nil {
		return nil, err
	}
	if statement := tx.w.statements[text]; statement != nil {
		return statement, nil
	}
	statement, err := tx.w.conn.PrepareContext(tx.within, text)
	if err != nil {
		return nil, err
	}
	tx.w.statements[text] = statement
	return statement, nil
}

// Exec runs a statement and says how many rows it changed.
func (tx *Tx) Exec(text string, args ...any) (int64, error) {
	statement, err := tx.statement(text)
	if err != nil {
		return 0, err
	}
	result, err := statement.ExecContext(tx.within, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// ExecAll runs statements that have the same parameters.
func (tx *Tx) ExecAll(args []any, texts ...string) error {
	for _, text := range texts {
		if _, err := tx.Exec(text, args...); err != nil {
			return err
		}
	}
	return nil
}

// Query runs a query in the transaction.
func (tx *Tx) Query(text string, args ...any) (*sql.Rows, error) {
	statement, err := tx.statement(text)
	if err != nil {
		return nil, err
	}
	return statement.QueryContext(tx.within, args...)
}

// One reads a single row.
func (tx *Tx) One(text string, args []any, into ...any) error {
	rows, err := tx.Query(text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		return cmp.Or(rows.Err(), sql.ErrNoRows)
	}
	if err := rows.Scan(into...); err != nil {
		return fmt.Errorf("read %q: %w", text, err)
	}
	return rows.Close()
}

// Unprepared runs a query whose text is another one each time.
func (tx *Tx) Unprepared(text string, args ...any) (*sql.Rows, error) {
	return tx.w.conn.QueryContext(tx.within, text, args...)
}

// Run runs a statement whose text is another one each time.
func (tx *Tx) Run(text string) error {
	_, err := tx.w.conn.ExecContext(tx.within, text)
	return err
}

// Engine is what the transaction runs on.
func (tx *Tx) Engine() Engine { return tx.w.engine }

// Connection is the one that writes, for tests that cut it.
func (w *Writer) Connection() *sql.Conn { return w.conn }
