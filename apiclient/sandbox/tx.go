package sandbox

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// tx is the writer's connection with its prepared statements. A context that can be cancelled would cost a goroutine
// per statement, and nothing here is to be cancelled.
type tx struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
}

func newTx(ctx context.Context, db *sql.DB) (*tx, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &tx{conn: conn, stmts: map[string]*sql.Stmt{}}, nil
}

func (t *tx) stmt(query string) (*sql.Stmt, error) {
	if stmt := t.stmts[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := t.conn.PrepareContext(context.Background(), query)
	if err == nil {
		t.stmts[query] = stmt
	}
	return stmt, err
}

func (t *tx) exec(query string, args ...any) error {
	stmt, err := t.stmt(query)
	if err != nil {
		return err
	}
	_, err = stmt.ExecContext(context.Background(), args...)
	return err
}

// row reads one row and tells whether there was one.
func (t *tx) row(query string, args []any, into ...any) (bool, error) {
	stmt, err := t.stmt(query)
	if err != nil {
		return false, err
	}
	err = stmt.QueryRowContext(context.Background(), args...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func (t *tx) close() error {
	var faults []error
	for _, stmt := range t.stmts {
		faults = append(faults, stmt.Close())
	}
	return errors.Join(append(faults, t.conn.Close())...)
}

func (t *tx) insertRequest(r Request) error {
	err := t.exec(`insert into requests (seq, at, operation, key, target, acted, status, fault, message, session)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.Seq, r.At.UnixMicro(), string(r.Operation), r.Key, r.Target, r.Acted, r.Status, r.Fault, r.Message, r.session)
	if err != nil {
		return fmt.Errorf("log request %d: %w", r.Seq, err)
	}
	return nil
}

func (t *tx) insertFolder(f folderRow) (folderRow, error) {
	var err error
	if f.ID, err = newGUID(); err != nil {
		return f, err
	}
	return f, t.exec(`insert into folders (id, name, client, created_by, created_at) values (?, ?, ?, ?, ?)`,
		f.ID, f.Name, f.Client, f.CreatedBy, f.CreatedAt.UnixMicro())
}

func (t *tx) folderByID(id string) (folderRow, error) {
	f := folderRow{ID: id}
	_, err := t.row(`select name, client from folders where id = ?`, []any{id}, &f.Name, &f.Client)
	return f, err
}

func (t *tx) trademark(id string) (map[string]json.RawMessage, bool, error) {
	var text string
	found, err := t.row(`select members from trademarks where id = ?`, []any{id}, &text)
	if err != nil || !found {
		return nil, false, err
	}
	var members map[string]json.RawMessage
	err = json.Unmarshal([]byte(text), &members)
	return members, true, err
}

func (t *tx) saveTrademark(c trademarkChange, members map[string]json.RawMessage, now time.Time) error {
	text, err := json.Marshal(members)
	if err != nil {
		return err
	}
	return t.exec(`insert into trademarks (id, mark_text, registry, number, members, updates, updated_at)
		values (?1, ?2, ?3, ?4, ?5, 1, ?6)
		on conflict (id) do update set mark_text = ?2, registry = ?3, number = ?4, members = ?5, updates = updates + 1, updated_at = ?6`,
		c.ID, c.MarkText, c.Registry, c.ApplicationNumber, string(text), now.UnixMicro())
}

// seed makes the trademarks of the directory known, leaving those that the data has alone.
func (t *tx) seed(marks []Trademark) error {
	for _, m := range marks {
		err := t.exec(`insert or ignore into trademarks (id, mark_text, registry, number, members, updates, updated_at) values (?, ?, ?, '', '{}', 0, 0)`,
			m.ID, m.MarkText, m.RegistryID)
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) goodsOwner(id string) (string, error) {
	var trademark string
	_, err := t.row(`select trademark from goods where id = ?`, []any{id}, &trademark)
	return trademark, err
}

// saveGoods updates an entry, or makes a new one where it has no id.
func (t *tx) saveGoods(trademark string, g goodsRow) error {
	if g.ID == "" {
		var err error
		if g.ID, err = newGUID(); err != nil {
			return err
		}
	}
	return t.exec(`insert into goods (id, trademark, language, search_class, body) values (?1, ?2, ?3, ?4, ?5)
		on conflict (id) do update set language = ?3, search_class = ?4, body = ?5`,
		g.ID, trademark, g.Language, g.SearchClass, g.Text)
}
