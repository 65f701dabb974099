package forget

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/history"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/search"
	"docketsync/importer/ledger/store"
	"docketsync/mapping/table"
)

// SkipForgotten is the reason for leaving out rows whose record was forgotten.
const SkipForgotten = "forgotten"

// Subject says whose records are to be forgotten: those whose payload names one of the clients, that have one of the
// keys, or that have a row with one of the cells.
type Subject struct {
	Clients []string // ids of the service
	Keys    []string // in any scope
	Cells   []Cell
	// Transferred includes records that now name another client.
	Transferred bool
}

// Cell is a value in a column, by the column's name in the header.
type Cell struct{ Column, Value string }

// Traces are what a ledger holds of a subject. They grow with what they are about.
type Traces struct {
	Subject
	Runs    []model.Run // that have records of it, oldest first
	Records int         // that have a row of their own, in all runs
	Known   int         // that the service is known to hold
	Open    int         // that are in doubt or under way, so that it cannot be forgotten
	// Transferred are the keys of what the service is known to hold and that now names another client.
	Transferred []string

	keys    map[model.ScopedKey]bool
	keyless map[model.Intent]bool
	ids     map[string]bool // that the service gave, see payload.PlainID
	words   map[string]bool // by which people know it
	texts   map[string]bool // everything that its cells and payloads say
	runs    map[string]bool
	learnt  bool // since the last pass
}

// clientFields are the fields of payloads that name a client (interface.md part 4).
var clientFields = []string{"client_id", "file_client_id"}

// leastWord is how many characters a text needs to be searched for in others, unless it is a key.
const leastWord = 4

// Holds finds what the ledger holds of a subject. Besides the records that the subject names, these are the records
// with the same key as one of them, those about an id that the service gave one of them, and rejected ones whose row
// names the client in the same way. It reads all records, until it learns nothing more.
func (l *Reader) Holds(ctx context.Context, s Subject) (*Traces, error) {
	if err := l.h.ForAll("look up what is to be forgotten"); err != nil {
		return nil, err
	}
	h := &Traces{Subject: s, learnt: true, keys: map[model.ScopedKey]bool{}, keyless: map[model.Intent]bool{}, ids: map[string]bool{}, words: map[string]bool{}, texts: map[string]bool{}, runs: map[string]bool{}}
	runs, err := l.history.Runs(ctx, model.RunFilter{})
	if err != nil {
		return nil, err
	}
	for h.learnt {
		h.learnt, h.Records, h.Known, h.Open, h.Transferred = false, 0, 0, 0, nil
		if err := l.holdsKnown(ctx, h); err != nil {
			return nil, err
		}
		for _, run := range runs {
			for r, err := range l.history.Records(ctx, run.ID, model.RecordFilter{Remarkable: true}) {
				if err != nil {
					return nil, err
				}
				h.take(r, run)
			}
		}
	}
	renames, err := l.decisions.OpenRenames(ctx)
	for _, r := range renames {
		if h.keys[model.ScopedKey{Scope: r.Scope, Key: r.Key}] || h.keys[model.ScopedKey{Scope: r.Scope, Key: r.Former}] {
			h.Open++
		}
	}
	for n := range h.keys {
		sightings, err := l.history.History(ctx, n.Scope, n.Key, 0)
		if err != nil {
			return nil, err
		}
		for _, r := range sightings {
			h.runs[r.Run] = true
		}
	}
	slices.Sort(h.Transferred)
	h.Transferred = slices.Compact(h.Transferred)
	for _, run := range slices.Backward(runs) {
		if h.runs[run.ID] {
			h.Runs = append(h.Runs, run)
		}
	}
	return h, l.h.Wrap("look up what is to be forgotten", err)
}

// holdsKnown searches what the service is known to hold.
func (l *Reader) holdsKnown(ctx context.Context, h *Traces) error {
	scopes, err := store.List(ctx, l.h.Read, store.Column[string], `select distinct scope from known order by scope`)
	if err != nil {
		return l.h.Wrap("list the scopes", err)
	}
	for _, scope := range scopes {
		look := func(keys []string) error {
			known, err := l.history.Known(ctx, scope, keys)
			for key, k := range known {
				if !h.take(model.Record{Scope: scope, Key: key, Payload: k.Held(), ServiceID: k.ServiceID, State: model.Accepted}, model.Run{}) {
					continue
				}
				if h.Known++; h.transferred(key, k.Held()) {
					h.Transferred = append(h.Transferred, key)
				}
			}
			return err
		}
		var keys []string
		for key, err := range l.history.Keys(ctx, scope) {
			if err != nil {
				return err
			}
			if keys = append(keys, key); len(keys) == history.KeysPerPage {
				if err := look(keys); err != nil {
					return err
				}
				keys = keys[:0]
			}
		}
		if err := look(keys); err != nil {
			return err
		}
	}
	return nil
}

