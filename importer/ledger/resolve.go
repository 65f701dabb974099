package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"docketsync/importer/ledger/chain"
	"docketsync/importer/ledger/store"
)

// Decision is what a person says about a record in doubt.
type Decision string

// The decisions.
const (
	Exists Decision = "exists" // the service acted on it: it becomes accepted
	Absent Decision = "absent" // the service did not: it becomes failed, and the next run may send it
	Leave  Decision = "leave"  // nobody knows yet: it stays in doubt
)

// Decided is one decision about one record.
type Decided struct {
	Run       string    `json:"run"`
	Seq       int64     `json:"seq"`
	Number    int       `json:"number"` // from 1
	Decision  Decision  `json:"decision"`
	ServiceID string    `json:"service_id,omitempty"`
	Who       string    `json:"who"`
	Note      string    `json:"note,omitempty"`
	At        time.Time `json:"at"`
}

// Resolve settles a record in doubt as a person decides, and keeps who decided what and when. id is the id that the
// service gave, for Exists; "" when it is not known.
//
// What is settled is the request that was sent. When the record named was left in doubt only because an earlier one of
// its key was (it was never sent itself), that earlier one is settled; and all records that were left in doubt because
// of it become failed, so that the next run plans them by what is known then.
//
// A record that is not in doubt is a *TransitionError.
func (l *Ledger) Resolve(ctx context.Context, run string, seq int64, decision Decision, id, who, note string) error {
	doing := fmt.Sprintf("settle record %d of run %s", seq, run)
	to, ok := map[Decision]State{Exists: Accepted, Absent: Failed, Leave: InDoubt}[decision]
	switch {
	case !ok:
		return fmt.Errorf("%s: %q is not a valid decision: use %s, %s or %s", doing, decision, Exists, Absent, Leave)
	case who == "":
		return fmt.Errorf("%s: the name of the person who decides is required", doing)
	case id != "" && decision != Exists:
		return fmt.Errorf("%s: an id is allowed only with %s", doing, Exists)
	}
	number, err := l.number(ctx, run)
	if err != nil {
		return l.wrap(doing, err)
	}
	r := resolution{
		named: place{run, number, seq}, to: to, at: l.now(),
		Decided: Decided{Decision: decision, ServiceID: id, Who: who, Note: note},
	}
	return l.wrap(doing, l.do(ctx, false, r.apply))
}

// resolution is a decision on its way into the ledger.
type resolution struct {
	Decided
	named place
	to    State
	at    time.Time
}

func (r resolution) apply(tx *transaction) error {
	state, _, err := tx.standing(r.named)
	if err != nil {
		return err
	}
	if state != InDoubt {
		return &TransitionError{Run: r.named.run, Seq: r.named.seq, From: state, To: r.to}
	}
	if err := tx.decide(r.named, string(r.Decision), r.ServiceID, r.Who, r.Note, r.at); err != nil {
		return err
	}
	if r.Decision == Leave {
		return nil
	}
	sent, err := tx.sentDoubt(r.named)
	if err != nil {
		return err
	}
	if sent != nil {
		if err := r.settle(tx, *sent); err != nil {
			return err
		}
	}
	return r.release(tx)
}

// decide writes down what a person has decided about a record.
func (tx *transaction) decide(p place, decision, id, who, note string, at time.Time) error {
	op := chain.Op{What: chain.Decided, Seq: p.seq}
	said := []any{decision, store.Plain(id), store.Plain(who), store.Plain(note), at.UnixMicro()}
	if err := tx.One(`insert into decisions (run_no, seq, number, decision, service_id, who, note, decided_at)
		select $1, $2, count(*) + 1, cast($3 as text), cast($4 as text), cast($5 as text), cast($6 as text), cast($7 as bigint)
		from decisions where run_no = $1 and seq = $2 returning number`, append([]any{p.number, p.seq}, said...), &op.Count); err != nil {
		return err
	}
	tx.note(p.number, op, said...)
	tx.join(p.number)
	return nil
}

