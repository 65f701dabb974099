package importer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.uber.org/zap"

	"docketsync/config/diagnostic"
	"docketsync/importer/forecast"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/model"
	"docketsync/importer/plan"
	"docketsync/importer/rows"
	"docketsync/importer/stop"
)

// firstPass plans the job, makes sure that the files it read are the ones that were fingerprinted, and asks the guards.
func (i *Importer) firstPass(ctx context.Context, job Job, run *ledger.Run, digests []string) error {
	var part ledger.Export
	if err := i.plan(ctx, job, run, &part); err != nil {
		return err
	}
	if err := i.applySettled(ctx, job, run); err != nil {
		return err
	}
	if run.Kind == ledger.Push && job.Mapping.Operation().Creates() {
		if err := i.Ledger.CreatesAreNew(ctx, run.ID); err != nil {
			return err
		}
	}
	for n, input := range job.Inputs {
		now, err := fileDigest(input.Path)
		if err != nil {
			return err
		}
		if now != digests[n] {
			return fmt.Errorf("%s: %w", input.Path, errChanged)
		}
		for s := range run.Sources {
			if run.Sources[s].File == input.Path {
				run.Sources[s].SHA256 = now
			}
		}
	}
	if job.Partial {
		return i.examinePart(ctx, job, run, part)
	}
	return i.examine(ctx, job, run)
}

var errChanged = errors.New("the file changed while it was being read; nothing was sent; run the job again")

// plan prepares everything that a plan needs and has it made.
func (i *Importer) plan(ctx context.Context, job Job, run *ledger.Run, part *ledger.Export) error {
	lookups, err := i.Lookups(ctx, job)
	walk := job.walk(lookups)
	if err != nil {
		return beforeReading(ctx, walk, err)
	}
	if walk.Corrected, err = i.Ledger.Corrections(ctx, job.Name); err != nil {
		return err
	}
	walk.Dates = rows.DatesOf(ctx, i.Ledger.Reader, job.Name, run.Scope)
	if walk.Mapping, err = walk.InferDates(ctx); err != nil {
		return err
	}
	order := plan.Order{Book: i.Ledger, Run: run, Policy: job.Policy, Partial: job.Partial, Part: part, Jobs: job.Jobs,
		Notes: job.ListNotes(job.Mapping.Lookups(), run.Started),
		Report: func(rows, records, to int) {
			i.progress(Progress{Job: job.Name, Phase: ledger.Reading, Rows: rows, Records: records, To: to})
		}}
	if !job.Partial {
		if order.Last, err = i.lastExport(ctx, run); err == nil && order.Last == nil {
			order.Former, err = i.formerExports(ctx, job, run)
		}
		if err != nil {
			return err
		}
	}
	ended, err := i.endedBefore(ctx, run, order.Former)
	if err != nil {
		return err
	}
	order.Walk = walk.EndedBefore(ended)
	return order.Make(ctx)
}

// beforeReading adds to the errors in lookups those of the mapping that only the headers of the sources show, so that
// nobody has to correct the first before seeing the second.
func beforeReading(ctx context.Context, w rows.Walk, err error) error {
	var faults diagnostic.Faults
	if !errors.As(err, &faults) {
		return err
	}
	return slices.Concat(w.Unbound(ctx), faults)
}

// lastExport returns the run of the job that its export is compared with, see lastExported, or nil if there is none
// yet.
func (i *Importer) lastExport(ctx context.Context, run *ledger.Run) (*ledger.Run, error) {
	return lastExported(ctx, i.Ledger.Reader, *run, mostEmptyNights)
}

// lastExported returns the newest finished run of the job and scope of a run that read an export with rows, or nil if
// there is none. It looks at no more than most runs; 0 means all. An empty export that was let through is skipped, or
// the night after it would count as a first one. A stopped run is skipped too, because nobody knows whether its export
// was good. But while no run has finished, the newest stopped run that was let through to be sent counts for what is
// missing (Limits.Unfinished): nothing else would notice the records that it did not send.
func lastExported(ctx context.Context, book *ledger.Reader, of ledger.Run, most int) (*ledger.Run, error) {
	for _, phase := range []ledger.Phase{ledger.Finished, ledger.Stopped} {
		runs, err := book.Runs(ctx, ledger.RunFilter{
			Job: of.Job, Scope: of.Scope, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{phase}, Exports: true, Limit: most,
		})
		n := slices.IndexFunc(runs, func(r ledger.Run) bool {
			return r.Export.Rows > 0 && (phase == ledger.Finished || stop.Sending(r.StopCode))
		})
		switch {
		case err != nil:
			return nil, err
		case n >= 0:
			return &runs[n], nil
		}
	}
	return nil, nil
}

