package search

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"

	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/history"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// Found is a record, of any run, that a search found.
type Found struct {
	Scope string `json:"scope"`
	Key   string `json:"key"`
	Field string `json:"field"` // where the text was found: key, id, cell, or a field of the payload
}

// Searchable says how much of the ledger Search covers: the records of Runs of the Of runs that are over.
type Searchable struct {
	Runs int `json:"runs"`
	Of   int `json:"of"`
}

// Whole reports whether nothing is missing.
func (s Searchable) Whole() bool { return s.Runs >= s.Of }

// SearchPage is how many records one transaction of MakeSearchable goes through, so that a push that waits for it waits
// some hundredths of a second.
const SearchPage = 400

// notUnchanged are the states of records that have content of their own. What a run found unchanged, an earlier run
// has.
var notUnchanged = []model.State{model.Planned, model.Sending, model.Accepted, model.Refused, model.Failed, model.InDoubt, model.Rejected, model.Held}

// MakeSearchable stores by what the records of runs that are over are found, newest run first, until all are done or
// ctx ends, which is not an error. It continues where the last call stopped, and works in parts, between which it lets
// others write. A run that is going on is left for later. MakeSearchable needs no lock: several calls at once only do
// the work twice.
func (l *Writer) MakeSearchable(ctx context.Context) error {
	for ctx.Err() == nil {
		run, err := l.r.unsearched(ctx)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err == nil {
			err = l.learnRun(ctx, run)
		}
		if err != nil && ctx.Err() == nil {
			return l.w.Wrap("make the records searchable", err)
		}
	}
	return nil
}

// unlearned is a run whose records after seq are not searchable yet.
type unlearned struct {
	number, ended, seq int64
}

// overAndNot selects the runs that are over and not completely searchable.
const overAndNot = `from runs u left join searched s on s.run_no = u.number and s.ended_at = u.ended_at
	where u.kind = 'run' and u.phase in ('finished', 'stopped') and u.ended_at is not null and (s.run_no is null or s.seq is not null)`

func (l *Reader) unsearched(ctx context.Context) (u unlearned, err error) {
	err = l.h.Read.QueryRowContext(ctx, `select u.number, u.ended_at, coalesce(s.seq, 0) `+overAndNot+` order by u.number desc limit 1`).
		Scan(&u.number, &u.ended, &u.seq)
	return u, err
}

// Searchable returns how much of the ledger Search covers.
func (l *Reader) Searchable(ctx context.Context) (s Searchable, err error) {
	var left int
	var c store.Clauses
	c.And("kind = 'run' and phase in ('finished', 'stopped') and ended_at is not null")
	unfinished := overAndNot
	if jobs := l.h.Jobs(&c); jobs != "" {
		c.And("job in (" + jobs + ")")
		unfinished += " and u.job in (" + jobs + ")"
	}
	err = l.h.Read.One(ctx, `select count(*), (select count(*) `+unfinished+`) from runs `+c.Text(), c.Args, &s.Of, &left)
	s.Runs = s.Of - left
	return s, l.h.Wrap("see what is searchable", err)
}

func (l *Writer) learnRun(ctx context.Context, u unlearned) error {
	for {
		began := time.Now()
		list, err := history.RecordPage(ctx, l.r.history, u.number, model.RecordFilter{States: notUnchanged, After: u.seq}, SearchPage)
		if err != nil {
			return err
		}
		if err := l.r.payloadsOfPruned(ctx, list); err != nil {
			return err
		}
		whole := len(list) < SearchPage
		if len(list) > 0 {
			u.seq = list[len(list)-1].Seq
		}
		if err := l.w.Do(ctx, true, func(tx *handle.Tx) error { return learn(tx, u, list, whole) }); err != nil || whole {
			return err
		}
		if err := handle.Rest(ctx, time.Since(began)/4); err != nil {
			return err
		}
	}
}

// payloadsOfPruned gives accepted records that a prune has left without a payload the one that was last accepted of
// their key.
func (l *Reader) payloadsOfPruned(ctx context.Context, list []model.Record) error {
	bare := map[string][]string{} // keys by scope
	for _, r := range list {
		if r.State == model.Accepted && len(r.Payload) == 0 {
			bare[r.Scope] = append(bare[r.Scope], r.Key)
		}
	}
	for scope, keys := range bare {
		known, err := l.history.Known(ctx, scope, keys)
		if err != nil {
			return err
		}
		for n := range list {
			if r := &list[n]; r.Scope == scope && r.State == model.Accepted && len(r.Payload) == 0 {
				r.Payload = known[r.Key].Payload
			}
		}
	}
	return nil
}

