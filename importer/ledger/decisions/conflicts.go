package decisions

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"docketsync/importer/ledger/evidence"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/planning"
	"docketsync/importer/ledger/store"
	"docketsync/mapping/reason"
)

// Side says whose values are kept if somebody else has changed a record in the service.
type Side string

// The sides.
const (
	Ours   Side = "ours"   // the update is sent
	Theirs Side = "theirs" // what the service has stays
)

// Conflict is an update that was held because somebody else changed the record in the service, or because nobody can
// tell.
type Conflict struct {
	Scope  string          `json:"scope"`
	Key    string          `json:"key"`
	Run    string          `json:"run"` // where it was last held
	Seq    int64           `json:"seq"`
	Why    string          `json:"why"` // changed, or unknown
	Seen   Stamp           `json:"changed"`
	Theirs json.RawMessage `json:"theirs"` // what the list says of the record, under the names of the payload
	Ours   json.RawMessage `json:"ours"`   // the payload that was held, as mapped
	Digest string          `json:"-"`      // of Ours
	Found  time.Time       `json:"found"`
	Sent   bool            `json:"-"` // an update of the record was accepted in the run in which it was last held, or in a later one
	Settled
}

// Settled is what a person has decided about a conflict. Fields are those that stay theirs; if empty, the whole record
// does.
type Settled struct {
	Side    Side      `json:"decision,omitempty"` // "" while it is open
	Fields  []string  `json:"fields,omitempty"`
	Who     string    `json:"who,omitempty"`
	Note    string    `json:"note,omitempty"`
	Decided time.Time `json:"decided,omitzero"`
}

// ErrNoConflict says that there is nothing to settle under a key, or that it has been settled or found again meanwhile.
var ErrNoConflict = errors.New("no update of this record is held because it was changed in the service")

// HeldUpdate is a planned record that is not to be sent, with the message and the notes that say why, and the conflict
// that holds it.
type HeldUpdate struct {
	Conflict
	Record model.Record
}

// HoldConflicts holds planned records of a run and asks whose values are to be kept. Neither resuming the run nor its
// end releases them. What was decided about a key before is open again. All of it is on disk when it returns.
func (l *Writer) HoldConflicts(ctx context.Context, run string, list []HeldUpdate) error {
	return l.w.DoFor(ctx, "hold updates of run "+run, run, false, func(tx *handle.Tx, number int64) error {
		for _, h := range list {
			if err := l.holdUpdate(ctx, tx, number, h.Record); err != nil {
				return err
			}
			if _, err := tx.Exec(`insert into conflicts (scope, key, run_no, seq, why, changed_at, changed_by, theirs, ours, digest, found_at, decision, fields, who, note)
				values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, '', '[]', '', '')
				on conflict (scope, key) do update set run_no = excluded.run_no, seq = excluded.seq, why = excluded.why, changed_at = excluded.changed_at,
					changed_by = excluded.changed_by, theirs = excluded.theirs, ours = excluded.ours, digest = excluded.digest, found_at = excluded.found_at,
					decision = '', fields = '[]', who = '', note = '', decided_at = null`,
				store.Plain(h.Scope), store.StoredKey(h.Key), number, h.Seq, h.Why, store.Plain(h.Seen.At), store.Plain(h.Seen.By),
				string(h.Theirs), string(h.Ours), h.Digest, l.w.Now().UnixMicro()); err != nil {
				return err
			}
		}
		return nil
	})
}

// holdUpdate holds one record. If an interrupted run may have sent the record, only its state, message and notes are
// written.
func (l *Writer) holdUpdate(ctx context.Context, tx *handle.Tx, number int64, r model.Record) error {
	r.State, r.Settled = model.Held, time.Time{}
	err := planning.ReplaceIn(ctx, l.w, tx, &r)
	var was *handle.TransitionError
	if !errors.As(err, &was) || was.From != model.Planned {
		return err
	}
	notes, err := store.Listed(reason.Stored(r.Notes))
	if err != nil {
		return err
	}
	if _, err = tx.Exec(`update records set state = 'held', settled_at = null, message = $3, notes = $4 where run_no = $1 and seq = $2 and state = 'planned'`,
		number, r.Seq, store.Plain(r.Message), notes); err != nil {
		return err
	}
	return evidence.NoteRow(tx, number, r.Seq)
}

// DropConflicts removes the open conflicts of a run's scope that the run has not found again: a change on either side
// has ended them.
func (l *Writer) DropConflicts(ctx context.Context, run model.Run) error {
	number, err := l.w.Number(ctx, run.ID)
	if err == nil {
		err = l.w.Exec(ctx, "drop conflicts", `delete from conflicts where scope = $1 and decision = '' and run_no <> $2`, store.Plain(run.Scope), number)
	}
	return err
}

// SettleConflict decides an open conflict, as it was seen. If it was found again since, the error is ErrNoConflict.
func (l *Writer) SettleConflict(ctx context.Context, c Conflict, s Settled) error {
	c.Settled = s
	saved, err := l.SettleConflicts(ctx, []Conflict{c})
	if err == nil && len(saved) == 0 {
		err = fmt.Errorf("%s: %w", c.Key, ErrNoConflict)
	}
	return err
}

