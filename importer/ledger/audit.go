package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/google/uuid"

	"docketsync/importer/ledger/store"
)

// AuditEntry is something that somebody did, or tried to do, through the console. Its words are those of whoever writes it down; no
// secret may be among them.
type AuditEntry struct {
	ID     string    `json:"id"` // UUID version 7, given by AddDeed
	At     time.Time `json:"at"`
	Who    string    `json:"who"`
	Origin string    `json:"origin"` // the address that it came from
	Action string    `json:"action"`
	Target string    `json:"target,omitempty"`
	Result string    `json:"result"`
	Note   string    `json:"note,omitempty"`
}

// AuditFilter says which deeds to list. A field left empty asks for nothing in particular.
type AuditFilter struct {
	Action string
	Before string // only deeds older than the one of this id
	Limit  int    // 0 for all
}

// AddAuditEntry writes down what somebody did. It is on disk when AddDeed returns, and nothing changes it afterwards.
func (l *Ledger) AddAuditEntry(ctx context.Context, d AuditEntry) error {
	id, err := uuid.NewV7()
	if err != nil {
		return l.wrap("name a deed", err)
	}
	err = l.do(ctx, false, func(tx *transaction) error {
		_, err := tx.Exec(`insert into audit_entries (id, done_at, who, origin, action, target, result, note) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
			id.String(), d.At.UnixMicro(), store.Plain(d.Who), store.Plain(d.Origin), store.Plain(d.Action), store.Plain(d.Target), store.Plain(d.Result), store.Plain(d.Note))
		return err
	})
	return l.wrap("write down who did what", err)
}

// AuditEntries lists the deeds that the filter asks for, the latest first.
func (l *Reader) AuditEntries(ctx context.Context, f AuditFilter) ([]AuditEntry, error) {
	var c store.Clauses
	if f.Action != "" {
		c.Where("action = %s", store.Plain(f.Action))
	}
	if f.Before != "" {
		c.Where("id < %s", store.Plain(f.Before))
	}
	text := `select id, done_at, who, origin, action, target, result, note from audit_entries ` + c.Text() + ` order by id desc`
	if f.Limit > 0 {
		text += " limit " + c.Param(f.Limit)
	}
	rows, err := l.read.QueryContext(ctx, text, c.Args...)
	if err != nil {
		return nil, l.wrap("read who did what", err)
	}
	list, err := store.Collect(rows, func(rows *sql.Rows) (d AuditEntry, err error) {
		var at *int64
		err = rows.Scan(&d.ID, &at, &d.Who, &d.Origin, &d.Action, &d.Target, &d.Result, &d.Note)
		d.At = store.TimeOf(at)
		return d, err
	})
	return list, l.wrap("read who did what", err)
}
