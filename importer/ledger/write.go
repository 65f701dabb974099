package ledger

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	// lockPatience is how long a transaction waits for another process to finish writing.
	lockPatience = 10 * time.Second
	// statementPatience is how long a statement may take before the connection is given up.
	statementPatience = time.Minute
)

// writer owns the one connection that writes. It speaks begin and commit itself rather than through sql.Tx, so that
// statements stay prepared from one transaction to the next.
type writer struct {
	db       *sql.DB
	engine   engine
	patience time.Duration // for locks
	turn     chan struct{} // holds one token while nobody is writing

	conn       *sql.Conn
	statements map[string]*sql.Stmt
	relaxed    bool
	sealed     error // why nothing may be changed, see OpenView
	journal    journal
	pushes     pushes
}

func newWriter(db *sql.DB, e engine) *writer {
	w := &writer{db: db, engine: e, patience: lockPatience, turn: make(chan struct{}, 1)}
	w.journal.flying, w.journal.entered, w.journal.unsure, w.journal.ours = map[place]name{}, map[place]bool{}, map[name]bool{}, map[int64]bool{}
	w.turn <- struct{}{}
	return w
}

// transaction is one transaction of the writer. A statement is not cut off half way when the context ends; it is the
// next one that is not begun.
type transaction struct {
	w      *writer
	ctx    context.Context
	within context.Context // ctx without its end
	again  bool            // what it does may have been committed before
}

// do runs one transaction, alone, on tables that the journal has been folded into. It is on disk when do returns, unless
// relaxed, which leaves that to the next one that is not. When change fails, or ctx ends before commit, nothing of it is done.
func (w *writer) do(ctx context.Context, relaxed bool, change func(*transaction) error) error {
	var changes int64
	return w.alone(ctx, relaxed, func(tx *transaction) (err error) {
		if changes, _, err = tx.changes(); err != nil {
			return err
		}
		if err := tx.fold(); err != nil {
			return err
		}
		return change(tx)
	}, func() { w.journal.begin(changes) })
}

// enter runs a transaction that sees to the journal itself.
func (w *writer) enter(change func(*transaction) error) error {
	return w.alone(context.Background(), false, change, nil)
}

// fold folds the journal into the tables. It need not wait for the disk: what is lost with the power is in the journal still.
func (w *writer) fold(ctx context.Context) error {
	return w.alone(ctx, true, (*transaction).fold, w.journal.folded)
}

// alone runs one transaction while nobody else does, and then done. When it fails, all that the journal took for certain is
// forgotten instead.
func (w *writer) alone(ctx context.Context, relaxed bool, change func(*transaction) error, done func()) error {
	select {
	case <-w.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { w.turn <- struct{}{} }()
	if w.db == nil {
		return ErrClosed
	}
	if w.sealed != nil {
		return w.sealed
	}
	tx := &transaction{w: w, ctx: ctx, within: context.WithoutCancel(ctx)}
	if w.engine.remote() {
		var cancel context.CancelFunc
		tx.within, cancel = context.WithTimeout(tx.within, statementPatience)
		defer cancel()
	}
	err := w.run(tx, relaxed, change)
	if err != nil {
		done = w.journal.forget
	}
	if done != nil {
		done()
	}
	if err != nil && ctx.Err() == nil && tx.within.Err() != nil {
		// The context that ended is not the caller's.
		return fmt.Errorf("no answer within %v: %v", statementPatience, err)
	}
	return err
}

func (w *writer) run(tx *transaction, relaxed bool, change func(*transaction) error) error {
	if err := w.start(tx, relaxed); err != nil {
		return err
	}
	err := change(tx)
	if err == nil {
		_, err = tx.exec("commit")
	}
	if err != nil {
		w.undo(tx)
	}
	return err
}

// start begins a transaction. When the connection turns out to be gone, as it is after the server was started anew, it
// connects once more: nothing has been done yet.
func (w *writer) start(tx *transaction, relaxed bool) error {
	for again := false; ; again = true {
		if err := w.connect(tx); err != nil {
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
func (w *writer) connect(tx *transaction) error {
	if w.conn != nil {
		return nil
	}
	conn, err := w.db.Conn(tx.ctx)
	if err != nil {
		return err
	}
	w.conn, w.statements, w.relaxed = conn, map[string]*sql.Stmt{}, false
	w.journal.forget()                            // each connection counts the database's changes for itself
	if err := w.engine.hold(tx.ctx); err != nil { // what cost the last connection may have cost the locks
		w.drop()
		return err
	}
	return nil
}

func (w *writer) open(tx *transaction, relaxed bool) error {
	before, within := w.engine.relax(relaxed)
	if before != "" && relaxed != w.relaxed {
		if _, err := tx.exec(before); err != nil {
			return err
		}
		w.relaxed = relaxed
	}
	if err := w.begin(tx); err != nil {
		return err
	}
	if within != "" {
		_, err := tx.exec(within)
		return err
	}
	return nil
}

// begin waits for another process's transaction, up to a limit.
func (w *writer) begin(tx *transaction) error {
	for end := time.Now().Add(w.patience); ; {
		_, err := tx.exec(w.engine.begin())
		if err == nil || !w.engine.locked(err) || time.Now().After(end) {
			return err
		}
	}
}

// undo rolls back. A connection that cannot even do that is thrown away, which undoes the transaction as well.
func (w *writer) undo(tx *transaction) {
	_, err := w.conn.ExecContext(tx.within, "rollback")
	if err != nil && !noTransaction(err) {
		w.drop()
	}
}

// noTransaction tells that there was nothing to roll back: SQLite has done so itself.
func noTransaction(err error) bool { return strings.Contains(err.Error(), "no transaction is active") }

func (w *writer) drop() {
	for _, statement := range w.statements {
		_ = statement.Close()
	}
	_ = w.conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = w.conn.Close()
	w.conn, w.statements = nil, nil
}

func (w *writer) close() error {
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
func (tx *transaction) statement(text string) (*sql.Stmt, error) {
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

// exec runs a statement and says how many rows it changed.
func (tx *transaction) exec(text string, args ...any) (int64, error) {
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

func (tx *transaction) query(text string, args ...any) (*sql.Rows, error) {
	statement, err := tx.statement(text)
	if err != nil {
		return nil, err
	}
	return statement.QueryContext(tx.within, args...)
}

// one reads a single row.
func (tx *transaction) one(text string, args []any, into ...any) error {
	rows, err := tx.query(text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		return errors.Join(rows.Err(), sql.ErrNoRows)
	}
	if err := rows.Scan(into...); err != nil {
		return fmt.Errorf("read %q: %w", text, err)
	}
	return rows.Close()
}
