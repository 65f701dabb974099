package history

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/unchanged"
)

// UnchangedRecords yields the unremarkable records of a run, in order. It costs far less than Records. It does not
// yield those that an old ledger stored as ordinary records.
func (l *Reader) UnchangedRecords(ctx context.Context, run string) iter.Seq2[unchanged.Record, error] {
	return func(yield func(unchanged.Record, error) bool) {
		number, err := l.h.Number(ctx, run)
		if err != nil {
			yield(unchanged.Record{}, l.h.Wrap("read records", err))
			return
		}
		for r, err := range unchanged.Records(ctx, l.h.Read, number, 0) {
			if !yield(r, l.h.Wrap("read records", err)) || err != nil {
				return
			}
		}
	}
}

// asRecord converts an unremarkable record.
func asRecord(u unchanged.Record, run, scope string) model.Record {
	r := model.Record{Run: run, Seq: u.Seq, Scope: scope, Key: u.Key, Action: ActionOf(u), State: StateOf(u), Digest: u.Digest(), ServiceID: u.ServiceID()}
	for source, number := range u.Places() {
		r.Rows = append(r.Rows, model.Row{Source: source, Number: number})
	}
	return r
}

// ActionOf returns the action of such a record: the one that a check found in order, or none.
func ActionOf(u unchanged.Record) model.Action {
	if u.Action == "" {
		return model.None
	}
	return model.Action(u.Action)
}

// StateOf returns the state of such a record: planned if a check found it in order, otherwise unchanged.
func StateOf(u unchanged.Record) model.State {
	if u.Action == "" {
		return model.Unchanged
	}
	return model.Planned
}

// withUnchanged reports whether a filter asks for unremarkable records too.
func withUnchanged(f *model.RecordFilter) bool {
	return !f.Remarkable && (len(f.States) == 0 || slices.Contains(f.States, model.Unchanged)) && (len(f.Actions) == 0 || slices.Contains(f.Actions, model.None))
}

// allRecords yields all records of a run in order: those with rows of their own, and the unremarkable ones between
// them.
func (l *Reader) allRecords(ctx context.Context, run string, number int64, f model.RecordFilter, yield func(model.Record, error) bool) {
	scope, err := l.h.ScopeOf(ctx, number)
	if err != nil {
		yield(model.Record{}, l.h.Wrap("read records", err))
		return
	}
	unremarkable := func(yield func(model.Record, error) bool) {
		for u, err := range unchanged.Records(ctx, l.h.Read, number, f.After) {
			if err == nil && len(f.States) > 0 && u.Action != "" {
				continue // what a check found in order is not listed
			}
			r := model.Record{}
			if err == nil {
				r = asRecord(u, run, scope)
			}
			if !yield(r, l.h.Wrap("read records", err)) || err != nil {
				return
			}
		}
	}
	left := f.Limit
	for r, err := range merged(l.keptRecords(ctx, run, number, f), unremarkable, func(a, b model.Record) bool { return a.Seq < b.Seq }) {
		if left--; !yield(r, err) || err != nil || left == 0 {
			return
		}
	}
}

// unchangedOf returns the records that find finds among the unremarkable ones of a run, or none if the run does not
// exist.
func (l *Reader) unchangedOf(ctx context.Context, run string, find func(number int64) ([]unchanged.Record, error)) ([]model.Record, error) {
	number, err := l.h.Number(ctx, run)
	if errors.Is(err, handle.ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	scope, err := l.h.ScopeOf(ctx, number)
	if err != nil {
		return nil, err
	}
	found, err := find(number)
	var list []model.Record
	for _, u := range found {
		list = append(list, asRecord(u, run, scope))
	}
	return list, err
}

func (l *Reader) unchangedAt(ctx context.Context, run string, seqs []int64) ([]model.Record, error) {
	return l.unchangedOf(ctx, run, func(number int64) ([]unchanged.Record, error) {
		return unchanged.At(ctx, l.h.Read, number, seqs)
	})
}

// withUnchangedHistory adds the unremarkable records of a scope and key to its others, newest run first, at most limit.
func (l *Reader) withUnchangedHistory(ctx context.Context, list []model.Record, scope, key string, limit int) ([]model.Record, error) {
	most := limit
	if l.h.Only != nil {
		most = 0 // the newest may be of other jobs
	}
	sightings, err := unchanged.History(ctx, l.h.Read, scope, key, most)
	if err != nil {
		return nil, err
	}
	numbers := map[string]int64{}
	for _, s := range sightings {
		id, err := l.h.Name(ctx, s.Run)
		if err != nil {
			return nil, err
		}
		if !l.h.SeenRun(ctx, id) {
			continue
		}
		list = append(list, asRecord(s.Record, id, scope))
		numbers[id] = s.Run
	}
	for _, r := range list {
		if numbers[r.Run], err = l.h.Number(ctx, r.Run); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b model.Record) int { return cmp.Compare(numbers[b.Run], numbers[a.Run]) })
	if limit > 0 {
		list = list[:min(limit, len(list))]
	}
	return list, nil
}
