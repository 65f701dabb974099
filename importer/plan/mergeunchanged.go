package plan

import (
	"context"
	"fmt"
	"slices"

	"docketsync/importer/ledger"
	"docketsync/importer/rows"
	"docketsync/mapping"
)

// keyCheck is the trait of records that are of one key.
const keyCheck = "key"

// indexUnchangedKeys takes in the keys of the quiet records, which indexRecord left out. They are read from the ledger only when
// something of the export was not found as the last run had it: most nights their sum is known from then, as there are as many
// records as the last run had and each of them is one of those; and no two of them are of one key, as none were then.
func (p *planner) indexUnchangedKeys(ctx context.Context, last *ledger.Export) error {
	if p.looked == 0 && last != nil && last.Records == p.same && p.records.TakeKeys(last.Keys) {
		return nil
	}
	for q, err := range p.book.UnchangedRecords(ctx, p.run.ID) {
		if err == nil {
			err = p.keys.add(mapping.Trait{Check: keyCheck, Sum: p.records.AddKey(q.Key)}, q.Seq)
		}
		if err != nil {
			return fmt.Errorf("take in the keys of unchanged records: %w", err)
		}
	}
	return nil
}

// mergeUnchanged puts records of one key together that the ledger did not find to be of one key when they were written, because one of
// them at least is quiet. That needs no look at a plan all of whose records were recollected: the last run had each key once,
// and each was found once. Groups are taken many at a time: an export may have a row twice here and there, every night.
func (p *planner) mergeUnchanged(ctx context.Context) error {
	if p.looked == 0 {
		return nil
	}
	var seqs []int64
	for group, err := range p.keys.groups() {
		if err == nil && len(seqs) > 0 && len(seqs)+len(group.seqs) > mergedAtOnce {
			err = p.mergeAll(ctx, seqs)
			seqs = seqs[:0]
		}
		if err != nil {
			return fmt.Errorf("compare the keys of records: %w", err)
		}
		seqs = append(seqs, group.seqs...)
	}
	if err := p.mergeAll(ctx, seqs); err != nil {
		return fmt.Errorf("compare the keys of records: %w", err)
	}
	return nil
}

// mergedAtOnce is how many records are read, and put together in one transaction.
const mergedAtOnce = rows.BatchSize / 2

// mergeAll puts those of some records together that are of one key: what those of a group share is a sum.
func (p *planner) mergeAll(ctx context.Context, seqs []int64) error {
	slices.Sort(seqs)
	firsts := map[string]*ledger.Record{}
	for part := range slices.Chunk(seqs, mergedAtOnce) {
		records, err := p.book.RecordsAt(ctx, p.run.ID, part)
		if err != nil {
			return err
		}
		late := map[string][]int64{}
		var unions []ledger.Union
		for _, r := range records {
			first := firsts[r.Key]
			if first == nil {
				firsts[r.Key] = &r
				continue
			}
			p.records.Remove(&r)
			if r.State == ledger.Planned {
				p.to--
			}
			if key := r.Key; p.absorb(first, &r) {
				late[key] = append(late[key], r.Seq)
				continue
			}
			p.records.Add(&r)
			unions = append(unions, ledger.Union{First: r})
			if _, changed := late[first.Key]; !changed {
				late[first.Key] = nil
			}
		}
		for key, seqs := range late {
			unions = append(unions, ledger.Union{First: *firsts[key], Late: seqs})
		}
		if err := p.book.Unite(ctx, p.run.ID, unions); err != nil {
			return err
		}
	}
	return nil
}