var insertTerms = &store.Bulk{
	Text:    `insert into terms (term, scope, key, field) values {rows} on conflict do nothing`,
	Columns: make([]string, 4),
}

func learn(tx *handle.Tx, u unlearned, list []model.Record, whole bool) error {
	var values []any
	for _, r := range list {
		if r.Key == "" {
			continue // without a key it has no history to show
		}
		for _, t := range termsOf(r) {
			values = append(values, store.Plain(t.text), store.Plain(r.Scope), store.StoredKey(r.Key), t.field)
		}
	}
	if len(values) > 0 {
		if _, err := tx.Bulk(insertTerms, values, nil); err != nil {
			return err
		}
	}
	var seq any = u.seq
	if whole {
		seq = nil
	}
	_, err := tx.Exec(`insert into searched (run_no, ended_at, seq) values ($1, $2, cast($3 as bigint))
		on conflict (run_no) do update set ended_at = excluded.ended_at, seq = excluded.seq`, u.number, u.ended, seq)
	return err
}

// Search finds records by the beginning of a key, of an id, of a name, a number or a text of their payloads, or of a
// word in one of these, ignoring case and punctuation. It returns at most limit records, those that match as a whole
// first; more says that there are others. What MakeSearchable has not done yet is found only by its whole key and by
// the id that the service is known to hold.
func (l *Reader) Search(ctx context.Context, text string, limit int) (list []Found, more bool, err error) {
	seen := map[[2]string]bool{}
	add := func(found []Found) {
		for _, f := range found {
			if at := [2]string{f.Scope, f.Key}; !seen[at] {
				seen[at] = true
				list = append(list, f)
			}
		}
	}
	found, err := l.searchKey(ctx, text)
	if err != nil {
		return nil, false, l.h.Wrap("search", err)
	}
	add(found)
	// A record may have several matching terms, so more rows than records have to be read.
	rows := (limit + 1) * 4
	for behind := 0; ; behind += rows {
		found, err = l.searchTerms(ctx, text, rows, behind)
		if more = len(found) == rows; err == nil && len(found)+len(list)+behind == 0 {
			found, err = l.searchID(ctx, text) // which reads all that is known
		}
		if err == nil {
			found, err = l.seenFound(ctx, found)
		}
		if err != nil {
			return nil, false, l.h.Wrap("search", err)
		}
		add(found)
		if len(list) > limit {
			return list[:limit], true, nil
		}
		if !more || l.h.Only == nil {
			return list, more, nil
		} // else everything that was found may be behind the wall
	}
}

// searchKey finds a whole key, in any run.
func (l *Reader) searchKey(ctx context.Context, text string) ([]Found, error) {
	scopes, err := store.List(ctx, l.h.Read, store.Column[string], `select distinct scope from runs where kind = 'run'`)
	if err != nil || text == "" {
		return nil, err
	}
	var list []Found
	for _, scope := range scopes {
		known, err := l.history.KnownBriefly(ctx, scope, []string{text})
		if err != nil {
			return nil, err
		}
		_, there := known[text]
		if !there {
			history, err := l.history.History(ctx, scope, text, 1)
			if err != nil {
				return nil, err
			}
			there = len(history) > 0
		}
		if there {
			list = append(list, Found{scope, text, FieldKey})
		}
	}
	return list, nil
}

// searchID finds an id that the service is known to hold.
func (l *Reader) searchID(ctx context.Context, text string) ([]Found, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return nil, nil // not an id of this kind: what was asked for is something else
	}
	holders, err := history.HoldersOf(ctx, l.history, []string{id.String()})
	var list []Found
	for _, h := range holders[id.String()] {
		list = append(list, Found{h.Scope, h.Key, FieldID})
	}
	return list, err
}

// searchTerms finds what has a term that begins like the text. Whole matches come first, because they sort first.
func (l *Reader) searchTerms(ctx context.Context, text string, rows, behind int) ([]Found, error) {
	from := fold(text)
	if from == "" {
		return nil, nil
	}
	return store.List(ctx, l.h.Read, store.Into(func(f *Found) []any { return []any{&f.Scope, (*store.Key)(&f.Key), &f.Field} }), `select scope, key, field from terms where term >= $1 and term < $2 order by term, scope, key limit $3 offset $4`, from, from+"\U0010ffff", rows, behind)
}

// seenFound removes from what a search found what no run of these jobs had.
func (l *Reader) seenFound(ctx context.Context, list []Found) (seen []Found, err error) {
	if l.h.Only == nil {
		return list, nil
	}
	for _, f := range list {
		had, err := l.history.History(ctx, f.Scope, f.Key, 1)
		if err != nil {
			return nil, err
		}
		if len(had) > 0 {
			seen = append(seen, f)
		}
	}
	return seen, nil
}
