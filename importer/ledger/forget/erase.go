package forget

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"docketsync/importer/ledger/bundle"
	"docketsync/importer/ledger/evidence"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/sqlite"
	"docketsync/importer/ledger/store"
	"docketsync/importer/ledger/unchanged"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// ErrUnfinished says that something of a subject is in doubt, under way or waits for a decision, so that it cannot be
// forgotten.
var ErrUnfinished = errors.New("some of its records are in doubt, under way or wait for a decision")

// ErrTransferred says that some of a subject's records now name another client. To forget them would end the updates of
// what that client owns.
var ErrTransferred = errors.New("some of its records name another client by now")

// Forget removes what the ledger holds of a subject. Of each record its outcome stays, its place in its files, and the
// codes of its reasons, with a token instead of its key. Of what the service is known to hold, only hashes stay, so
// that it is never sent again (Forgotten). Texts about other records and runs lose the words by which the subject is
// known.
//
// It takes the locks of all scopes, so that no run is under way, and is one transaction. The error is ErrUnfinished if
// something is open, and ErrTransferred if something now belongs to another client and s.Transferred is not set. An
// SQLite ledger is then rewritten, so that nothing is left in its free pages or its log. What a PostgreSQL server keeps
// of removed rows is removed by its autovacuum. Neither reaches backups.
//
// before is called with what was found, under the locks and before anything is changed. If it returns an error, Forget
// ends.
func (l *Writer) Forget(ctx context.Context, s Subject, before func(*Traces) error) (*Traces, error) {
	const doing = "forget"
	release, err := l.lockScopes(ctx)
	defer release()
	if err != nil {
		return nil, err
	}
	h, err := l.r.Holds(ctx, s)
	if err != nil {
		return nil, err
	}
	if h.Open > 0 {
		return h, ErrUnfinished
	}
	if len(h.Transferred) > 0 && !s.Transferred {
		return h, ErrTransferred
	}
	if err := before(h); err != nil {
		return h, err
	}
	if err := l.w.Do(ctx, false, func(tx *handle.Tx) error {
		return evidence.WithEvidence(tx, h.Runs, func() error { return forget(tx, h, l.w.Now().UnixMicro()) })
	}); err != nil {
		return h, l.w.Wrap(doing, err)
	}
	if e, ok := l.w.Engine.(*sqlite.Engine); ok {
		err = e.Vacuum(ctx)
	}
	return h, l.w.Wrap(doing, err)
}

func forget(tx *handle.Tx, h *Traces, at int64) error {
	hash, err := newHashes(tx)
	if err != nil {
		return err
	}
	bundles := map[int64]bool{}
	for n := range h.keys {
		if err := forgetKey(tx, n, hash, at, bundles); err != nil {
			return err
		}
	}
	for id := range h.ids {
		if err := addForgotten(tx, "", hash.of("", id), at); err != nil {
			return err
		}
	}
	for at := range h.keyless {
		if err := eraseRecords(tx, `where run_no = (select number from runs where id = $1) and seq = $2`, "", bundles, at.Run, at.Seq); err != nil {
			return err
		}
		const keyless = ` where key = '' and scope = (select scope from runs where id = $1)`
		if err := tx.ExecAll([]any{at.Run}, `delete from terms`+keyless, `delete from acknowledged`+keyless); err != nil {
			return err
		}
	}
	for number := range bundles {
		var content []byte
		there, err := store.Found(tx.One(`select content from bundles where number = $1`, []any{number}, &content))
		if err == nil && there {
			err = bundle.Prune(tx, number, content)
		}
		if err != nil {
			return err
		}
	}
	if err := tx.ExecAll(nil, `delete from staged where run_no in (select number from runs where phase = 'reading')`, `delete from listed`); err != nil {
		return err
	}
	if err := forgetUnchanged(tx, h, hash); err != nil {
		return err
	}
	return scrub(tx, h)
}