// sentDoubt finds the request that the doubt about a record is about, its own or another one of its key; nil when that has
// been settled meanwhile.
func (tx *transaction) sentDoubt(p place) (*place, error) {
	var found place
	err := tx.One(`select u.id, d.run_no, d.seq from records r join records d on d.scope = r.scope and d.key = r.key
		join runs u on u.number = d.run_no
		where r.run_no = $1 and r.seq = $2 and d.state in ('sending', 'in_doubt') and d.sent_at is not null and d.state = 'in_doubt'`,
		[]any{p.number, p.seq}, &found.run, &found.number, &found.seq)
	if there, err := store.Found(err); !there {
		return nil, err
	}
	return &found, nil
}

// settle writes the outcome of the request that was sent.
func (r resolution) settle(tx *transaction, p place) error {
	message := fmt.Sprintf("%s says it is there", r.Who)
	if r.Decision == Absent {
		message = fmt.Sprintf("%s says it is not there", r.Who)
	}
	if _, err := tx.Exec(`update records set state = $3, message = $4, settled_at = $5,
		service_id = case when cast($6 as text) = '' then service_id else cast($6 as text) end
		where run_no = $1 and seq = $2 and state = 'in_doubt'`,
		p.number, p.seq, string(r.to), store.Plain(message), r.at.UnixMicro(), store.Plain(r.ServiceID)); err != nil {
		return err
	}
	tx.noteResolved(p.number, p.seq, r.to, r.at.UnixMicro(), store.Plain(message), store.Plain(r.ServiceID))
	o := settled{place: p, Outcome: Outcome{State: r.to, ServiceID: r.ServiceID, At: r.at}}
	var stored []byte
	if err := tx.One(`select entries from records where run_no = $1 and seq = $2`, []any{p.number, p.seq}, &stored); err != nil {
		return err
	}
	if err := store.Unlisted(stored, &o.Entries); err != nil {
		return err
	}
	steps, err := tx.remember([]settled{o})
	if err == nil {
		_, err = tx.Together(steps...)
	}
	return err
}

// DoubtSettled is what a record says that was never sent itself and waited for a doubt that has been settled.
const DoubtSettled = "an earlier record with this key was in doubt and has been settled; the next run decides again"

// release lets go of the records that were never sent themselves and only waited for the doubt of their key.
func (r resolution) release(tx *transaction) error {
	rows, err := tx.Query(`update records set state = 'failed', settled_at = $3, message = $4
		where state = 'in_doubt' and sent_at is null and (key <> '' or (run_no = $1 and seq = $2))
			and (scope, key) = (select n.scope, n.key from records n where n.run_no = $1 and n.seq = $2) returning run_no, seq`,
		r.named.number, r.named.seq, r.at.UnixMicro(), DoubtSettled)
	if err != nil {
		return err
	}
	released, err := store.Collect(rows, func(rows *sql.Rows) (p place, err error) {
		err = rows.Scan(&p.number, &p.seq)
		return p, err
	})
	for _, p := range released {
		if err == nil {
			err = tx.noteAll(p.number, func() { tx.noteResolved(p.number, p.seq, Failed, r.at.UnixMicro(), DoubtSettled, "") })
		}
	}
	return err
}

// Decisions returns what was decided about a record, in order; none when nothing was.
func (l *Reader) Decisions(ctx context.Context, run string, seq int64) ([]Decided, error) {
	number, err := l.number(ctx, run)
	if err != nil {
		return nil, l.wrap("read decisions", err)
	}
	list, err := store.List(ctx, l.read, func(rows *sql.Rows) (Decided, error) {
		d := Decided{Run: run, Seq: seq}
		var at int64
		err := rows.Scan(&d.Number, &d.Decision, &d.ServiceID, &d.Who, &d.Note, &at)
		d.At = store.TimeOf(&at)
		return d, err
	}, `select number, decision, service_id, who, note, decided_at from decisions where run_no = $1 and seq = $2 order by number`, number, seq)
	return list, l.wrap("read decisions", err)
}
