package importer

import (
	"context"
	"maps"
	"slices"

	"go.uber.org/zap"

	"docketsync/apiclient/payload"
	"docketsync/importer/guard"
	"docketsync/importer/ledger"
	"docketsync/importer/rows"
)

// examine asks the guards about a run whose plan is complete, and stores with the run what fires.
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
				fired[n].Message += " (compared with a job that had these records and is no longer in the configuration; the log says which)"
			}
		}
		i.log().Warn("the export was compared with that of a job that is no longer in the configuration", otherJob(run, last.Job)...)
	}
	for _, other := range slices.Sorted(maps.Keys(run.Export.Contested)) {
		i.log().Warn("another job has sent other values of some records since the last run", append(otherJob(run, other), zap.Int("records", run.Export.Contested[other]))...)
	}
	run.Guards = append(run.Guards, fired...)
	return nil
}

// examinePart asks only the guards that need no whole export to compare with. It also repeats the guards that stopped
// the job's last export if the run reads the same files: importing rows apart is not a way past a guard.
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

// examineScope stops a job whose mapping has another scope than in its last run, even if nothing is to be sent, because
// the next run would take this one for the last. An export is compared with the last export, because some rows that
// were let through under another scope say nothing of all the others. Anything else, and the first export, is compared
// with whatever ran last.
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
		err = i.examineCorrected(ctx, run, true)
	case last[0].Operation != run.Operation && creates:
		run.Guards = []ledger.Guard{guard.OperationChange(last[0].Operation, run.Operation)}
	case last[0].Operation == run.Operation && last[0].Scope != run.Scope:
		run.Guards = []ledger.Guard{guard.ScopeChange(last[0].Scope, run.Scope)}
	default:
		err = i.examineCorrected(ctx, run, false)
	}
	if err != nil || !creates {
		return err
	}
	told := ""
	if len(last) > 0 && len(run.Guards) > 0 {
		told = last[0].Scope
	}
	return i.examineElsewhere(ctx, job, run, told)
}

// examineElsewhere stops a run that would create records that were already created under another scope, for example
// because a job was renamed, split or merged together with its scope. It looks for records of the same key with the
// same payload or the same name. Records in doubt count too, and so do keys that were forgotten there. If another job
// still has that scope, as for another office, a few equal names mean nothing. told is a scope that another guard has
// already reported; it is not reported again.
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
			if err != nil {
				return err
			}
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
		others, under := len(of) > 0 && of[0].Job != run.Job && slices.Contains(job.Jobs, of[0].Job), scope
		if others {
			under = ""
		}
		fired := len(run.Guards)
		if n := same[scope] + named[scope]; n > 0 && scope != told && (!others || same[scope] > 0 || n >= job.Guards.Least) {
			run.Guards = append(run.Guards, guard.CreatedElsewhere(n, under))
		}
		if n := forgotten[scope]; n > 0 {
			run.Guards = append(run.Guards, guard.ForgottenElsewhere(n, under))
		}
		if others && len(run.Guards) > fired {
			i.log().Warn("records were created before by another job", append(otherJob(run, of[0].Job), zap.String("scope", scope))...)
		}
	}
	return nil
}

// otherJob returns the fields that say in the log which other job a guard or a note of a run is about.
func otherJob(run *ledger.Run, other string) []zap.Field {
	return []zap.Field{zap.String("job", run.Job), zap.String("other_job", other)}
}

// unsent reports whether records were to be sent and were neither accepted nor left in doubt.
func unsent(c ledger.Count) bool {
	return c.Action != ledger.None && c.State != ledger.Accepted && c.State != ledger.InDoubt
}
