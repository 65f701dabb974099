package importer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.uber.org/zap"

	"docketsync/apiclient/payload"
	"docketsync/config/diagnostic"
	"docketsync/importer/forecast"
	"docketsync/importer/guard"
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
	if run.Kind == ledger.Push {
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

// plan makes everything ready that a plan is made of, and has it made.
func (i *Importer) plan(ctx context.Context, job Job, run *ledger.Run, part *ledger.Export) error {
	lookups, err := i.Lookups(ctx, job)
	walk := job.walk(lookups)
	if err != nil {
		return beforeReading(ctx, walk, err)
	}
	if walk.Corrected, err = i.Ledger.Corrections(ctx, job.Name); err != nil {
		return err
	}
	if walk.Mapping, err = walk.InferDates(ctx); err != nil {
		return err
	}
	ended, err := i.endedBefore(ctx, job, run)
	if err != nil {
		return err
	}
	order := plan.Order{Book: i.Ledger, Run: run, Walk: walk.EndedBefore(ended), Policy: job.Policy, Partial: job.Partial, Part: part, Jobs: job.Jobs,
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
	return order.Make(ctx)
}

// beforeReading adds to the mistakes in lookups those of the mapping that only the headers of the sources show, so that nobody
// has to mend the first before being told the second.
func beforeReading(ctx context.Context, w rows.Walk, err error) error {
	var faults diagnostic.Faults
	if !errors.As(err, &faults) {
		return err
	}
	return slices.Concat(w.Unbound(ctx), faults)
}

// lastExport is the last run of the job that is a measure for its export, see lastExported; nil when there is none yet, so that there is nothing to
// compare with.
func (i *Importer) lastExport(ctx context.Context, run *ledger.Run) (*ledger.Run, error) {
	return lastExported(ctx, i.Ledger.Reader, *run, mostEmptyNights)
}

// lastExported is the newest finished run of a run's job and scope that read an export with rows, of so many that are looked through (0 for all);
// nil for none. An empty export that was let through is no measure, or the night after it would be a first one. Nor is that of a run that was
// stopped, as nobody knows whether it was good; but while none has finished, that of the newest one that was let through to be sent is one for
// what is missing (Limits.Unfinished): what it did not send would be missed by nobody else.
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

// formerExports are the last exports, see lastExported, of the jobs of a run's scope and operation that the configuration no longer has: with one of
// them the first run of a job is compared that was renamed.
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

// endedBefore tells whether most of the last text files that the job's runs read ended with a line break; of the first run, those of the jobs that it
// may have been before it was renamed.
func (i *Importer) endedBefore(ctx context.Context, job Job, run *ledger.Run) (bool, error) {
	runs, err := i.Ledger.Runs(ctx, ledger.RunFilter{Job: run.Job, Scope: run.Scope, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Finished}, Limit: endedRuns})
	if err == nil && len(runs) == 0 {
		runs, err = i.formerExports(ctx, job, run)
	}
	return model.FilesEnd(runs), err
}

// endedRuns is how many runs are looked through for text files.
const endedRuns = 10

// mostEmptyNights is how many runs are looked through for one that had rows.
const mostEmptyNights = 50

// examine asks the guards about a run whose plan is whole. What fires is kept with the run.
func (i *Importer) examine(ctx context.Context, job Job, run *ledger.Run) error {
	if err := i.examineScope(ctx, job, run); err != nil || run.Export == nil {
		return err
	}
	if run.Export.Base == "" {
		run.Guards = append(run.Guards, job.Guards.FirePart(*run.Export)...)
		return nil
	}
	last, err := i.Ledger.Run(ctx, run.Export.Base)
	if err != nil {
		return err
	}
	left := 0
	if run.Export.ToSend+run.Export.Waiting > 0 {
		if left, err = i.count(ctx, last.ID, unsent); err != nil {
			return err
		}
	}
	limits := job.Guards
	if last.Phase != ledger.Finished {
		limits = limits.Unfinished()
	}
	fired := limits.Fire(*run, last, left, run.Started)
	if last.Job != run.Job {
		fired = slices.DeleteFunc(fired, func(g ledger.Guard) bool { return g.Name == guard.SameFile })
		for n := range fired {
			if fired[n].Name != guard.OlderThan && fired[n].Name != guard.Scope {
				fired[n].Message += fmt.Sprintf(" (compared with job %s, which had these records and is no longer in the configuration)", last.Job)
			}
		}
	}
	run.Guards = append(run.Guards, fired...)
	return nil
}

// examinePart asks those of the guards that need no whole export to compare with, and stops a file that a guard has stopped as the job's last
// export: it is no way past the guard.
func (i *Importer) examinePart(ctx context.Context, job Job, run *ledger.Run, part ledger.Export) error {
	if err := i.examineScope(ctx, job, run); err != nil {
		return err
	}
	run.Guards = append(run.Guards, job.Guards.FirePart(part)...)
	stopped, err := i.Ledger.Runs(ctx, ledger.RunFilter{Job: run.Job, Scope: run.Scope, Kinds: []ledger.Kind{ledger.Push}, Exports: true, Limit: 1})
	if err != nil || len(stopped) == 0 || stopped[0].Phase != ledger.Stopped || stopped[0].Passed != nil {
		return err
	}
	same := func(a, b ledger.Source) bool { return a.SHA256 == b.SHA256 && a.Sheet == b.Sheet }
	if len(run.Sources) > 0 && slices.EqualFunc(run.Sources, stopped[0].Sources, same) {
		for _, fired := range stopped[0].Guards {
			if !slices.Contains(run.Guards, fired) {
				run.Guards = append(run.Guards, fired)
			}
		}
	}
	return nil
}

// examineScope stops a job whose mapping has another scope than in its last run, though nothing is to be sent: the next run would see
// this one as the last. An export is compared with the last export, as rows that were let through under another scope are no word on all the others; what
// is no export, and the first export, with whatever was run last.
func (i *Importer) examineScope(ctx context.Context, job Job, run *ledger.Run) error {
	if !job.Guards.Scope {
		return nil
	}
	before := ledger.RunFilter{Job: run.Job, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Finished}, Exports: run.Export != nil, Limit: 1}
	last, err := i.Ledger.Runs(ctx, before)
	if err == nil && len(last) == 0 && before.Exports {
		before.Exports = false
		last, err = i.Ledger.Runs(ctx, before)
	}
	creates := payload.Operation(run.Operation).Creates()
	switch {
	case err != nil:
		return err
	case len(last) == 0:
		former, err := i.formerExports(ctx, job, run)
		for n := 0; n < len(former) && err == nil && len(run.Guards) == 0; n++ {
			var corrected map[string][]ledger.CellCorrection
			if corrected, err = i.Ledger.Corrections(ctx, former[n].Job); len(corrected) > 0 {
				run.Guards = []ledger.Guard{guard.NameChange(former[n].Job, run.Job, len(corrected))}
			}
		}
		if err != nil {
			return err
		}
	case last[0].Operation != run.Operation && creates:
		run.Guards = []ledger.Guard{guard.OperationChange(last[0].Operation, run.Operation)}
	case last[0].Operation == run.Operation && last[0].Scope != run.Scope:
		run.Guards = []ledger.Guard{guard.ScopeChange(last[0].Scope, run.Scope)}
	}
	if !creates {
		return nil
	}
	told := ""
	if len(last) > 0 && len(run.Guards) > 0 {
		told = last[0].Scope
	}
	return i.examineElsewhere(ctx, job, run, told)
}