// forgetUnchanged replaces keys by tokens in the unremarkable records.
func forgetUnchanged(tx *handle.Tx, h *Traces, hash hashes) error {
	scopes := map[string]bool{}
	for n := range h.keys {
		scopes[n.Scope] = true
	}
	for scope := range scopes {
		err := unchanged.Forget(tx.Tx, scope, func(key string) (token string, ok bool) {
			n := model.ScopedKey{Scope: scope, Key: key}
			return hash.token(n), h.keys[n]
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func addForgotten(tx *handle.Tx, scope, hash string, at int64) error {
	_, err := tx.Exec(`insert into forgotten (scope, hash, forgotten_at) values ($1, $2, $3) on conflict do nothing`, store.Plain(scope), hash, at)
	return err
}

// forgetKey removes what is known under a key, and the content of its records.
func forgetKey(tx *handle.Tx, n model.ScopedKey, hash hashes, at int64, bundles map[int64]bool) error {
	scope, key := store.Plain(n.Scope), store.StoredKey(n.Key)
	if err := addForgotten(tx, n.Scope, hash.of(n.Scope, n.Key), at); err != nil {
		return err
	}
	if twin, ok := hash.twin(n); ok {
		if err := addForgotten(tx, n.Scope, twin, at); err != nil {
			return err
		}
	}
	var bundle *int64
	if _, err := store.Found(tx.One(`select bundle from known where scope = $1 and key = $2`, []any{scope, key}, &bundle)); err != nil {
		return err
	}
	if bundle != nil {
		bundles[*bundle] = true
	}
	// The run is in the query so that the index by run and key is used.
	if err := eraseRecords(tx, `where run_no in (select number from runs) and key = $1 and scope = $2`, hash.token(n), bundles, key, scope); err != nil {
		return err
	}
	if err := tx.ExecAll([]any{scope, key},
		`delete from known where scope = $1 and key = $2`,
		`delete from terms where scope = $1 and key = $2`,
		`delete from acknowledged where scope = $1 and key = $2`,
		`delete from renames where scope = $1 and (key = $2 or former = $2)`,
		`delete from conflicts where scope = $1 and key = $2`,
		`delete from stamps where scope = $1 and key = $2`); err != nil {
		return err
	}
	_, err := tx.Exec(`delete from corrections where key = $1`, key) // of any job
	return err
}

// erased is a record whose content is removed.
type erased struct {
	run, seq int64
	source   []byte
	reasons  []model.Reason
	state    model.State
	bundle   *int64
}

// eraseRecords removes the content of records. If a stopped run still had to send some of them, it never will: there is
// nothing left to send.
func eraseRecords(tx *handle.Tx, where, token string, bundles map[int64]bool, args ...any) error {
	list, err := store.All(tx.Query, store.Into(func(e *erased) []any {
		return []any{&e.run, &e.seq, &e.source, store.JSON(&e.reasons), &e.state, &e.bundle}
	}), `select run_no, seq, source_rows, reasons, state, bundle from records `+where, args...)
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.bundle != nil {
			bundles[*e.bundle] = true
		}
		if err := erase(tx, e, token); err != nil {
			return err
		}
	}
	return nil
}

func erase(tx *handle.Tx, e erased, token string) error {
	rows, err := model.RowsOf(e.source, false)
	if err != nil {
		return err
	}
	if e.state == model.Planned || e.state == model.Held {
		e.state = model.Rejected
	}
	bare := []model.Reason{}
	for _, r := range e.reasons {
		bare = append(bare, model.Reason{Code: r.Code, Field: fieldOnly(r.Field), Cell: r.Cell, Row: r.Row, Source: r.Source, Message: "the details were removed at the firm's request"})
	}
	if e.state == model.Rejected && len(bare) == 0 {
		bare = append(bare, model.Reason{}.Says(reason.New(reason.Forgotten)))
	}
	stored, err := store.Listed(reason.Stored(bare))
	if err != nil {
		return err
	}
	if _, err := tx.Exec(`update records set key = $3, state = cast($4 as text), action = case when cast($4 as text) = 'rejected' then 'none' else action end, digest = '', payload = null, body = null,
		previous = null, source_rows = $5, reasons = $6, notes = null, entries = null, service_id = '', message = '', bundle = null
		where run_no = $1 and seq = $2`, e.run, e.seq, token, string(e.state), model.StoredRows(rows, false), stored); err != nil {
		return err
	}
	return tx.ExecAll([]any{e.run, e.seq},
		`update attempts set error = '', answer = '' where run_no = $1 and seq = $2`,
		// The run's ordinary answer must no longer be read for it, because it may be its own (handle.Tx.DropAnswer).
		`insert into attempts (run_no, seq, number, started_at, duration_us, status, verdict, error, answer)
			select run_no, seq, attempts, sent_at, took_us, status, 'accepted', '', '' from records where run_no = $1 and seq = $2 and took_us is not null`,
		`update records set took_us = null where run_no = $1 and seq = $2`,
		`update decisions set note = '', service_id = '' where run_no = $1 and seq = $2`)
}

// fieldOnly returns a field without the id of a component in its name.
func fieldOnly(field string) string {
	if before, _, ok := strings.Cut(field, "."); ok && before == "components" {
		return before
	}
	return field
}

// scrubbed are the columns outside the subject's own records that may quote it. In runs that have records of it they
// lose everything that its cells say, in all others the words by which it is known.
var scrubbed = []struct {
	table   string
	columns []string
	runs    string // the column that tells which rows belong to the runs; "" if all rows are meant
}{
	{"runs", []string{"stop", "notes", "guards", "sources", "answer"}, `number`},
	{"records", []string{"reasons", "notes", "message"}, `run_no`},
	{"attempts", []string{"error", "answer"}, `run_no`},
	{"decisions", []string{"note"}, `run_no`},
	{"occurrences", []string{"note"}, ``},
	{"audit_entries", []string{"target", "note"}, ``},
	{"notifications", []string{"cause"}, ``},
}

// scrub removes the subject's words from what is said of other records and of runs.
func scrub(tx *handle.Tx, h *Traces) error {
	known := scrubber(longestFirst(h.words))
	all := append(scrubber(longestFirst(h.texts)), known...)
	var runs []string
	for _, run := range h.Runs {
		var number int64
		if err := tx.One(`select number from runs where id = $1`, []any{run.ID}, &number); err != nil {
			return err
		}
		runs = append(runs, strconv.FormatInt(number, 10))
		if err := tx.DropAnswer(number); err != nil {
			return err
		}
	}
	for _, s := range scrubbed {
		words, where := known, "true"
		if s.table == "runs" {
			words = all
		}
		if s.runs != "" {
			where = s.runs + ` in (` + strings.Join(append(runs, "null"), ", ") + `)`
		}
		if err := scrubColumns(tx, s.table, s.columns, where, words); err != nil {
			return err
		}
	}
	return nil
}

// scrubColumns rewrites the texts of columns in the rows that satisfy a condition. Each distinct text is rewritten
// once, wherever it is.
func scrubColumns(tx *handle.Tx, table string, columns []string, where string, words scrubber) error {
	for _, column := range columns {
		texts, err := store.All(tx.Unprepared, store.Column[sql.NullString], `select distinct `+column+` from `+table+` where `+where)
		if err != nil {
			return err
		}
		for _, text := range texts {
			clean := words.clean(text.String)
			if !text.Valid || clean == text.String {
				continue
			}
			if _, err := tx.Exec(`update `+table+` set `+column+` = $1 where `+column+` = $2 and `+where, clean, text.String); err != nil {
				return err
			}
		}
	}
	return nil
}

// scrubber removes words from texts.
type scrubber []string

// blackened replaces a removed word.
const blackened = "[forgotten]"

// clean returns a text without the words. In JSON it cleans the strings that are values.
func (s scrubber) clean(text string) string {
	if !json.Valid([]byte(text)) || !strings.ContainsAny(text[:1], "[{") {
		return s.plain(text)
	}
	var out strings.Builder
	for at := 0; at < len(text); {
		if text[at] != '"' {
			out.WriteByte(text[at])
			at++
			continue
		}
		end := at + 1
		for text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		quoted := text[at : end+1]
		at = end + 1
		if !strings.HasPrefix(strings.TrimLeft(text[at:], " \t\n"), ":") {
			var value string
			_ = json.Unmarshal([]byte(quoted), &value) // it is valid
			if clean := s.plain(value); clean != value {
				encoded, _ := json.Marshal(clean)
				quoted = string(encoded)
			}
		}
		out.WriteString(quoted)
	}
	return out.String()
}

// plain replaces words that stand by themselves.
func (s scrubber) plain(text string) string {
	for _, word := range s {
		text = table.ReplaceWord(text, word, blackened)
	}
	return text
}
