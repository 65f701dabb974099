package ledger

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// follows reports whether an intent or an outcome may take a record from one state to another. The statements of
// settle.go enforce the same.
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

// leaveOutImpossible answers the calls of a group that ask for what is not possible, and returns the others. It judges
// calls in the order of the group, each as if those before it had been done. It answers none before all are judged,
// because after an error the whole group is tried again.
func (tx *transaction) leaveOutImpossible(group []*commit) ([]*commit, error) {
	v := view{tx: tx, states: map[model.Place]State{}, sent: map[model.ScopedKey]model.Place{}}
	var rest []*commit
	answers := map[*commit]error{}
	for _, c := range group {
		after, err := v.with(c)
		switch {
		case errors.Is(err, handle.ErrRefused):
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

// view is the state of the ledger after some calls: the states of the records they named, and the keys of which they
// sent a record.
type view struct {
	tx     *transaction
	states map[model.Place]State
	sent   map[model.ScopedKey]model.Place
}

// with returns the view after one more call, or an error marked with handle.ErrRefused if the call asks for what is not
// possible.
func (v view) with(c *commit) (view, error) {
	v.states, v.sent = maps.Clone(v.states), maps.Clone(v.sent)
	for _, o := range c.outcomes {
		if o.sent != 0 {
			if err := v.sentAlone(o.Place); err != nil {
				return v, err
			}
		}
		if _, err := v.step(o.Place, o.State); err != nil {
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

// sentAlone takes a record that was sent without an intent to sending. Only a repeatable record may be.
func (v view) sentAlone(p model.Place) error {
	if _, err := v.step(p, Sending); err != nil {
		return err
	}
	var repeatable bool
	err := v.tx.One(`select repeatable from records where run_no = $1 and seq = $2`, []any{p.Number, p.Seq}, &repeatable)
	if err == nil && !repeatable {
		err = handle.Refuse(fmt.Errorf("run %s, record %d: it is not safe to repeat, so it needs an intent before it is sent", p.Run, p.Seq))
	}
	return err
}

// step takes a record from its state to another.
func (v view) step(p model.Place, to State) (model.ScopedKey, error) {
	from, of, err := v.tx.Standing(p)
	if err != nil {
		return of, err
	}
	if seen, ok := v.states[p]; ok {
		from = seen
	}
	if !follows(from, to) {
		return of, handle.Refuse(&handle.TransitionError{Run: p.Run, Seq: p.Seq, From: from, To: to})
	}
	v.states[p] = to
	return of, nil
}

// undoubted makes sure that a record has a key, and that the service cannot have acted on another record of that key.
func (v view) undoubted(p model.Place, of model.ScopedKey) error {
	if of.Key == "" {
		return handle.Refuse(fmt.Errorf("run %s, record %d: it has no key, so it would not be known again; it cannot be sent", p.Run, p.Seq))
	}
	if other, ok := v.sent[of]; ok {
		return handle.Refuse(&handle.DoubtError{Run: p.Run, Seq: p.Seq, Doubt: Doubt{Run: other.Run, Seq: other.Seq}})
	}
	var other model.Place
	d := Doubt{}
	err := v.tx.One(`select u.id, d.run_no, d.seq, d.digest, d.sent_at from records d join runs u on u.number = d.run_no
		where d.scope = $1 and d.key = $2 and d.state in ('sending', 'in_doubt') and d.sent_at is not null`,
		[]any{of.Scope, of.Key}, &d.Run, &other.Number, &d.Seq, &d.Digest, (*store.Time)(&d.At))
	if there, err := store.Found(err); !there {
		return err
	}
	other.Run, other.Seq = d.Run, d.Seq
	if now, ok := v.states[other]; ok && now != InDoubt {
		return nil // an earlier outcome of this view settles that doubt
	}
	return handle.Refuse(&handle.DoubtError{Run: p.Run, Seq: p.Seq, Doubt: d})
}
