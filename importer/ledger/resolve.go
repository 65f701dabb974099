package ledger

import (
	"context"
	"fmt"
	"time"

	"docketsync/importer/ledger/decisions"
	"docketsync/importer/ledger/evidence"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// Resolve settles a record in doubt as a person decides, and stores who decided what and when. id is the id that the
// service gave, for Exists, or "" if it is not known.
//
// It settles the request that was sent. If the named record was never sent itself, and is in doubt only because an
// earlier one of its key is, the earlier one is settled. All records that were left in doubt because of it become
// failed, so that the next run plans them by what is known then.
//
// Exists with an id also adds the id to an accepted record, if no id is known of its key. Any other record that is not
// in doubt is a *TransitionError.
func (l *Ledger) Resolve(ctx context.Context, run string, seq int64, decision decisions.Decision, id, who, note string) error {
	doing := fmt.Sprintf("settle record %d of run %s", seq, run)
	to, ok := map[decisions.Decision]State{decisions.Exists: Accepted, decisions.Absent: Failed, decisions.Leave: InDoubt}[decision]
	switch {
	case !ok:
		return fmt.Errorf("%s: %q is not a valid decision: use %s, %s or %s", doing, decision, decisions.Exists, decisions.Absent, decisions.Leave)
	case who == "":
		return fmt.Errorf("%s: the name of the person who decides is required", doing)
	case id != "" && decision != decisions.Exists:
		return fmt.Errorf("%s: an id is allowed only with %s", doing, decisions.Exists)
	}
	number, err := l.h.Number(ctx, run)
	if err != nil {
		return l.h.Wrap(doing, err)
	}
	r := resolution{
		named: model.Place{Run: run, Number: number, Seq: seq}, to: to, at: l.w.Now(),
		Decided: decisions.Decided{Decision: decision, ServiceID: id, Who: who, Note: note},
	}
	return l.h.Wrap(doing, l.do(ctx, false, r.apply))
}

// resolution is a decision on its way into the ledger.
type resolution struct {
	Decided
	named model.Place
	to    State
	at    time.Time
}

func (r resolution) apply(tx *transaction) error {
	state, _, err := tx.Standing(r.named)
	if err != nil {
		return err
	}
	if state == Accepted && r.ServiceID != "" {
		if named, err := r.identify(tx); named || err != nil {
			return err
		}
	}
	if state != InDoubt {
		return &handle.TransitionError{Run: r.named.Run, Seq: r.named.Seq, From: state, To: r.to}
	}
	if err := decisions.Decide(tx.Tx, r.named, string(r.Decision), r.ServiceID, r.Who, r.Note, r.at); err != nil {
		return err
	}
	if r.Decision == decisions.Leave {
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
	return tx.release(r.named, r.at)
}

// identify adds the id of an accepted record to what is known of its key and reports whether it did. It does so only if
// no id is known and nothing has been accepted since.
func (r resolution) identify(tx *transaction) (named bool, err error) {
	of := model.Identity{ServiceID: r.ServiceID}
	named, err = store.Found(tx.One(`update known set service_id = $3, accepted_at = $4 where service_id = '' and run_no = $1
		and (scope, key) = (select n.scope, n.key from records n where n.run_no = $1 and n.seq = $2) returning scope, key`,
		[]any{r.named.Number, r.named.Seq, store.Plain(r.ServiceID), r.at.UnixMicro()}, &of.Scope, &of.Key))
	if err != nil || !named {
		return named, err
	}
	of.Key = store.KeyOf(of.Key)
	if err := decisions.Decide(tx.Tx, r.named, string(r.Decision), r.ServiceID, r.Who, r.Note, r.at); err != nil {
		return true, err
	}
	return true, tx.NoteAll(r.named.Number, func() { evidence.NoteNamed(tx.Tx, r.named.Number, of, r.at.UnixMicro()) })
}

// sentDoubt returns the request that the doubt about a record is about: its own, or that of another record with its
// key. It returns nil if the doubt has been settled meanwhile.
func (tx *transaction) sentDoubt(p model.Place) (*model.Place, error) {
	var found model.Place
	err := tx.One(`select u.id, d.run_no, d.seq from records r join records d on d.scope = r.scope and d.key = r.key
		join runs u on u.number = d.run_no
		where r.run_no = $1 and r.seq = $2 and d.state in ('sending', 'in_doubt') and d.sent_at is not null and d.state = 'in_doubt'`,
		[]any{p.Number, p.Seq}, &found.Run, &found.Number, &found.Seq)
	if there, err := store.Found(err); !there {
		return nil, err
	}
	return &found, nil
}

// settle writes the outcome of the request that was sent.
func (r resolution) settle(tx *transaction, p model.Place) error {
	said := "it is in the service"
	if r.Decision == decisions.Absent {
		said = "it is not in the service"
	}
	message := fmt.Sprintf("%s said on %s that %s", r.Who, r.at.UTC().Format("2006-01-02 15:04 MST"), said)
	if _, err := tx.Exec(`update records set state = $3, message = $4, settled_at = $5,
		service_id = case when cast($6 as text) = '' then service_id else cast($6 as text) end
		where run_no = $1 and seq = $2 and state = 'in_doubt'`,
		p.Number, p.Seq, string(r.to), store.Plain(message), r.at.UnixMicro(), store.Plain(r.ServiceID)); err != nil {
		return err
	}
	evidence.NoteResolved(tx.Tx, p.Number, p.Seq, r.to, r.at.UnixMicro(), store.Plain(message), store.Plain(r.ServiceID))
	o := settled{Place: p, Outcome: Outcome{State: r.to, ServiceID: r.ServiceID, At: r.at}}
	if err := tx.One(`select entries from records where run_no = $1 and seq = $2`, []any{p.Number, p.Seq}, store.JSON(&o.Entries)); err != nil {
		return err
	}
	steps, err := tx.remember([]settled{o})
	if err == nil {
		_, err = tx.Together(steps...)
	}
	return err
}

// DoubtSettled is the message of a record that was never sent itself and waited for a doubt that has been settled.
const DoubtSettled = "an earlier record with this key was in doubt and has been settled; the next run decides again"

// release frees the records that were never sent themselves and only waited for the doubt about their key, which is
// that of the given record. A record equal to what the service is now known to hold becomes unchanged.
func (tx *transaction) release(of model.Place, at time.Time) error {
	type let struct {
		model.Place
		to      State
		message string
	}
	released, err := store.All(tx.Query, store.Into(func(r *let) []any { return []any{&r.Number, &r.Seq, &r.to, &r.message} }), `with held as (select r.run_no, r.seq, exists (select 1 from known k where k.scope = r.scope and k.key = r.key and k.digest = r.digest) as same from records r
			where r.state = 'in_doubt' and r.sent_at is null and (r.key <> '' or (r.run_no = $1 and r.seq = $2))
				and (r.scope, r.key) = (select n.scope, n.key from records n where n.run_no = $1 and n.seq = $2))
		update records set state = case when held.same then 'unchanged' else 'failed' end, settled_at = $3, message = case when held.same then '' else $4 end
		from held where records.run_no = held.run_no and records.seq = held.seq returning records.run_no, records.seq, records.state, records.message`,
		of.Number, of.Seq, at.UnixMicro(), DoubtSettled)
	for _, r := range released {
		if err == nil {
			err = tx.NoteAll(r.Number, func() { evidence.NoteResolved(tx.Tx, r.Number, r.Seq, r.to, at.UnixMicro(), r.message, "") })
		}
	}
	return err
}
