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
	ID     string    `json:"id"` // UUID version 7, given by AddAuditEntry
	At     time.Time `json:"at"`
	Who    string    `json:"who"`
	Origin string    `json:"origin"` // the address that it came from
	Action string    `json:"action"`
	Target string    `json:"target,omitempty"`
	Result string    `json:"result"`
	Note   string    `json:"note,omitempty"`
}

// AuditFilter says which entries to list. A field left empty asks for nothing in particular.
type AuditFilter struct {
	Action string
	Before string // only entries older than the one of this id
	Limit  int    // 0 for all
}

// AddAuditEntry writes down what somebody did. It is on disk when AddAuditEntry returns, and nothing changes it afterwards.
func (l *Ledger) AddAuditEntry(ctx context.Context, e AuditEntry) error {
	id, err := uuid.NewV7()
	if err != nil {
		return l.wrap("name an audit entry", err)
	}
	return l.exec(ctx, "write the audit log", `insert into audit_entries (id, done_at, who, origin, action, target, result, note) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
		id.String(), e.At.UnixMicro(), store.Plain(e.Who), store.Plain(e.Origin), store.Plain(e.Action), store.Plain(e.Target), store.Plain(e.Result), store.Plain(e.Note))
}

// AuditEntries lists the entries that the filter asks for, the latest first.
func (l *Reader) AuditEntries(ctx context.Context, f AuditFilter) ([]AuditEntry, error) {
	var c store.Clauses
	c.Named("action", f.Action)
	if f.Before != "" {
		c.Where("id < %s", store.Plain(f.Before))
	}
	list, err := store.List(ctx, l.read, func(rows *sql.Rows) (e AuditEntry, err error) {
		var at *int64
		err = rows.Scan(&e.ID, &at, &e.Who, &e.Origin, &e.Action, &e.Target, &e.Result, &e.Note)
		e.At = store.TimeOf(at)
		return e, err
	}, `select id, done_at, who, origin, action, target, result, note from audit_entries `+c.Text()+` order by id desc`+c.Limit(f.Limit), c.Args...)
	return list, l.wrap("read the audit log", err)
}
