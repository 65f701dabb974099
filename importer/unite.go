package importer

import (
	"context"
	"fmt"
	"slices"

	"docketsync/importer/ledger"
)

// unite puts records of one key together that the ledger did not find to be of one key when they were written, because one of
// them at least is quiet. That needs no look at a plan all of whose records were recollected: the last run had each key once,
// and each was found once.
func (p *planner) unite(ctx context.Context) error {
	if p.looked == 0 {
		return nil
	}
	for group, err := range p.keys.groups() {
		if err == nil {
			err = p.uniteGroup(ctx, group.seqs)
		}
		if err != nil {
			return fmt.Errorf("compare the keys of records: %w", err)
		}
	}
	return nil
}

// uniteGroup puts those of some records together that are of one key: what they share is a sum.
func (p *planner) uniteGroup(ctx context.Context, seqs []int64) error {
	firsts := map[string]*ledger.Record{}
	for part := range slices.Chunk(seqs, batchSize/2) {
		records, err := p.book.RecordsAt(ctx, p.run.ID, part)
		if err != nil {
			return err
		}
		late := map[string][]int64{}
		for _, r := range records {
			first := firsts[r.Key]
			if first == nil {
				firsts[r.Key] = &r
				continue
			}
			p.drift.remove(r.Key, r.State)
			if r.State == ledger.Planned {
				p.to--
			}
			p.absorb(first, r)
			late[r.Key] = append(late[r.Key], r.Seq)
		}
		for key, seqs := range late {
			if err := p.book.Unite(ctx, *firsts[key], seqs); err != nil {
				return err
			}
		}
	}
	return nil
}
