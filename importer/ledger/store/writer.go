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

// Journal keeps what was committed and does not stand in the tables yet. All of it is called by whoever has the writer's turn.
type Journal interface {
	// Fold writes what stands in the journal into the tables, and empties it; Folded is called once that is committed.
	Fold(tx *Tx) error
	Folded()
	// Begun is called once a transaction other than a commit or a fold is committed. changes is how the database stood before it.
	Begun(changes int64)
	// Forget is called when a transaction failed or the connection is another one: nothing that is remembered is certain any more.
	Forget()
}

// Writer owns the one connection that writes. It speaks begin and commit itself rather than through sql.Tx, so that
// statements stay prepared from one transaction to the next.
type Writer struct {
	db       *sql.DB
	engine   Engine
	journal  Journal
	patience time.Duration // for locks
	turn     chan struct{} // holds one token while nobody is writing

	conn       *sql.Conn
	statements map[string]*sql.Stmt
	relaxed    bool
	sealed     error
}

func newWriter(db *sql.DB, e Engine, journal Journal) *Writer {
	w := &Writer{db: db, engine: e, journal: journal, patience: LockPatience, turn: make(chan struct{}, 1)}
	w.turn <- struct{}{}
	return w
}

// Seal has nothing changed any more; why is the error of whoever tries.
func (w *Writer) Seal(why error) { w.sealed = why }

// Impatient has transactions wait for other programs no longer than that.
func (w *Writer) Impatient(patience time.Duration) { w.patience = patience }

// Tx is one transaction of the writer. A statement is not cut off half way when the context ends; it is the
// next one that is not begun.
type Tx struct {
	w      *Writer
	ctx    context.Context
	within context.Context // ctx without its end
}

// Do runs one transaction, alone, on tables that the journal has been folded into. It is on disk when Do returns, unless
// relaxed, which leaves that to the next one that is not. When change fails, or ctx ends before commit, nothing of it is done.
func (w *Writer) Do(ctx context.Context, relaxed bool, change func(*Tx) error) error {
	var changes int64
	return w.alone(ctx, relaxed, func(tx *Tx) (err error) {
		if changes, _, err = tx.Changes(); err != nil {
			return err
		}
		if err := tx.Fold(); err != nil {
			return err
		}
		return change(tx)
	}, func() { w.journal.Begun(changes) })
}

// Commit runs a transaction that sees to the journal itself.
func (w *Writer) Commit(change func(*Tx) error) error {
	return w.alone(context.Background(), false, change, nil)
}

// Fold folds the journal into the tables. It need not wait for the disk: what is lost with the power is in the journal still.
func (w *Writer) Fold(ctx context.Context) error {
	return w.alone(ctx, true, (*Tx).Fold, w.journal.Folded)
}

// alone runs one transaction while nobody else does, and then done. When it fails, all that the journal took for certain is
// forgotten instead.
func (w *Writer) alone(ctx context.Context, relaxed bool, change func(*Tx) error, done func()) error {
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
	tx := &Tx{w: w, ctx: ctx, within: context.WithoutCancel(ctx)}
	if w.engine.Dialect().Remote {
		var cancel context.CancelFunc
		tx.within, cancel = context.WithTimeout(tx.within, statementPatience)
		defer cancel()
	}
	err := w.run(tx, relaxed, change)
	if err != nil {
		done = w.journal.Forget
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
	w.conn, w.statements, w.relaxed = conn, map[string]*sql.Stmt{}, false
	w.journal.Forget()                            // each connection counts the database's changes for itself
	if err := w.engine.Hold(tx.ctx); err != nil { // what cost the last connection may have cost the locks
		w.drop()
		return err
	}
	return nil
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
func (tx *Tx) Unprepared(text string) (*sql.Rows, error) {
	return tx.w.conn.QueryContext(tx.within, text)
}

// Run runs a statement whose text is another one each time.
func (tx *Tx) Run(text string) error {
	_, err := tx.w.conn.ExecContext(tx.within, text)
	return err
}

// Engine is what the transaction runs on.
func (tx *Tx) Engine() Engine { return tx.w.engine }

// Fold writes what stands in the journal into the tables, where there is one.
func (tx *Tx) Fold() error {
	if tx.w.engine.Dialect().Changes == "" {
		return nil
	}
	return tx.w.journal.Fold(tx)
}

// Changes is a number that is another one as soon as somebody else has changed the database; not ok where there is none.
func (tx *Tx) Changes() (n int64, ok bool, err error) {
	query := tx.w.engine.Dialect().Changes
	if query == "" {
		return 0, false, nil
	}
	err = tx.One(query, nil, &n)
	return n, err == nil, err
}

// Connection is the one that writes, for tests that cut it.
func (w *Writer) Connection() *sql.Conn { return w.conn }
