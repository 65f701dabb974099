package ledger

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"docketsync/importer/ledger/store"
	"docketsync/importer/ledger/unchanged"
)

// Unremarkable tells whether package unchanged keeps all of a record that is worth keeping: it is unchanged, and there is nothing
// more to say of it.
func (r *Record) Unremarkable() bool {
	return r.State == Unchanged && r.Action == None && !r.Repeatable && r.Key != "" && len(r.Rows) > 0 && r.Status == 0 && r.Message == "" && r.Attempts == 0 &&
		r.Settled.IsZero() && len(r.Payload)+len(r.Body)+len(r.Previous)+len(r.Reasons)+len(r.Notes) == 0 &&
		!slices.ContainsFunc(r.Rows, func(row Row) bool { return len(row.Cells) > 0 })
}

// UnchangedWriter returns what writes the unremarkable records of a run that has begun. Unlike Add it does not find a key that the
// run has already: whoever plans does, and calls Unite. As with Add, what it writes may be lost until SaveRun has returned.
func (l *Ledger) UnchangedWriter(ctx context.Context, run Run) (*unchanged.Writer, error) {
	number, err := l.number(ctx, run.ID)
	if err != nil {
		return nil, l.wrap("write unchanged records", err)
	}
	return unchanged.NewWriter(l.store, number, run.Scope), nil
}

// UnchangedRecords yields the unremarkable records of a run, in order. It costs far less than Records. Those that a ledger kept as
// records, as all did once, are not among them.
func (l *Reader) UnchangedRecords(ctx context.Context, run string) iter.Seq2[unchanged.Record, error] {
	return func(yield func(unchanged.Record, error) bool) {
		number, err := l.number(ctx, run)
		if err != nil {
			yield(unchanged.Record{}, l.wrap("read records", err))
			return
		}
		for r, err := range unchanged.Records(ctx, l.read, number, 0) {
			if !yield(r, l.wrap("read records", err)) || err != nil {
				return
			}
		}
	}
}

// asRecord is an unremarkable record as any other.
func asRecord(u unchanged.Record, run, scope string) Record {
	r := Record{Run: run, Seq: u.Seq, Scope: scope, Key: u.Key, Action: actionOf(u), State: stateOf(u), Digest: u.Digest(), ServiceID: u.ServiceID()}
	for source, number := range u.Places() {
		r.Rows = append(r.Rows, Row{Source: source, Number: number})
	}
	return r
}

// actionOf and stateOf are those of an unremarkable record: it is unchanged, or one of a check that is in order.
func actionOf(u unchanged.Record) Action {
	if u.Action == "" {
		return None
	}
	return Action(u.Action)
}

func stateOf(u unchanged.Record) State {
	if u.Action == "" {
		return Unchanged
	}
	return Planned
}

// withUnchanged tells whether a filter asks for unremarkable records too.
func (f RecordFilter) withUnchanged() bool {
	return !f.Remarkable && (len(f.States) == 0 || slices.Contains(f.States, Unchanged)) && (len(f.Actions) == 0 || slices.Contains(f.Actions, None))
}

// allRecords yields the records of a run that have rows of their own, and the unremarkable ones between them, in order.
func (l *Reader) allRecords(ctx context.Context, run string, number int64, f RecordFilter, yield func(Record, error) bool) {
	scope, err := l.scopeOf(ctx, number)
	if err != nil {
		yield(Record{}, l.wrap("read records", err))
		return
	}
	next, stop := iter.Pull2(l.keptRecords(ctx, run, number, f))
	defer stop()
	kept, err, more := next()
	left := f.Limit
	give := func(r Record, err error) bool {
		ok := yield(r, err) && err == nil
		left--
		return ok && (f.Limit == 0 || left > 0)
	}
	for u, failed := range unchanged.Records(ctx, l.read, number, f.After) {
		if failed != nil {
			yield(Record{}, l.wrap("read records", failed))
			return
		}
		for more && (err != nil || kept.Seq < u.Seq) {
			if !give(kept, err) {
				return
			}
			kept, err, more = next()
		}
		if len(f.States) > 0 && u.Action != "" {
			continue // no list is kept of what a check found in order
		}
		if !give(asRecord(u, run, scope), nil) {
			return
		}
	}
	for more && give(kept, err) {
		kept, err, more = next()
	}
}

// unchangedOf are records of a run that find finds among its unremarkable ones; none of a run that is not there.
func (l *Reader) unchangedOf(ctx context.Context, run string, find func(number int64) ([]unchanged.Record, error)) ([]Record, error) {
	number, err := l.number(ctx, run)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	scope, err := l.scopeOf(ctx, number)
	if err != nil {
		return nil, err
	}
	found, err := find(number)
	var list []Record
	for _, u := range found {
		list = append(list, asRecord(u, run, scope))
	}
	return list, err
}

func (l *Reader) unchangedAt(ctx context.Context, run string, seqs []int64) ([]Record, error) {
	return l.unchangedOf(ctx, run, func(number int64) ([]unchanged.Record, error) {
		return unchanged.At(ctx, l.read, number, seqs)
	})
}

func (l *Reader) unchangedByKey(ctx context.Context, run, key string) ([]Record, error) {
	return l.unchangedOf(ctx, run, func(number int64) ([]unchanged.Record, error) {
		return unchanged.ByKey(ctx, l.read, number, key)
	})
}

// withUnchangedHistory puts the unremarkable records of a scope and key among its others, newest run first, at most limit.
func (l *Reader) withUnchangedHistory(ctx context.Context, list []Record, scope, key string, limit int) ([]Record, error) {
	most := limit
	if l.only != nil {
		most = 0 // the newest may be of other jobs
	}
	sightings, err := unchanged.History(ctx, l.read, scope, key, most)
	if err != nil {
		return nil, err
	}
	numbers := map[string]int64{}
	for _, s := range sightings {
		id, err := l.name(ctx, s.Run)
		if err != nil {
			return nil, err
		}
		if !l.seenRun(ctx, id) {
			continue
		}
		list = append(list, asRecord(s.Record, id, scope))
		numbers[id] = s.Run
	}
	for _, r := range list {
		if numbers[r.Run], err = l.number(ctx, r.Run); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b Record) int { return cmp.Compare(numbers[b.Run], numbers[a.Run]) })
	if limit > 0 {
		list = list[:min(limit, len(list))]
	}
	return list, nil
}

// removeUnchanged removes the unremarkable records of a run, in parts.
func (l *Ledger) removeUnchanged(ctx context.Context, run int64) error {
	for left := true; left; {
		err := l.store.Do(ctx, true, func(tx *store.Tx) (err error) {
			_, left, err = unchanged.Remove(tx, run)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