// SettleConflicts decides open conflicts, as they were seen, at once: all are saved or, after an error, none. It leaves
// out those that were settled or found again since, and returns the others.
func (l *Writer) SettleConflicts(ctx context.Context, list []Conflict) (saved []Conflict, err error) {
	for _, c := range list {
		switch {
		case c.Side != Ours && c.Side != Theirs:
			return nil, fmt.Errorf("settle %s: %q is not a valid decision: use %s or %s", c.Key, c.Side, Ours, Theirs)
		case c.Who == "":
			return nil, fmt.Errorf("settle %s: the name of the person who decides is required", c.Key)
		}
	}
	err = l.w.Do(ctx, false, func(tx *handle.Tx) error {
		saved = nil
		for _, c := range list {
			fields, err := json.Marshal(append([]string{}, c.Fields...))
			if err != nil {
				return err
			}
			n, err := tx.Exec(`update conflicts set decision = $4, fields = $5, who = $6, note = $7, decided_at = $8
				where scope = $1 and key = $2 and found_at = $3 and decision = ''`, store.Plain(c.Scope), store.StoredKey(c.Key), c.Found.UnixMicro(),
				string(c.Side), store.Plain(string(fields)), store.Plain(c.Who), store.Plain(c.Note), l.w.Now().UnixMicro())
			if err != nil {
				return err
			}
			if n == 0 {
				continue
			}
			number, err := l.w.Number(ctx, c.Run)
			if err != nil {
				return err
			}
			if err := Decide(tx, model.Place{Run: c.Run, Number: number, Seq: c.Seq}, string(c.Side), "", c.Who, strings.TrimSpace(strings.Join(c.Fields, ", ")+" "+c.Note), l.w.Now()); err != nil {
				return err
			}
			saved = append(saved, c)
		}
		return nil
	})
	if err != nil {
		return nil, l.w.Wrap("settle conflicts", err)
	}
	return saved, nil
}

const conflictColumns = `select c.scope, c.key, u.id, c.seq, c.why, c.changed_at, c.changed_by, c.theirs, c.ours, c.digest, c.found_at, c.decision, c.fields, c.who, c.note, c.decided_at,
	exists (select 1 from known k where k.scope = c.scope and k.key = c.key and k.run_no >= c.run_no)
	from conflicts c join runs u on u.number = c.run_no `

var scanConflict = store.Into(func(c *Conflict) []any {
	return []any{&c.Scope, (*store.Key)(&c.Key), &c.Run, &c.Seq, &c.Why, &c.Seen.At, &c.Seen.By, (*[]byte)(&c.Theirs), (*[]byte)(&c.Ours), &c.Digest,
		(*store.Time)(&c.Found), &c.Side, store.JSON(&c.Fields), &c.Who, &c.Note, (*store.Time)(&c.Decided), &c.Sent}
})

var selectConflicts = &store.Keys{Text: conflictColumns + `where c.scope = $1 and c.key in ({keys})`}

// Conflicts returns the open and decided conflicts of some keys of a scope, by key.
func (l *Reader) Conflicts(ctx context.Context, scope string, keys []string) (map[string]Conflict, error) {
	found := map[string]Conflict{}
	err := selectConflicts.Each(ctx, l.h.Read, scope, keys, func(rows *sql.Rows) error {
		c, err := scanConflict(rows)
		if l.h.SeenRun(ctx, c.Run) {
			found[c.Key] = c
		}
		return err
	})
	return found, l.h.Wrap("look up conflicts", err)
}

// HasConflicts reports whether a scope has any conflicts, open or decided.
func (l *Reader) HasConflicts(ctx context.Context, scope string) (bool, error) {
	if err := l.h.ForAll("look up conflicts"); err != nil {
		return false, err
	}
	some, err := l.h.Some(ctx, `select 1 from conflicts where scope = $1 limit 1`, scope)
	return some, l.h.Wrap("look up conflicts", err)
}

// OpenConflicts returns the conflicts that nobody has decided, by scope and key: those of a run, or all if run is "".
func (l *Reader) OpenConflicts(ctx context.Context, run string) ([]Conflict, error) {
	var c store.Clauses
	c.And("c.decision = ''")
	c.Named("u.id", run)
	l.h.Inside(&c, "u.job")
	return handle.List(ctx, l.h, "list conflicts", scanConflict, conflictColumns+c.Text()+" order by c.scope, c.key", c.Args...)
}

// CountConflicts counts the conflicts of a run that nobody has decided.
func (l *Reader) CountConflicts(ctx context.Context, run string) (int, error) {
	return handle.Of(ctx, l.h, "count conflicts", run, func(number int64) (n int, err error) {
		err = l.h.Read.One(ctx, `select count(*) from conflicts where decision = '' and run_no = $1`, []any{number}, &n)
		return n, err
	})
}