// examineElsewhere stops a run that would create what was created before under another scope, as where a job was renamed, split or merged with its scope:
// records of the same key with the same payload, or the same name. What of it is in doubt counts, too, and a key that was forgotten there. Where a job
// has that scope still, as that of another office, a few equal names mean nothing. What was created under the scope that another guard has told of is not told
// once more.
func (i *Importer) examineElsewhere(ctx context.Context, job Job, run *ledger.Run, told string) error {
	scopes, err := i.Ledger.OtherScopes(ctx, run.Operation, run.Scope)
	if err != nil || len(scopes) == 0 {
		return err
	}
	same, named, forgotten := map[string]int{}, map[string]int{}, map[string]int{}
	look := func(batch map[string]ledger.Record) error {
		keys := slices.Collect(maps.Keys(batch))
		for _, scope := range scopes {
			gone, err := i.Ledger.Forgotten(ctx, scope, keys, nil)
			if err != nil {
				return err
			}
			forgotten[scope] += len(gone)
			known, err := i.Ledger.Known(ctx, scope, keys)
			for key, k := range known {
				digest, held := k.Digest, k.Held()
				if k.Doubt != nil {
					doubt, err := i.Ledger.RecordByKey(ctx, k.Doubt.Run, key)
					if err != nil {
						return err
					}
					digest, held = doubt.Digest, doubt.Payload
				}
				name := payload.Text(batch[key].Payload, "name")
				switch {
				case digest == batch[key].Digest:
					same[scope]++
				case name != "" && name == payload.Text(held, "name"):
					named[scope]++
				}
			}
			if err != nil {
				return err
			}
		}
		clear(batch)
		return nil
	}
	batch := map[string]ledger.Record{}
	for r, err := range i.Ledger.Records(ctx, run.ID, ledger.RecordFilter{States: []ledger.State{ledger.Planned}}) {
		if err == nil && len(batch) == rows.BatchSize {
			err = look(batch)
		}
		if err != nil {
			return err
		}
		batch[r.Key] = r
	}
	if err := look(batch); err != nil {
		return err
	}
	for _, scope := range scopes {
		of, err := i.Ledger.Runs(ctx, ledger.RunFilter{Scope: scope, Operation: run.Operation, Kinds: []ledger.Kind{ledger.Push}, Limit: 1})
		if err != nil {
			return err
		}
		elses := len(of) > 0 && of[0].Job != run.Job && slices.Contains(job.Jobs, of[0].Job)
		if n := same[scope] + named[scope]; n > 0 && scope != told && (!elses || same[scope] > 0 || n >= job.Guards.Least) {
			run.Guards = append(run.Guards, guard.CreatedElsewhere(n, scope))
		}
		if n := forgotten[scope]; n > 0 {
			run.Guards = append(run.Guards, guard.ForgottenElsewhere(n, scope))
		}
	}
	return nil
}

