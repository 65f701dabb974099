package decisions

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// AuditEntry is something that somebody did, or tried to do, through the console. The caller writes its words, which
// must not contain a secret.
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

// AuditFilter says which entries to list. Empty fields do not restrict.
type AuditFilter struct {
	Action string
	Before string // only entries older than the one of this id
	Limit  int    // 0 for all
}

// AddAuditEntry records what somebody did. It is on disk when AddAuditEntry returns, and nothing changes it afterwards.
func (l *Writer) AddAuditEntry(ctx context.Context, e AuditEntry) error {
	id, err := uuid.NewV7()
	if err != nil {
		return l.w.Wrap("name an audit entry", err)
	}
	row := []any{id.String(), e.At.UnixMicro(), store.Plain(e.Who), store.Plain(e.Origin), store.Plain(e.Action), store.Plain(e.Target), store.Plain(e.Result), store.Plain(e.Note)}
	return l.w.Wrap("write the audit log", l.w.Do(ctx, false, func(tx *handle.Tx) error {
		tx.Note(chain.Ledger, chain.Op{What: chain.Audited, Text: []byte(id.String())}, row...)
		_, err := tx.Exec(`insert into audit_entries (id, done_at, who, origin, action, target, result, note) values ($1, $2, $3, $4, $5, $6, $7, $8)`, row...)
		return err
	}))
}

// AuditEntries lists the entries that the filter asks for, newest first.
func (l *Reader) AuditEntries(ctx context.Context, f AuditFilter) ([]AuditEntry, error) {
	var c store.Clauses
	c.Named("action", f.Action)
	if f.Before != "" {
		c.Where("id < %s", store.Plain(f.Before))
	}
	return handle.ListForAll(ctx, l.h, "read the audit log", store.Into(func(e *AuditEntry) []any {
		return []any{&e.ID, (*store.Time)(&e.At), &e.Who, &e.Origin, &e.Action, &e.Target, &e.Result, &e.Note}
	}), `select id, done_at, who, origin, action, target, result, note from audit_entries `+c.Text()+` order by id desc`+c.Limit(f.Limit), c.Args...)
}

// Trail returns everything that the ledger knows of who did what, oldest first: what people did through the console,
// and what was decided in any way about records in doubt, renamed keys and guards. A decision taken in the console
// appears twice, as an action and as a decision. Entries of the same time are ordered by id, so that the order never
// changes.
func (l *Reader) Trail(ctx context.Context) ([]AuditEntry, error) {
	list, err := l.AuditEntries(ctx, AuditFilter{})
	if err != nil {
		return nil, err
	}
	more, err := handle.List(ctx, l.h, "read the decisions", func(rows *sql.Rows) (AuditEntry, error) {
		e := AuditEntry{Action: "decide_doubt"}
		var run, job string
		var number, seq, n int64
		err := rows.Scan(&job, &number, &run, &seq, &n, &e.Result, &e.Who, &e.Note, (*store.Time)(&e.At))
		e.ID, e.Target = fmt.Sprintf("%s/%d/%d", run, seq, n), fmt.Sprintf("%s-%d, record %d", job, number, seq)
		if e.Result == string(Ours) || e.Result == string(Theirs) {
			e.Action = "decide_conflict"
		}
		return e, err
	}, `select u.job, u.number, u.id, d.seq, d.number, d.decision, d.who, d.note, d.decided_at from decisions d join runs u on u.number = d.run_no`)
	if err != nil {
		return nil, err
	}
	renames, err := handle.List(ctx, l.h, "list renamed keys", scanRename, renameColumns+`where decision <> '' and who <> '' order by asked_at`)
	if err != nil {
		return nil, err
	}
	times := map[string]int{}
	for _, r := range renames {
		id := r.Scope + "/" + r.Key + "/" + r.Former
		if times[id]++; times[id] > 1 {
			id += fmt.Sprint("/", times[id])
		}
		more = append(more, AuditEntry{ID: id, At: r.Decided, Who: r.Who, Action: "decide_rename", Target: r.Key, Result: string(r.Decision), Note: "former key " + r.Former})
	}
	runs, err := l.history.Runs(ctx, model.RunFilter{})
	for _, run := range runs {
		if run.Passed != nil {
			more = append(more, AuditEntry{ID: run.ID + "/guards", At: run.Passed.At, Who: run.Passed.By, Action: "pass_guards", Target: run.Name, Result: "done"})
		}
	}
	list = append(list, more...)
	slices.SortFunc(list, func(a, b AuditEntry) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return list, err
}
