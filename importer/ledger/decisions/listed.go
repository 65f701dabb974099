package decisions

import (
	"context"
	"database/sql"
	"encoding/json"

	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/store"
)

// Stamp is when and by whom a record was last changed in the service, in the service's own words. Stamps are compared
// with each other, never with a clock of ours.
type Stamp struct {
	At string `json:"at,omitempty"`
	By string `json:"by,omitempty"`
}

// Listed is what a list of the service says of a record.
type Listed struct {
	ID string
	Stamp
	Fields json.RawMessage // an object: what the list says, under the names of the payload
}

// Stamped is the stamp that a record had after an update of ours that was accepted in a run.
type Stamped struct {
	Key string
	Run string
	Stamp
}

var insertListed = &store.Bulk{
	Text: `insert into listed (run_no, id, changed_at, changed_by, fields) values {rows}
		on conflict (run_no, id) do update set changed_at = excluded.changed_at, changed_by = excluded.changed_by, fields = excluded.fields`,
	Columns: make([]string, 5),
}

// AddListed stores what a list says until Unlist. It overwrites an id that is there already; items must not contain an
// id twice.
func (l *Writer) AddListed(ctx context.Context, run string, items []Listed) error {
	return l.w.DoFor(ctx, "keep what a list tells", run, true, func(tx *handle.Tx, number int64) error {
		values := make([]any, 0, 5*len(items))
		for _, i := range items {
			values = append(values, number, store.Plain(i.ID), store.Plain(i.At), store.Plain(i.By), store.Plain(string(i.Fields)))
		}
		_, err := tx.Bulk(insertListed, values, nil)
		return err
	})
}

// Unlist removes what AddListed stored for a run.
func (l *Writer) Unlist(ctx context.Context, run string) error {
	return l.w.DoFor(ctx, "remove what a list tells", run, false, func(tx *handle.Tx, number int64) error {
		_, err := tx.Exec(`delete from listed where run_no = $1`, number)
		return err
	})
}

// ListedAs returns what a list says of some ids, by id.
func (l *Reader) ListedAs(ctx context.Context, run string, ids []string) (map[string]Listed, error) {
	found := map[string]Listed{}
	number, err := l.h.Number(ctx, run)
	for from := 0; from < len(ids) && err == nil; from += 2 * store.Chunk {
		var c store.Clauses
		c.Where("run_no = %s", number)
		store.Among(&c, "id", ids[from:min(len(ids), from+2*store.Chunk)])
		var part []Listed
		part, err = store.List(ctx, l.h.Read, store.Into(func(i *Listed) []any { return []any{&i.ID, &i.At, &i.By, (*[]byte)(&i.Fields)} }), `select id, changed_at, changed_by, fields from listed `+c.Text(), c.Args...)
		for _, i := range part {
			found[i.ID] = i
		}
	}
	return found, l.h.Wrap("read what a list tells", err)
}

var upsertStamps = &store.Bulk{
	Text: `insert into stamps (scope, key, run_no, changed_at, changed_by) values {rows}
		on conflict (scope, key) do update set run_no = excluded.run_no, changed_at = excluded.changed_at, changed_by = excluded.changed_by`,
	Columns: make([]string, 5),
}

// SaveStamps stores the stamps that records of a scope had after updates of ours. list has each key once.
func (l *Writer) SaveStamps(ctx context.Context, scope string, list []Stamped) error {
	return l.w.Wrap("save the stamps of records", l.w.Do(ctx, false, func(tx *handle.Tx) error {
		values := make([]any, 0, 5*len(list))
		for _, s := range list {
			number, err := l.w.Number(ctx, s.Run)
			if err != nil {
				return err
			}
			values = append(values, store.Plain(scope), store.StoredKey(s.Key), number, store.Plain(s.At), store.Plain(s.By))
		}
		_, err := tx.Bulk(upsertStamps, values, nil)
		return err
	}))
}

var selectStamps = &store.Keys{Text: `select s.key, u.id, s.changed_at, s.changed_by from stamps s join runs u on u.number = s.run_no where s.scope = $1 and s.key in ({keys})`}

// Stamps returns the stamps of some keys of a scope, by key.
func (l *Reader) Stamps(ctx context.Context, scope string, keys []string) (map[string]Stamped, error) {
	found := map[string]Stamped{}
	err := selectStamps.Each(ctx, l.h.Read, scope, keys, func(rows *sql.Rows) error {
		var s Stamped
		err := rows.Scan((*store.Key)(&s.Key), &s.Run, &s.At, &s.By)
		if l.h.SeenRun(ctx, s.Run) {
			found[s.Key] = s
		}
		return err
	})
	return found, l.h.Wrap("look up the stamps of records", err)
}
