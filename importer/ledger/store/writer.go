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

// Writer owns the one connection that writes. It issues begin and commit itself instead of through sql.Tx, so that
// statements stay prepared from one transaction to the next.
type Writer struct {
	db       *sql.DB
	engine   Engine
	patience time.Duration // for locks
	turn     chan struct{} // holds one token while nobody is writing

	conn       *sql.Conn
	statements map[string]*sql.Stmt
	args       []any // of the last Bulk, to reuse their memory
	relaxed    bool
	held       bool // whether all locks were found to be held since the connection was made
	sealed     error
}

// Seal refuses all further changes with the error why.
func (w *Writer) Seal(why error) { w.sealed = why }

// Impatient limits how long transactions wait for other programs.
func (w *Writer) Impatient(patience time.Duration) { w.patience = patience }

// Tx is one transaction of the writer. When the context ends, a running statement is not interrupted, but the next one
// does not begin.
type Tx struct {
	w      *Writer
	under  Locks
	ctx    context.Context
	within context.Context // ctx without its end
}

// Do runs one transaction while nobody else does. It is on disk when Do returns, unless relaxed is set, which leaves
// that to the next transaction that is not relaxed. If change fails, or ctx ends before the commit, nothing of it is
// done. It relies on all locks of this process.
func (w *Writer) Do(ctx context.Context, relaxed bool, change func(*Tx) error) error {
	return w.DoUnder(ctx, nil, relaxed, change)
}

// DoUnder is Do for a transaction that relies only on the given locks.
func (w *Writer) DoUnder(ctx context.Context, under Locks, relaxed bool, change func(*Tx) error) error {
	return w.inTurn(ctx, under, func(tx *Tx) error { return w.run(tx, relaxed, change) })
}

// AtOnce is DoUnder for steps that are known before the transaction begins. A server is sent all of them in one
// exchange, without begin and commit, and carries out all or none (an implicit transaction). So the steps themselves
// must refuse if a condition does not hold (Step.Exact).
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

// inTurn runs a transaction while nobody else writes.
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

// start begins a transaction. If the connection turns out to be gone, as after a restart of the server, it connects
// once more: nothing has been done yet.
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

// connect connects if there is no connection.
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

// hold makes sure of the locks that a transaction relies on: whatever ended the previous connection may have ended them
// too.
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

// undo rolls back. If a connection cannot even do that it is closed, which undoes the transaction as well.
func (w *Writer) undo(tx *Tx) {
	_, err := w.conn.ExecContext(tx.within, "rollback")
	if err != nil && !strings.Contains(err.Error(), "no transaction is active") { // SQLite has rolled it back itself
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

// statement returns the prepared form of a text, which is kept as long as the connection.
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

// Exec runs a statement and returns how many rows it changed.
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

// Unprepared runs a query whose text differs each time.
func (tx *Tx) Unprepared(text string, args ...any) (*sql.Rows, error) {
	return tx.w.conn.QueryContext(tx.within, text, args...)
}

// Run runs a statement whose text differs each time.
func (tx *Tx) Run(text string) error {
	_, err := tx.w.conn.ExecContext(tx.within, text)
	return err
}

// Engine returns the engine that the transaction runs on.
func (tx *Tx) Engine() Engine { return tx.w.engine }

// Connection returns the connection that writes, for tests that cut it.
func (w *Writer) Connection() *sql.Conn { return w.conn }
