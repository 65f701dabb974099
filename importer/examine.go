package importer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/stop"
)

// consent is what lets a run through its guards.
type consent struct {
	// who has seen the guards that stopped the last run, and takes it on them; "" for nobody.
	who string
	// stopped is the run that was looked at, "" for the newest one that its guards stopped.
	stopped string
	// approved says that somebody approved the very plan that is carried out.
	approved bool
	// adopting says that nothing is sent: what the service lists is taken over.
	adopting bool
	// cut is a run of the same input that was let through and then cut off; nil for none.
	cut *ledger.Run
}

// lastExport is the last finished run of the job that read an export with rows in it; nil when there is none yet, so that
// there is nothing to compare with. A run that was stopped is no measure, as nobody knows whether its export was good; nor
// is an empty export that was let through, or the night after it would be a first one.
func (i *Importer) lastExport(ctx context.Context, run *ledger.Run) (*base, error) {
	runs, err := i.Ledger.Runs(ctx, ledger.RunFilter{
		Job: run.Job, Scope: run.Scope, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Finished}, Exports: true, Limit: mostEmptyNights,
	})
	for _, earlier := range runs {
		if earlier.Export.Rows > 0 {
			return &base{Run: earlier}, err
		}
	}
	return nil, err
}

// endedBefore tells whether most of the last text files that the job's runs read ended with a line break.
func (i *Importer) endedBefore(ctx context.Context, run *ledger.Run) (bool, error) {
	runs, err := i.Ledger.Runs(ctx, ledger.RunFilter{Job: run.Job, Scope: run.Scope, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Finished}, Limit: endedRuns})
	return ledger.FilesEnd(runs), err
}

// endedRuns is how many runs are looked through for text files.
const endedRuns = 10

// mostEmptyNights is how many runs are looked through for one that had rows.
const mostEmptyNights = 50

// takeStock writes down what the export is like as a whole, and compares its keys with those of the last one.
func (p *planner) takeStock(ctx context.Context, job Job, seen profile, last *base) error {
	days, shifted := p.drift.commonest()
	export := &ledger.Export{
		Rows: seen.rows, Records: p.drift.records, Stale: p.drift.stale, Rejected: p.drift.rejected, Waiting: p.drift.waiting, Keyless: p.drift.keyless,
		Keys: p.drift.sum(), Shift: days, Shifted: shifted, Swapped: p.drift.swapped, Written: oldestFile(job.Inputs), Columns: seen.columns,
	}
	if last != nil {
		export.Base = last.ID
		if err := p.vanish(ctx, *last, export); err != nil {
			return err
		}
	}
	export.ToSend = p.to
	p.run.Export = export
	return nil
}

// examine asks the guards about a run whose plan is whole. What fires is kept with the run.
func (i *Importer) examine(ctx context.Context, job Job, run *ledger.Run) error {
	if run.Export == nil || run.Export.Base == "" {
		return nil
	}
	last, err := i.lastExport(ctx, run)
	if err != nil || last == nil {
		return err
	}
	if run.Export.ToSend+run.Export.Waiting > 0 {
		if last.unsent, err = i.unsent(ctx, last.ID); err != nil {
			return err
		}
	}
	run.Guards = job.Guards.fire(*run, *last, run.Started)
	return nil
}

// unsent counts the records of a run that were to be sent and did not end in a yes.
func (i *Importer) unsent(ctx context.Context, run string) (int, error) {
	counts, err := i.Ledger.Tally(ctx, run)
	n := 0
	for _, count := range counts {
		if count.Action != ledger.None && count.State != ledger.Accepted && count.State != ledger.InDoubt {
			n += count.N
		}
	}
	return n, err
}

// pass decides whether a run that fired guards may go on, and writes down on whose word.
func (i *Importer) pass(ctx context.Context, run *ledger.Run, c consent) (bool, error) {
	switch {
	case len(run.Guards) == 0:
		return true, nil
	case c.approved:
		run.Passed = &ledger.Passed{By: "whoever approved the plan", At: i.now()}
		return true, nil
	case c.cut != nil && covers(c.cut.Guards, run.Guards):
		run.Passed = c.cut.Passed
		return true, nil
	case c.who == "":
		return false, nil
	}
	stopped, err := i.stoppedByGuard(ctx, run)
	if err != nil || stopped == nil || c.stopped != "" && stopped.ID != c.stopped || stopped.Fingerprint != run.Fingerprint || !slices.Equal(stopped.Guards, run.Guards) {
		return false, err
	}
	run.Passed = &ledger.Passed{By: c.who, At: i.now(), Run: stopped.ID}
	return true, nil
}

// covers tells whether all guards that fired now had fired before. What they count may be less, as a part has been sent.
func covers(before, now []ledger.Guard) bool {
	for _, g := range now {
		if !slices.ContainsFunc(before, func(b ledger.Guard) bool { return b.Name == g.Name && b.Column == g.Column }) {
			return false
		}
	}
	return true
}

// stoppedByGuard is the newest run of the job that its guards stopped, nil for none.
func (i *Importer) stoppedByGuard(ctx context.Context, run *ledger.Run) (*ledger.Run, error) {
	runs, err := i.Ledger.Runs(ctx, ledger.RunFilter{
		Job: run.Job, Scope: run.Scope, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Stopped}, Exports: true, Limit: mostEmptyNights,
	})
	for _, earlier := range runs {
		if earlier.StopCode == stop.Guard {
			return &earlier, err
		}
	}
	return nil, err
}

// stopByGuard ends a run that may not go on. Its records are held for good: the next run plans anew.
func (i *Importer) stopByGuard(ctx context.Context, run *ledger.Run, c consent) error {
	if _, err := i.Ledger.Hold(ctx, run.ID); err != nil {
		return err
	}
	said := make([]string, len(run.Guards))
	for n, guard := range run.Guards {
		said[n] = guard.Message
	}
	advice := "if it is right, let it through with: docketsync run %s --accept-guard"
	if c.who != "" {
		advice = "this is not what stopped the job before, so it was not let through; if it is right, say once more: docketsync run %s --accept-guard"
	}
	why := fmt.Sprintf("%s; nothing was sent. Look at the export; "+advice, strings.Join(said, "; "), run.Job)
	return i.end(ctx, run, ledger.Stopped, stop.Guard, why)
}