// take adds a record if it is the subject's, and learns by what others are recognized.
func (h *Traces) take(r model.Record, run model.Run) bool {
	values, _ := payload.Walk(r.Payload)
	cells := cellsOf(r, run)
	if !h.concerns(r, values, cells) {
		return false
	}
	if r.Key == "" {
		h.learnt = h.learnt || !h.keyless[model.Intent{Run: r.Run, Seq: r.Seq}]
		h.keyless[model.Intent{Run: r.Run, Seq: r.Seq}] = true
	} else {
		h.learn(r, values)
		h.nameClient(values, cells, run)
	}
	for _, v := range values {
		if field := lastName(v.Field()); slices.Contains(search.SearchFields, field) || slices.Contains(clientFields, field) {
			h.note(h.words, v.Text)
		}
		h.note(h.texts, v.Text)
	}
	for _, c := range cells {
		h.note(h.texts, c.Value)
	}
	if r.Run == "" {
		return true
	}
	h.Records++
	h.runs[r.Run] = true
	if r.State == model.InDoubt || r.State == model.Sending || r.State == model.Planned && run.Kind == model.Push && (run.Phase == model.Ready || run.Phase == model.Pushing) {
		h.Open++
	}
	return true
}

func (h *Traces) concerns(r model.Record, values []payload.Value, cells []Cell) bool {
	if r.Key != "" && (h.keys[model.ScopedKey{Scope: r.Scope, Key: r.Key}] || slices.Contains(h.Keys, r.Key)) || h.keyless[model.Intent{Run: r.Run, Seq: r.Seq}] || r.ServiceID != "" && h.ids[payload.PlainID(r.ServiceID)] {
		return true
	}
	for _, v := range values {
		if h.namesClient(v) || v.Path == search.FieldID && h.ids[payload.PlainID(v.Text)] {
			return true
		}
	}
	return slices.ContainsFunc(cells, func(c Cell) bool { return slices.Contains(h.Cells, c) })
}

// namesClient reports whether a value of a payload names the subject.
func (h *Traces) namesClient(v payload.Value) bool {
	return slices.Contains(clientFields, lastName(v.Field())) && slices.ContainsFunc(h.Clients, func(id string) bool { return strings.EqualFold(id, v.Text) })
}

// transferred reports whether a payload names another client than the subject's, although nobody gave its key.
func (h *Traces) transferred(key string, stored json.RawMessage) (other bool) {
	if len(h.Clients) == 0 || slices.Contains(h.Keys, key) {
		return false
	}
	values, _ := payload.Walk(stored)
	for _, v := range values {
		if h.namesClient(v) {
			return false
		}
		other = other || slices.Contains(clientFields, lastName(v.Field())) && !v.IsNull()
	}
	return other
}

// learn remembers the key and ids of a record of the subject.
func (h *Traces) learn(r model.Record, values []payload.Value) {
	learn := func(known bool) { h.learnt = h.learnt || !known }
	learn(h.keys[model.ScopedKey{Scope: r.Scope, Key: r.Key}])
	h.keys[model.ScopedKey{Scope: r.Scope, Key: r.Key}], h.words[r.Key] = true, true
	ids := []string{r.ServiceID}
	for _, v := range values {
		if v.Path == search.FieldID && !v.Literal {
			ids = append(ids, v.Text)
		}
	}
	for _, id := range ids {
		if id != "" {
			same := payload.PlainID(id)
			learn(h.ids[same])
			h.ids[same], h.words[same], h.words[id] = true, true, true
		}
	}
}

// nameClient remembers in which cells the rows of a record name the client. By these, rejected rows are recognized.
func (h *Traces) nameClient(values []payload.Value, cells []Cell, run model.Run) {
	named := slices.ContainsFunc(values, h.namesClient)
	for _, s := range run.Sources {
		for _, o := range s.Origins {
			if !named || !slices.Contains(clientFields, lastName(o.Field)) || len(o.Columns) != 1 || o.Columns[0] >= len(s.Header) {
				continue
			}
			for _, c := range cells {
				if c.Column == s.Header[o.Columns[0]] && c.Value != "" && !slices.Contains(h.Cells, c) {
					h.Cells, h.learnt = append(h.Cells, c), true
					h.note(h.words, c.Value)
				}
			}
		}
	}
}

func (h *Traces) note(in map[string]bool, text string) {
	if text = strings.TrimSpace(text); utf8.RuneCountInString(text) >= leastWord && text != "true" && text != "false" && text != "null" {
		in[text] = true
	}
}

// Words returns what the records are known by, longest first: their keys, the client's ids and names, the ids of the
// service, names and numbers. A file is searched for these to find out whether it is about the subject.
func (h *Traces) Words() []string {
	for _, id := range h.Clients {
		h.words[id] = true
	}
	for _, c := range h.Subject.Cells {
		h.note(h.words, c.Value)
	}
	return longestFirst(h.words)
}

