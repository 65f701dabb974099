package corrected

import (
	"context"
	"fmt"
	"slices"

	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
)

// Former is what earlier runs rejected: by key, and by the mark that a row of rejects.xlsx carries. A record that goes in now
// and is among them was corrected in between.
//
// By key, what counts is how things stood before this run: the last run of a whole export, and the runs of corrected rows since.
// A mark says by itself which record of which run it was, so that a key that was wrong, or missing, may be corrected too.
type Former struct {
	runs  []ledger.Run
	keys  map[string]formerPlace
	seqs  []map[int64]bool // by run: those that rows with marks are looked for among; nil for a run that no mark names
	tails map[string]int   // the end of a run's id → index into runs
	run   ledger.Run       // the one that is reported on
}

type formerPlace struct {
	run int // index into runs
	seq int64
}

const (
	// mostFormer bounds how many records that were rejected are remembered.
	mostFormer = 200_000
	// formerRuns is how many runs are looked back on for the last whole export.
	formerRuns = 50
)

// Recall finds what was rejected before a run.
func Recall(ctx context.Context, led *ledger.Reader, run ledger.Run) (Former, error) {
	f := Former{run: run, keys: map[string]formerPlace{}, tails: map[string]int{}}
	earlier, err := led.Runs(ctx, ledger.RunFilter{Job: run.Job, Before: run.Started, Limit: formerRuns})
	if err != nil {
		return f, fmt.Errorf("list the earlier runs of job %s: %w", run.Job, err)
	}
	earlier = slices.DeleteFunc(earlier, func(r ledger.Run) bool { return r.Scope != run.Scope })
	if err := f.recallKeys(ctx, led, before(run, earlier)); err != nil {
		return f, err
	}
	return f, f.recallMarks(ctx, led, run, earlier)
}

// before are the runs whose rejects this one is compared with by key, oldest first, out of those that came before it, newest
// first. A run that sends is compared with those that sent, if there are any; a plan or a check with the last run of any kind.
func before(run ledger.Run, earlier []ledger.Run) []ledger.Run {
	var chosen []ledger.Run
	if run.Kind == ledger.Push {
		for _, r := range earlier {
			if r.Kind != ledger.Push || r.Ended.IsZero() {
				continue
			}
			chosen = append(chosen, r)
			if r.Export != nil {
				break
			}
		}
	}
	if len(chosen) == 0 && len(earlier) > 0 {
		chosen = earlier[:1]
	}
	chosen = slices.Clone(chosen)
	slices.Reverse(chosen)
	return chosen
}

func (f *Former) recallKeys(ctx context.Context, led *ledger.Reader, runs []ledger.Run) error {
	for n, run := range runs {
		at := f.remember(run)
		states := []ledger.State{ledger.Rejected, ledger.Refused}
		if n > 0 {
			states = append(states, ledger.Accepted) // went in meanwhile, so that it is not corrected by what came later
		}
		for r, err := range led.Records(ctx, run.ID, ledger.RecordFilter{States: states}) {
			switch {
			case err != nil:
				return fmt.Errorf("read the rejects of run %s: %w", run.ID, err)
			case r.State == ledger.Accepted:
				delete(f.keys, r.Key)
			case r.Key != "" && len(f.keys) < mostFormer:
				f.keys[r.Key] = formerPlace{at, r.Seq}
			}
		}
	}
	return nil
}

// remember gives a run its place among those that are known.
func (f *Former) remember(run ledger.Run) int {
	if at, ok := f.tails[wording.Tail(run.ID)]; ok {
		return at
	}
	f.runs, f.seqs = append(f.runs, run), append(f.seqs, nil)
	f.tails[wording.Tail(run.ID)] = len(f.runs) - 1
	return len(f.runs) - 1
}

// recallMarks reads what was rejected in the runs that marks of this run's rows name. Only the rows of a workbook of rejects have
// any.
func (f *Former) recallMarks(ctx context.Context, led *ledger.Reader, run ledger.Run, earlier []ledger.Run) error {
	if !slices.ContainsFunc(run.Sources, func(s ledger.Source) bool { return markColumn(s) >= 0 }) {
		return nil
	}
	named, err := f.named(ctx, led, run)
	if err != nil {
		return err
	}
	for _, r := range earlier {
		if !named[wording.Tail(r.ID)] {
			continue
		}
		seqs := map[int64]bool{}
		for rejected, err := range led.Records(ctx, r.ID, ledger.RecordFilter{States: []ledger.State{ledger.Rejected, ledger.Refused}}) {
			if err != nil {
				return fmt.Errorf("read the rejects of run %s: %w", r.ID, err)
			}
			if len(seqs) < mostFormer {
				seqs[rejected.Seq] = true
			}
		}
		f.seqs[f.remember(r)] = seqs
	}
	return nil
}

// named are the ends of the ids of the runs that marks name.
func (f *Former) named(ctx context.Context, led *ledger.Reader, run ledger.Run) (map[string]bool, error) {
	tails := map[string]bool{}
	for r, err := range led.Records(ctx, run.ID, ledger.RecordFilter{}) {
		if err != nil {
			return nil, fmt.Errorf("read the records of run %s: %w", run.ID, err)
		}
		for _, row := range r.Rows {
			if m, ok := MarkOf(run, row); ok && len(tails) < formerRuns {
				tails[m.Run] = true
			}
		}
	}
	return tails, nil
}

// Of is the record that was rejected before, and that this one is now.
func (f *Former) Of(r ledger.Record) (place formerPlace, ok bool) {
	for _, row := range r.Rows {
		if m, ok := MarkOf(f.run, row); ok {
			if at, known := f.tails[m.Run]; known && f.seqs[at][m.Seq] {
				return formerPlace{at, m.Seq}, true
			}
		}
	}
	place, ok = f.keys[r.Key]
	return place, ok && r.Key != ""
}
