package plan

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/wording"
	"docketsync/importer/rows"
	"docketsync/mapping"
	"docketsync/mapping/reason"
)

// vanish counts the records of the last run that are no longer in the export, and has renames look for them under a new
// key. If the firm wants it and the last run has finished, vanish plans to set them inactive. Most nights the keys are
// the same and nothing needs to be compared.
//
// While rows have no key, or are rejected without an id, nobody knows whether one of them is the record that seems to
// have vanished: a known key may belong to another record now. The update is held then, and the next export decides.
func (p *planner) vanish(ctx context.Context, last ledger.Run, now *ledger.Export, renamed *renames) error {
	inactive := p.Policy.DeactivateVanished && last.Phase == ledger.Finished && last.Job == p.Run.Job
	if now.Keys == last.Export.Keys && (last.Export.Vanished == 0 || !inactive) {
		return nil
	}
	var still map[string]bool
	var others []string
	if inactive {
		var err error
		if still, err = p.updatedStill(ctx, last); err != nil {
			return err
		}
		if others, err = p.otherExports(ctx, last); err != nil {
			return err
		}
	}
	return inBatches(p.Book.Vanished(ctx, last.ID, p.Run.ID), func(keys []string) error {
		now.Vanished += len(keys)
		renamed.vanished(keys)
		if !inactive {
			return nil
		}
		for _, key := range keys {
			for n := 0; n < len(others) && !still[key]; n++ {
				_, had, err := p.find(ctx, others[n], key)
				if err != nil {
					return err
				}
				still[key] = had
			}
		}
		return p.deactivate(ctx, keys, still, last, now.Keyless)
	})
}

// inBatches passes keys on in batches. use must not keep them.
func inBatches(keys iter.Seq2[string, error], use func([]string) error) error {
	var batch []string
	for key, err := range keys {
		if err != nil {
			return err
		}
		if batch = append(batch, key); len(batch) == rows.BatchSize {
			if err := use(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	if len(batch) == 0 {
		return nil
	}
	return use(batch)
}

// deactivate plans an update for each vanished key that sends the last accepted payload with active false. Some are
// only counted: a record of which only the id is known has no payload to send, and one that the plan updates under
// another key, or that another job has, still exists. What the service refused is not sent again before a refused row
// would be.
func (p *planner) deactivate(ctx context.Context, keys []string, still map[string]bool, last ledger.Run, keyless int) error {
	known, err := p.Book.Known(ctx, p.Run.Scope, keys)
	if err != nil {
		return err
	}
	var mapped []*decide.Mapped
	for _, key := range keys {
		k, ok := known[key]
		if !ok || len(k.Payload) == 0 || still[key] {
			continue
		}
		inactive, err := payload.Replace(k.Payload, "active", "false")
		if err != nil {
			return fmt.Errorf("turn %s inactive: %w", key, err)
		}
		m := &decide.Mapped{Key: key, Operation: payload.Operation(p.Run.Operation), Payload: inactive, Digest: decide.Digest(inactive)}
		if p.Run.Order != "" {
			m.Rank = mapping.RankLast
		}
		m.Notes = []ledger.Reason{ledger.Reason{Value: key}.Says(reason.New(reason.Vanished, moment.Day(last.Started)))}
		mapped = append(mapped, m)
	}
	if err := p.recall.Verdicts(ctx, mapped, known); err != nil {
		return err
	}
	records := make([]ledger.Record, 0, len(mapped))
	for _, m := range mapped {
		k := known[m.Key]
		record, err := decide.Decide(*m, &k, p.Policy)
		if err != nil {
			return err
		}
		if lacking, what := keyless+p.idless, "key"; record.State == ledger.Planned && lacking > 0 {
			if keyless == 0 {
				what = "id"
			}
			record.State = ledger.Held
			record.Message = fmt.Sprintf("it is no longer in the export, but %s no %s and it may be one of them; it is turned inactive when the export is whole",
				wording.Counted(lacking, "row there has", "rows there have"), what)
		}
		if record.State == ledger.Planned {
			p.to++
		} else {
			record.Notes = slices.DeleteFunc(record.Notes, func(r ledger.Reason) bool { return r.Code == reason.Vanished })
		}
		p.seq++
		record.Run, record.Scope, record.Seq = p.Run.ID, p.Run.Scope, p.seq
		records = append(records, record)
	}
	_, err = p.Book.Add(ctx, records)
	return err
}

// find returns a run's record of a key, if there is one.
func (p *planner) find(ctx context.Context, run, key string) (r ledger.Record, there bool, err error) {
	if r, err = p.Book.RecordByKey(ctx, run, key); errors.Is(err, ledger.ErrNotFound) {
		return r, false, nil
	}
	return r, err == nil, err
}

// absent returns those of some keys that the plan does not have.
func (p *planner) absent(ctx context.Context, keys []string) (list []string, err error) {
	for _, key := range keys {
		_, there, err := p.find(ctx, p.Run.ID, key)
		if err != nil {
			return nil, err
		}
		if !there {
			list = append(list, key)
		}
	}
	return list, nil
}

// mostOthers is how many runs back other jobs of a scope are looked for.
const mostOthers = 100

// otherExports returns the exports of other jobs of the scope that may have what is gone from this one. These are the
// exports since this job's last one, into which a record may have moved, and the last export of each job that still
// exists, unless this job has read a week of exports since: what was migrated once says nothing about today.
func (p *planner) otherExports(ctx context.Context, last ledger.Run) (ids []string, err error) {
	filter := ledger.RunFilter{Scope: p.Run.Scope, Kinds: []ledger.Kind{ledger.Push}, Exports: true, Limit: mostOthers}
	list, err := p.Book.Runs(ctx, filter)
	for _, run := range list {
		if run.Job != p.Run.Job && run.Started.After(last.Started) {
			ids = append(ids, run.ID)
		}
	}
	filter.Phases = []ledger.Phase{ledger.Finished}
	var since time.Time
	if err == nil {
		own := filter
		own.Job, own.Limit = p.Run.Job, lastExports
		if list, err = p.Book.Runs(ctx, own); len(list) == lastExports {
			since = list[lastExports-1].Started
		}
	}
	for n := 0; n < len(p.Jobs) && err == nil; n++ {
		filter.Job = p.Jobs[n]
		list, err = p.Book.Runs(ctx, filter)
		if newest := slices.IndexFunc(list, func(r ledger.Run) bool { return r.Export.Rows > 0 }); newest >= 0 && p.Jobs[n] != p.Run.Job && list[newest].Started.After(since) {
			ids = append(ids, list[newest].ID)
		}
	}
	return ids, err
}

// updatedStill returns the vanished keys of the last run whose cases the plan updates under other keys.
func (p *planner) updatedStill(ctx context.Context, last ledger.Run) (map[string]bool, error) {
	err := inBatches(p.Book.Vanished(ctx, last.ID, p.Run.ID), func(keys []string) error {
		known, err := p.Book.Known(ctx, p.Run.Scope, keys)
		if err != nil {
			return err
		}
		for key, k := range known {
			if err := p.index.addEarlier(mapping.IDTrait(payload.ID(k.Payload)), key); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	still := map[string]bool{}
	for group, err := range p.index.groups() {
		if err != nil {
			return nil, fmt.Errorf("compare what vanished with what is updated: %w", err)
		}
		for n := 0; n < len(group.earlier) && group.check == reason.IDTwice && len(group.seqs) > 0; n++ {
			still[group.earlier[n]] = true
		}
	}
	return still, nil
}