// formerExports returns the last exports, see lastExported, of the jobs with the run's scope and operation that are no
// longer in the configuration. One of them may be the job under its former name: the first run of a renamed job is
// compared with its export.
func (i *Importer) formerExports(ctx context.Context, job Job, run *ledger.Run) (list []ledger.Run, err error) {
	if len(job.Jobs) == 0 {
		return nil, nil
	}
	runs, err := i.Ledger.Runs(ctx, ledger.RunFilter{
		NotJobs: job.Jobs, Scope: run.Scope, Operation: run.Operation, Kinds: []ledger.Kind{ledger.Push}, Exports: true, Limit: mostEmptyNights,
	})
	seen := map[string]bool{}
	for n := 0; n < len(runs) && err == nil; n++ {
		if seen[runs[n].Job] {
			continue
		}
		seen[runs[n].Job] = true
		var last *ledger.Run
		if last, err = i.lastExport(ctx, &runs[n]); last != nil {
			list = append(list, *last)
		}
	}
	return list, err
}

// endedBefore reports whether most of the last text files that the job's runs read ended with a line break. For a first
// run it asks about the jobs that this one may have been before it was renamed.
func (i *Importer) endedBefore(ctx context.Context, run *ledger.Run, former []ledger.Run) (bool, error) {
	runs, err := i.Ledger.Runs(ctx, ledger.RunFilter{Job: run.Job, Scope: run.Scope, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Finished}, Limit: endedRuns})
	if len(runs) == 0 {
		runs = former
	}
	return model.FilesEnd(runs), err
}

// endedRuns is how many runs endedBefore looks at.
const endedRuns = 10

// mostEmptyNights is how many runs are searched for one that had rows.
const mostEmptyNights = 50

// count returns how many records of a run satisfy is.
func (i *Importer) count(ctx context.Context, run string, is func(ledger.Count) bool) (n int, err error) {
	tally, err := i.Ledger.Tally(ctx, run)
	return countIn(tally, is), err
}

func countIn(tally []ledger.Count, is func(ledger.Count) bool) (n int) {
	for _, c := range tally {
		if is(c) {
			n += c.N
		}
	}
	return n
}

// leastForeseen is the fewest records to send that get a forecast: fewer are sent before anybody would plan by it.
const leastForeseen = 100

// foresee stores with a run that is about to send when it will probably end, so that its report can say how good the
// forecast was. It stores nothing if no earlier run allows a forecast. A run does not fail for want of one. It returns
// the run's tally if that was counted.
func (i *Importer) foresee(ctx context.Context, run *ledger.Run) []ledger.Count {
	made, tally, err := i.foreseen(ctx, *run)
	if err == nil {
		run.Notes, err = forecast.Keep(run.Notes, made)
	}
	if err != nil {
		i.log().Warn("no forecast was made", zap.String("run", run.ID), zap.Error(err))
	}
	return tally
}

func (i *Importer) foreseen(ctx context.Context, run ledger.Run) (*forecast.Made, []ledger.Count, error) {
	if run.Export != nil && run.Export.ToSend < leastForeseen {
		return nil, nil, nil
	}
	tally, err := i.Ledger.Tally(ctx, run.ID)
	planned := countIn(tally, func(c ledger.Count) bool { return c.State == ledger.Planned })
	if i.First > 0 {
		planned = min(planned, i.First)
	}
	if err != nil || planned < leastForeseen {
		return nil, tally, err
	}
	pace, by, ok, err := forecast.Last(ctx, i.Ledger.Reader, run.Operation, planned)
	if err != nil || !ok {
		return nil, tally, err
	}
	return &forecast.Made{Expected: forecast.Expect(i.now(), forecast.Span{}, pace.For(planned, 0)), ToBeSent: planned, By: by}, tally, nil
}
