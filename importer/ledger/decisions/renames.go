package decisions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/evidence"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// errRename says that a question cannot be decided in this way.
var errRename = errors.New("this decision is not possible")

// AskRenames stores questions, except those that are open already or were answered with NewRecord before. A question
// that was answered with SameRecord is asked again: what was known moved to the new key, and the former one has come
// back since. They are on disk when it returns.
func (l *Writer) AskRenames(ctx context.Context, list []model.Rename) error {
	return handle.ExecEach(ctx, l.w, "ask whether keys were renamed", list, func(r model.Rename) []any { return append(question(r), l.w.Now().UnixMicro()) },
		`insert into renames (scope, key, former, asked_at, decision, who) select cast($1 as text), cast($2 as text), cast($3 as text), cast($4 as bigint), '', ''
			where not exists (select 1 from renames where scope = $1 and key = $2 and former = $3 and decision = 'new') on conflict do nothing`)
}

// WithdrawRenames removes open questions.
func (l *Writer) WithdrawRenames(ctx context.Context, list []model.Rename) error {
	return handle.ExecEach(ctx, l.w, "withdraw questions about keys", list, question, `delete from renames where scope = $1 and key = $2 and former = $3 and decision = ''`)
}

// question returns the parameters that identify a question.
func question(r model.Rename) []any {
	return []any{store.Plain(r.Scope), store.StoredKey(r.Key), store.StoredKey(r.Former)}
}

const renameColumns = `select scope, key, former, asked_at, decision, who, decided_at from renames `

var scanRename = store.Into(func(r *model.Rename) []any {
	return []any{&r.Scope, (*store.Key)(&r.Key), (*store.Key)(&r.Former), (*store.Time)(&r.Asked), &r.Decision, &r.Who, (*store.Time)(&r.Decided)}
})

var selectRenames = &store.Keys{Any: `select 1 from renames where scope = $1 limit 1`, Text: renameColumns + `where scope = $1 and key in ({keys}) order by former, asked_at`}

// Renames returns all questions about some keys of a scope, by key.
func (l *Reader) Renames(ctx context.Context, scope string, keys []string) (map[string][]model.Rename, error) {
	found := map[string][]model.Rename{}
	if err := l.h.ForAll("look up renamed keys"); err != nil {
		return nil, err
	}
	err := selectRenames.Each(ctx, l.h.Read, scope, keys, func(rows *sql.Rows) error {
		r, err := scanRename(rows)
		found[r.Key] = append(found[r.Key], r)
		return err
	})
	return found, l.h.Wrap("look up renamed keys", err)
}

// OpenRenames returns the questions that nobody has decided, by scope and key, about keys under which nothing is known.
func (l *Reader) OpenRenames(ctx context.Context) ([]model.Rename, error) {
	return handle.ListForAll(ctx, l.h, "list renamed keys", scanRename,
		renameColumns+`where decision = '' and not exists (select 1 from known k where k.scope = renames.scope and k.key = renames.key) order by scope, key, former`)
}

// RenamedTo returns the new keys of the records of a scope that somebody said were renamed, by former key. If there are
// several, the last one counts.
func (l *Reader) RenamedTo(ctx context.Context, scope string) (map[string]string, error) {
	list, err := handle.ListForAll(ctx, l.h, "list renamed keys", scanRename, renameColumns+`where scope = $1 and decision = 'same' order by decided_at`, scope)
	to := map[string]string{}
	for _, r := range list {
		to[r.Former] = r.Key
	}
	return to, err
}

// DecideRename settles an open question, and with it all others about its key. With SameRecord, what is known under the
// former key moves to the new one, and other questions about that former key are closed. The error is errRename if
// nothing is known under the former key any more, something is known under the new one, or a request of either is in
// doubt.
func (l *Writer) DecideRename(ctx context.Context, r model.Rename, decision model.Renamed, who string) error {
	doing := fmt.Sprintf("decide about %s", r.Key)
	switch {
	case decision != model.SameRecord && decision != model.NewRecord:
		return fmt.Errorf("%s: %q is not a valid decision: use %s or %s", doing, decision, model.SameRecord, model.NewRecord)
	case who == "":
		return fmt.Errorf("%s: the name of the person who decides is required", doing)
	}
	err := l.w.Do(ctx, false, func(tx *handle.Tx) error {
		n, err := tx.Exec(`update renames set decision = case when former = $3 then cast($4 as text) else $5 end, who = $6, decided_at = $7
			where scope = $1 and key = $2 and decision = ''
				and exists (select 1 from renames q where q.scope = $1 and q.key = $2 and q.former = $3 and q.decision = '')`,
			append(question(r), string(decision), string(model.NewRecord), store.Plain(who), l.w.Now().UnixMicro())...)
		if err == nil && n == 0 {
			err = fmt.Errorf("the question whether it was %q is not open, 'docketsync renamed' lists those that are: %w", r.Former, errRename)
		}
		if err == nil {
			err = noteRenamed(tx, r)
		}
		if err != nil || decision == model.NewRecord {
			return err
		}
		return rename(tx, r)
	})
	if errors.Is(err, errRename) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return l.w.Wrap(doing, err)
}

// noteRenamed records what was decided about a key as evidence.
func noteRenamed(tx *handle.Tx, r model.Rename) error {
	return evidence.EachRename(tx.Query, `where scope = $1 and key = $2 and decision <> ''`, func(at int64, row []any) {
		tx.Note(chain.Ledger, chain.Op{What: chain.Renamed, SettledAt: at}, row...)
	}, store.Plain(r.Scope), store.StoredKey(r.Key))
}

// rename moves what is known from one key to another. It inserts and deletes rows, so that the triggers on known see
// one key come and the other go.
func rename(tx *handle.Tx, r model.Rename) error {
	args := []any{store.Plain(r.Scope), store.StoredKey(r.Former), store.StoredKey(r.Key)}
	var run, key string
	switch err := tx.One(`select u.id, r.key from records r join runs u on u.number = r.run_no
		where r.scope = $1 and r.key in ($2, $3) and r.state in ('sending', 'in_doubt') and r.sent_at is not null order by r.run_no limit 1`, args, &run, &key); {
	case err == nil:
		return fmt.Errorf("it is in doubt whether run %[1]s sent %[2]q; settle it first with: docketsync resolve %[1]s: %[3]w", run, store.KeyOf(key), errRename)
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	n, err := tx.Exec(`insert into known (scope, key, digest, payload, bundle, bundle_seq, service_id, entries, differs, run_no, accepted_at)
		select scope, cast($3 as text), digest, payload, bundle, bundle_seq, service_id, entries, differs, run_no, accepted_at from known where scope = $1 and key = $2
		on conflict do nothing`, args...)
	if err == nil && n == 0 {
		return fmt.Errorf("the service is not known to hold %q any more, or holds %q already: %w", r.Former, r.Key, errRename)
	}
	if err == nil {
		_, err = tx.Exec(`delete from known where scope = $1 and key = $2`, args[:2]...)
	}
	if err == nil { // no other key can be that record now
		_, err = tx.Exec(`delete from renames where scope = $1 and former = $2 and decision = ''`, args[:2]...)
	}
	return err
}