// unsent tells whether records were to be sent and did not end in a yes.
func unsent(c ledger.Count) bool {
	return c.Action != ledger.None && c.State != ledger.Accepted && c.State != ledger.InDoubt
}

// count counts the records of a run that are of some kind.
func (i *Importer) count(ctx context.Context, run string, is func(ledger.Count) bool) (n int, err error) {
	counts, err := i.Ledger.Tally(ctx, run)
	for _, c := range counts {
		if is(c) {
			n += c.N
		}
	}
	return n, err
}

// leastForeseen is how many records must be to be sent for a forecast: fewer are sent before anybody would plan by it.
const leastForeseen = 100

// foresee keeps with a run that is about to send when it will probably end, so that its report can say how good that was. Where no earlier run
// tells, nothing is kept. A run does not fail for want of a forecast.
func (i *Importer) foresee(ctx context.Context, run *ledger.Run) {
	made, err := i.foreseen(ctx, *run)
	if err == nil {
		run.Notes, err = forecast.Keep(run.Notes, made)
	}
	if err != nil {
		i.log().Warn("no forecast was made", zap.String("run", run.ID), zap.Error(err))
	}
}

func (i *Importer) foreseen(ctx context.Context, run ledger.Run) (*forecast.Made, error) {
	if run.Export != nil && run.Export.ToSend < leastForeseen {
		return nil, nil
	}
	planned, err := i.count(ctx, run.ID, func(c ledger.Count) bool { return c.State == ledger.Planned })
	if i.First > 0 {
		planned = min(planned, i.First)
	}
	if err != nil || planned < leastForeseen {
		return nil, err
	}
	pace, by, ok, err := forecast.Last(ctx, i.Ledger.Reader, run.Operation, planned)
	if err != nil || !ok {
		return nil, err
	}
	return &forecast.Made{Expected: forecast.Expect(i.now(), forecast.Span{}, pace.For(planned, 0)), ToBeSent: planned, By: by}, nil
}
