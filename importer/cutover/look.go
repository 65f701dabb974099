package cutover

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"docketsync/importer/guard"
	"docketsync/importer/ledger"
	"docketsync/importer/stop"
)

// Look returns where a job stands. plan is a plan of its present export.
func Look(ctx context.Context, book *ledger.Reader, plan ledger.Run) (Standing, error) {
	runs, err := ranOf(ctx, book, plan.Job)
	if err != nil {
		return Standing{}, err
	}
	now, err := deltaOf(ctx, book, plan)
	return Of(plan.Job, runs, now), err
}

// ranOf returns the runs of a job's whole export that Of needs, newest first: one after the last finished run, that
// run, and those from the first run on up to one that sent something. A finished run of a part of the export is not a
// phase.
func ranOf(ctx context.Context, book *ledger.Reader, job string) ([]Ran, error) {
	runs, err := book.Runs(ctx, ledger.RunFilter{Job: job, Kinds: []ledger.Kind{ledger.Push}})
	if err != nil {
		return nil, err
	}
	var newest, oldest []Ran
	last := len(runs)
	for n, run := range runs {
		whole := run.Phase == ledger.Finished && run.Export != nil
		if !whole && (run.Phase == ledger.Finished || len(newest) > 0) {
			continue
		}
		ran, err := ranAs(ctx, book, run)
		if err != nil {
			return nil, err
		}
		if newest = append(newest, ran); whole {
			last = n
			break
		}
	}
	for n := len(runs) - 1; n > last; n-- {
		if runs[n].Phase != ledger.Finished || runs[n].Export == nil {
			continue
		}
		ran, err := ranAs(ctx, book, runs[n])
		if err != nil {
			return nil, err
		}
		if oldest = append(oldest, ran); !ran.empty() {
			break
		}
	}
	slices.Reverse(oldest)
	return append(newest, oldest...), nil
}

func ranAs(ctx context.Context, book *ledger.Reader, run ledger.Run) (Ran, error) {
	ran := Ran{Run: run.Name, Phase: run.Phase, Stop: run.Stop, Started: run.Started, Ended: run.Ended}
	counts, err := book.Tally(ctx, run.ID)
	for _, c := range counts {
		switch {
		case c.State == ledger.Unchanged:
		case c.State == ledger.Rejected:
			ran.Rejected += c.N
		case c.State != ledger.Accepted:
			ran.Left += c.N
		case c.Action == ledger.Create:
			ran.Created += c.N
		default:
			ran.Updated += c.N
		}
	}
	return ran, err
}

func deltaOf(ctx context.Context, book *ledger.Reader, plan ledger.Run) (d Delta, err error) {
	counts, err := book.Tally(ctx, plan.ID)
	if err != nil {
		return d, err
	}
	for _, c := range counts {
		d.Records += c.N
		switch {
		case c.State == ledger.Unchanged:
			d.Held += c.N
		case c.State == ledger.InDoubt:
			d.InDoubt += c.N
		case c.State == ledger.Rejected:
			d.Rejected += c.N
		case c.State == ledger.Planned && c.Action == ledger.Create:
			d.Creates += c.N
		case c.State == ledger.Planned:
			d.Updates += c.N
		}
	}
	for _, g := range plan.Guards {
		d.Guards = append(d.Guards, g.Message)
	}
	if plan.Export != nil {
		d.Vanished = plan.Export.Vanished
	}
	acknowledged, err := book.AcknowledgedIn(ctx, plan)
	for _, a := range acknowledged {
		if a.Any() {
			d.Stale--
		} else {
			d.Acknowledged++
		}
	}
	return d, errors.Join(err, d.doubts(ctx, book, plan), d.conflicts(ctx, book, plan), d.differing(ctx, book, plan), d.dropped(ctx, book, plan))
}

// dropped counts what replaced runs held and no run has had since. It stops at a run that lacks records and that a
// person has let through.
func (d *Delta) dropped(ctx context.Context, book *ledger.Reader, plan ledger.Run) error {
	runs, err := book.Runs(ctx, ledger.RunFilter{Job: plan.Job, Scope: plan.Scope, Kinds: []ledger.Kind{ledger.Push}, Exports: true})
	for _, run := range runs {
		if run.StopCode == stop.Superseded {
			n, err := book.Dropped(ctx, run.ID, plan.ID)
			if err != nil {
				return err
			}
			if d.Dropped += n; n > 0 {
				d.DroppedBy = cmp.Or(d.DroppedBy, run.Name)
			}
		}
		if run.Passed != nil && slices.ContainsFunc(run.Guards, func(g ledger.Guard) bool { return g.Name == guard.RowsFell || g.Name == guard.Vanished }) {
			break
		}
	}
	return err
}

// doubts adds what earlier runs left in doubt and the export no longer has.
func (d *Delta) doubts(ctx context.Context, book *ledger.Reader, plan ledger.Run) error {
	list, err := book.Doubts(ctx, "")
	for _, r := range list {
		if r.Scope != plan.Scope {
			continue
		}
		if _, missing := book.RecordByKey(ctx, plan.ID, r.Key); errors.Is(missing, ledger.ErrNotFound) {
			d.InDoubt++
		} else if missing != nil {
			return missing
		}
	}
	return err
}

// conflicts separates the planned updates that a person has to decide about first.
func (d *Delta) conflicts(ctx context.Context, book *ledger.Reader, plan ledger.Run) error {
	open, err := book.OpenConflicts(ctx, "")
	for _, c := range open {
		if c.Scope != plan.Scope {
			continue
		}
		r, err := book.RecordByKey(ctx, plan.ID, c.Key)
		if err == nil && r.State == ledger.Planned && r.Action == ledger.Update {
			d.Conflicts++
			d.Updates--
		} else if err != nil && !errors.Is(err, ledger.ErrNotFound) {
			return err
		}
	}
	return err
}

// differing counts the unchanged records that are not in the service as the export has them.
func (d *Delta) differing(ctx context.Context, book *ledger.Reader, plan ledger.Run) error {
	for r, err := range book.Records(ctx, plan.ID, ledger.RecordFilter{States: ledger.Holding, Remarkable: true, Brief: true}) {
		if err != nil {
			return err
		}
		if r.Stale().Any() {
			d.Stale++
		}
	}
	return d.theirs(ctx, book, plan)
}

// theirs counts the unchanged records of which something stays as it is in the service by somebody's decision.
func (d *Delta) theirs(ctx context.Context, book *ledger.Reader, plan ledger.Run) error {
	if some, err := book.HasConflicts(ctx, plan.Scope); err != nil || !some {
		return err
	}
	var keys []string
	count := func() error {
		decided, err := book.Conflicts(ctx, plan.Scope, keys)
		for _, c := range decided {
			if c.Side == ledger.Theirs {
				d.Theirs++
			}
		}
		keys = keys[:0]
		return err
	}
	for r, err := range book.Records(ctx, plan.ID, ledger.RecordFilter{States: []ledger.State{ledger.Unchanged}, Digests: true}) {
		if err != nil {
			return err
		}
		if keys = append(keys, r.Key); len(keys) == atOnce {
			if err := count(); err != nil {
				return err
			}
		}
	}
	return count()
}

// atOnce is how many records are looked up together.
const atOnce = 1000