func longestFirst(words map[string]bool) []string {
	return slices.SortedFunc(maps.Keys(words), func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
}

// KeyCount returns how many keys it has.
func (h *Traces) KeyCount() int { return len(h.keys) }

func lastName(field string) string { return field[strings.LastIndexByte(field, '.')+1:] }

// cellsOf returns the cells of a record's rows, by the headers of its run.
func cellsOf(r model.Record, run model.Run) (list []Cell) {
	for _, row := range r.Rows {
		var cells []json.RawMessage
		if json.Unmarshal(row.Cells, &cells) != nil || row.Source >= len(run.Sources) {
			continue
		}
		header := run.Sources[row.Source].Header
		for n, cell := range cells {
			c := Cell{Value: strings.TrimSpace(search.CellText(cell))}
			if n < len(header) {
				c.Column = header[n]
			}
			list = append(list, c)
		}
	}
	return list
}

// hashes makes the hashes of what was forgotten, with the ledger's key.
type hashes struct{ key []byte }

func (h hashes) of(scope, text string) string {
	sum := hmac.New(sha256.New, h.key)
	fmt.Fprintf(sum, "%d:%s%s", len(scope), scope, text)
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// twin returns the hash that all spellings of a key share, or false for a key without a letter or digit.
func (h hashes) twin(n model.ScopedKey) (string, bool) {
	twin := table.TwinKey(n.Key)
	return h.of(n.Scope, "\x00"+twin), twin != ""
}

// token returns what replaces the key of a forgotten record in old runs.
func (h hashes) token(n model.ScopedKey) string { return "forgotten-" + h.of(n.Scope, n.Key)[:16] }

// Forgets reports whether anything was ever forgotten.
func (l *Reader) Forgets(ctx context.Context) (some bool, err error) {
	err = l.h.OneForAll(ctx, "look up what was forgotten", `select exists (select 1 from forget_key)`, nil, &some)
	return some, err
}

// CountForgotten returns how many keys and ids were ever forgotten, to any reader: the number does not say whose they
// were.
func (l *Reader) CountForgotten(ctx context.Context) (n int, err error) {
	err = l.h.Read.QueryRowContext(ctx, `select count(*) from forgotten`).Scan(&n)
	return n, l.h.Wrap("count what was forgotten", err)
}

var selectForgotten = &store.Keys{Text: `select hash from forgotten where scope = $1 and hash in ({keys})`}

// Forgotten returns those of some keys of a scope whose records were forgotten and must not be sent again. ids are
// those that the records name, by key.
func (l *Reader) Forgotten(ctx context.Context, scope string, keys []string, ids map[string]string) (map[string]bool, error) {
	return l.forgotten(ctx, func(h hashes, look func(scope, hash, key string)) {
		for _, key := range keys {
			look(scope, h.of(scope, key), key)
			if id := ids[key]; id != "" {
				look("", h.of("", payload.PlainID(id)), key)
			}
		}
	})
}

// ForgottenAlike returns those of some keys of a scope that people are likely to confuse with the key of a forgotten
// record (table.TwinKey): spreadsheets drop zeros, and people capitals. It includes the forgotten keys themselves.
func (l *Reader) ForgottenAlike(ctx context.Context, scope string, keys []string) (map[string]bool, error) {
	return l.forgotten(ctx, func(h hashes, look func(scope, hash, key string)) {
		for _, key := range keys {
			if twin, ok := h.twin(model.ScopedKey{Scope: scope, Key: key}); ok {
				look(scope, twin, key)
			}
		}
	})
}

// forgotten returns the keys for which asked looks up a hash that was forgotten.
func (l *Reader) forgotten(ctx context.Context, asked func(h hashes, look func(scope, hash, key string))) (map[string]bool, error) {
	const doing = "look up what was forgotten"
	if err := l.h.ForAll(doing); err != nil {
		return nil, err
	}
	var stored string
	some, err := store.Found(l.h.Read.QueryRowContext(ctx, `select key from forget_key`).Scan(&stored))
	if err != nil || !some {
		return nil, l.h.Wrap(doing, err)
	}
	key, err := hex.DecodeString(stored)
	if err != nil {
		return nil, l.h.Wrap(doing, err)
	}
	found, hashed := map[string]bool{}, map[string]map[string][]string{} // keys by scope and hash
	asked(hashes{key}, func(scope, hash, key string) {
		if hashed[scope] == nil {
			hashed[scope] = map[string][]string{}
		}
		hashed[scope][hash] = append(hashed[scope][hash], key)
	})
	for scope, keys := range hashed {
		err := selectForgotten.Each(ctx, l.h.Read, scope, slices.Collect(maps.Keys(keys)), func(rows *sql.Rows) error {
			var hash string
			err := rows.Scan(&hash)
			for _, key := range keys[hash] {
				found[key] = true
			}
			return err
		})
		if err != nil {
			return nil, l.h.Wrap(doing, err)
		}
	}
	return found, nil
}

// newHashes returns hashes with the ledger's key, which is made when something is first forgotten.
func newHashes(tx *handle.Tx) (h hashes, err error) {
	var stored string
	some, err := store.Found(tx.One(`select key from forget_key`, nil, &stored))
	if err != nil {
		return h, err
	}
	if !some {
		h.key = make([]byte, 32)
		_, _ = rand.Read(h.key) // it never fails
		_, err = tx.Exec(`insert into forget_key (key) values ($1)`, hex.EncodeToString(h.key))
		return h, err
	}
	h.key, err = hex.DecodeString(stored)
	return h, err
}
