package ledger

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"

	"docketsync/importer/ledger/store"
)

// follows tells whether a record in one state may come into another by an intent or an outcome. The statements of
// settle.go say the same.
func follows(from, to State) bool {
	switch {
	case to == Sending:
		return from == Planned
	case from == Sending:
		return slices.Contains(outcomeStates, to)
	case from == Planned:
		return to == Held || to == Failed || to == Rejected
	}
	return false
}

// leaveOutImpossible answers the calls of a group that ask for what cannot be, and returns the others. Calls are judged
// in the order of the group, each as if those before it had been done. None is answered before all are judged: after an error the whole
// group is tried again.
func (tx *transaction) leaveOutImpossible(group []*commit) ([]*commit, error) {
	v := view{tx: tx, states: map[place]State{}, sent: map[name]place{}}
	var rest []*commit
	answers := map[*commit]error{}
	for _, c := range group {
		after, err := v.with(c)
		switch {
		case errors.Is(err, errRefused):
			answers[c] = err
		case err != nil:
			return group, err
		default:
			v = after
			rest = append(rest, c)
		}
	}
	for c, err := range answers {
		c.answer <- err
	}
	return rest, nil
}

// view is how the ledger would stand after some calls: the states of the records they named, and the keys of which
// they sent a record.
type view struct {
	tx     *transaction
	states map[place]State
	sent   map[name]place
}

// with is the view after one more call, or an error marked with errRefused when the call asks for what cannot be.
func (v view) with(c *commit) (view, error) {
	v.states, v.sent = maps.Clone(v.states), maps.Clone(v.sent)
	for _, o := range c.outcomes {
		if o.alone {
			if err := v.sentAlone(o.place); err != nil {
				return v, err
			}
		}
		if _, err := v.step(o.place, o.State); err != nil {
			return v, err
		}
	}
	for _, p := range c.intents {
		of, err := v.step(p, Sending)
		if err != nil {
			return v, err
		}
		if err := v.undoubted(p, of); err != nil {
			return v, err
		}
		v.sent[of] = p
	}
	return v, nil
}

// sentAlone takes a record that was sent without an intent to sending, which only a repeatable one may be.
func (v view) sentAlone(p place) error {
	if _, err := v.step(p, Sending); err != nil {
		return err
	}
	var repeatable bool
	err := v.tx.One(`select repeatable from records where run_no = $1 and seq = $2`, []any{p.number, p.seq}, &repeatable)
	if err == nil && !repeatable {
		err = refused{fmt.Errorf("run %s, record %d: it is not safe to repeat, so it needs an intent before it is sent", p.run, p.seq)}
	}
	return err
}

// step takes a record from its state to another.
func (v view) step(p place, to State) (name, error) {
	from, of, err := v.tx.standing(p)
	if err != nil {
		return of, err
	}
	if seen, ok := v.states[p]; ok {
		from = seen
	}
	if !follows(from, to) {
		return of, refused{&TransitionError{Run: p.run, Seq: p.seq, From: from, To: to}}
	}
	v.states[p] = to
	return of, nil
}

// undoubted makes sure that a record has a key, of which no other record may have been acted on.
func (v view) undoubted(p place, of name) error {
	if of.key == "" {
		return refused{fmt.Errorf("run %s, record %d: it has no key, so it would not be known again; it cannot be sent", p.run, p.seq)}
	}
	if other, ok := v.sent[of]; ok {
		return refused{&DoubtError{Run: p.run, Seq: p.seq, Doubt: Doubt{Run: other.run, Seq: other.seq}}}
	}
	var other place
	d := Doubt{}
	var at int64
	err := v.tx.One(`select u.id, d.run_no, d.seq, d.digest, d.sent_at from records d join runs u on u.number = d.run_no
		where d.scope = $1 and d.key = $2 and d.state in ('sending', 'in_doubt') and d.sent_at is not null`,
		[]any{of.scope, of.key}, &d.Run, &other.number, &d.Seq, &d.Digest, &at)
	if there, err := store.Found(err); !there {
		return err
	}
	other.run, other.seq = d.Run, d.Seq
	if now, ok := v.states[other]; ok && now != InDoubt {
		return nil // an outcome that stands before it settles that one
	}
	d.At = store.TimeOf(&at)
	return refused{&DoubtError{Run: p.run, Seq: p.seq, Doubt: d}}
}

// errRefused marks the errors that concern one call only.
var errRefused = errors.New("refused")

// refused is an error that concerns one call only.
type refused struct{ error }

func (r refused) Is(target error) bool { return target == errRefused }
func (r refused) Unwrap() error        { return r.error }

// standing reads in which state a record is and what it is about, as stored.
func (tx *transaction) standing(p place) (state State, of name, err error) {
	err = tx.One(`select state, scope, key from records where run_no = $1 and seq = $2`, []any{p.number, p.seq}, &state, &of.scope, &of.key)
	if errors.Is(err, sql.ErrNoRows) {
		err = refused{fmt.Errorf("run %s, record %d: %w", p.run, p.seq, ErrNotFound)}
	}
	return state, of, err
}
