package plan

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"docketsync/importer/ledger"
	"docketsync/importer/rows"
	"docketsync/mapping"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// lateRecord is a record, with its rows, whose key the run already has.
type lateRecord struct {
	record ledger.Record
	rows   []table.Row
}

// merge merges records whose keys the run already has into those that came first. It reads and writes each of those
// once, however many come later, because they may have many rows.
func (p *planner) merge(ctx context.Context, list []lateRecord) error {
	firsts := map[string]*ledger.Record{}
	var changed []*ledger.Record
	var apart []ledger.Record
	for n := range list {
		late := &list[n].record
		if late.State == ledger.Planned {
			p.to--
		}
		first := firsts[late.Key]
		if first == nil {
			found, err := p.Book.RecordByKey(ctx, p.Run.ID, late.Key)
			if err != nil {
				return fmt.Errorf("find the first row of %s: %w", late.Key, err)
			}
			first = &found
			firsts[late.Key], changed = first, append(changed, first)
		}
		late.Rows = rows.LedgerRows(list[n].rows, late.Digest == "" || first.Digest != late.Digest || first.State != ledger.Unchanged)
		if !p.absorb(first, late) {
			p.records.Add(late)
			apart = append(apart, *late)
		}
	}
	for _, first := range changed {
		if err := p.Book.Replace(ctx, *first); err != nil {
			return err
		}
	}
	if len(apart) == 0 {
		return nil
	}
	_, err := p.Book.Add(ctx, apart)
	return err
}

// absorb adds the rows of a later record to the first one of its key. Equal rows are one record. Rows that contradict
// each other are one reject that lists all of them, because sending either would be a guess. If there are too many
// rows, both records are rejects, the later one has no key, and absorb returns false.
func (p *planner) absorb(first, late *ledger.Record) bool {
	if len(first.Rows)+len(late.Rows) > p.most {
		p.crowd(first, late)
		return false
	}
	own, same := first.Rows, saysTheSame(*first, *late)
	first.Rank = min(first.Rank, late.Rank)
	first.Rows = append(first.Rows, late.Rows...)
	if same {
		p.merged += len(late.Rows)
		return true
	}
	p.rejectFirst(first, late)
	if rows.SourceNumber(first.Rows) != 0 {
		tellSource(first.Reasons, own)
		tellSource(late.Reasons, late.Rows)
	}
	twice := func(r ledger.Reason) bool { return r.Code == reason.Duplicate }
	first.Reasons = slices.DeleteFunc(append(first.Reasons, late.Reasons...), twice)
	first.Reasons = append([]ledger.Reason{p.sources.Duplicate(*first)}, first.Reasons...)
	return true
}

// rejectFirst rejects the first record of a key that others have too, unless it is a reject already.
func (p *planner) rejectFirst(first, late *ledger.Record) {
	if first.State == ledger.Planned {
		p.to--
	}
	rows := late.Rows
	if first.State != ledger.Rejected {
		p.records.Reject()
		rows = append(slices.Clone(first.Rows), late.Rows...)
	}
	for _, row := range rows {
		if row.Cells == nil {
			p.bare[place{row.Source, row.Number}] = true
		}
	}
	reject(first)
}

// crowd rejects two records whose key too many rows have.
func (p *planner) crowd(first, late *ledger.Record) {
	why := rows.CrowdReason(first.Key, p.most)
	p.rejectFirst(first, late)
	if !slices.ContainsFunc(first.Reasons, func(r ledger.Reason) bool { return r.Code == reason.Crowded }) {
		first.Reasons = append([]ledger.Reason{why}, first.Reasons...)
	}
	reject(late)
	late.Key, late.Digest, late.Reasons = "", "", []ledger.Reason{why}
}

// saysTheSame reports whether two records of one key are one. What the mapping rejected, for example for a name without
// an id, has no payload to compare: it is the same if all cells of its row are.
func saysTheSame(first, late ledger.Record) bool {
	switch {
	case first.Digest != late.Digest || duplicated(first) || duplicated(late):
		return false
	case late.Digest != "":
		return true
	}
	a, b := first.Rows[0], late.Rows[0]
	return len(a.Cells) > 0 && a.Source == b.Source && bytes.Equal(a.Cells, b.Cells)
}

func duplicated(r ledger.Record) bool {
	return slices.ContainsFunc(r.Reasons, func(r ledger.Reason) bool { return r.Code == reason.Duplicate })
}

// tellSource puts the source of a record into those of its reasons that name a row but no source.
func tellSource(reasons []ledger.Reason, rows []ledger.Row) {
	for n := range reasons {
		if reasons[n].Row != 0 && reasons[n].Source == 0 {
			reasons[n].Source = rows[0].Source + 1
		}
	}
}

// reject makes a reject of a record that was to be sent. The caller adds the reasons.
func reject(r *ledger.Record) {
	r.State, r.Action, r.Payload, r.Body, r.Previous = ledger.Rejected, ledger.None, nil, nil, nil
	r.Notes, r.Repeatable = nil, false
}

// fillBare reads the sources again for the cells of rows that were first taken as unchanged. That happens only if a
// later row contradicts one that the service already holds.
func (p *planner) fillBare(ctx context.Context) error {
	if len(p.bare) == 0 {
		return nil
	}
	found, err := p.bareCells(ctx)
	if err != nil {
		return err
	}
	for record, err := range p.Book.Records(ctx, p.Run.ID, ledger.RecordFilter{States: []ledger.State{ledger.Rejected}}) {
		if err != nil {
			return err
		}
		changed := false
		for n, row := range record.Rows {
			if cells, ok := found[place{row.Source, row.Number}]; ok && row.Cells == nil {
				record.Rows[n].Cells, changed = cells, true
			}
		}
		if changed {
			if err := p.Book.Replace(ctx, record); err != nil {
				return err
			}
		}
	}
	return nil
}

// bareCells returns the cells of the rows that were stored without them.
func (p *planner) bareCells(ctx context.Context) (map[place]json.RawMessage, error) {
	found := map[place]json.RawMessage{}
	err := p.Walk.Each(ctx, func(t *rows.Table) error {
		for row, err := range t.Rows(ctx) {
			if err != nil {
				return err
			}
			if at := (place{row.Source, row.Number}); p.bare[at] {
				found[at] = table.AppendCells(nil, row.Cells)
			}
		}
		return nil
	})
	return found, err
}

// keyCheck is the trait of records with one key.
const keyCheck = "key"

// indexUnchangedKeys indexes the keys of the unchanged records, which indexUnchanged left out. It reads them from the
// ledger only if something in the export is not as the last run had it. Most nights the sum over the keys is that of
// the last run: there are as many records as then, and each of them is one of those. No two of them have the same key,
// as none had then.
func (p *planner) indexUnchangedKeys(ctx context.Context, last *ledger.Export) error {
	if p.looked == 0 && last != nil && last.Records == p.same && p.records.TakeKeys(last.Keys) {
		return nil
	}
	if p.still == 0 {
		return nil
	}
	for q, err := range p.Book.UnchangedRecords(ctx, p.Run.ID) {
		if err == nil && q.Action != "" {
			continue // a check has indexed it
		}
		if err == nil {
			err = p.keys.add(mapping.Trait{Check: keyCheck, Sum: p.records.AddKey(q.Key)}, q.Seq)
		}
		if err != nil {
			return fmt.Errorf("take in the keys of unchanged records: %w", err)
		}
	}
	return nil
}

// mergeUnchanged merges records of one key that the ledger did not recognize as such when they were written, because at
// least one of them is unchanged. It does nothing if all records of the plan were recognized from the last run: that
// run had each key once, and each was found once. It takes many groups at a time, because an export may repeat a row
// here and there every night.
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

// mergedAtOnce is how many records are read and merged in one transaction.
const mergedAtOnce = rows.BatchSize / 2

// mergeAll merges those of some records that have the same key. Records of a group share only a hash of it.
func (p *planner) mergeAll(ctx context.Context, seqs []int64) error {
	slices.Sort(seqs)
	firsts := map[string]*ledger.Record{}
	for part := range slices.Chunk(seqs, mergedAtOnce) {
		records, err := p.Book.RecordsAt(ctx, p.Run.ID, part)
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
		if err := p.Book.Unite(ctx, p.Run.ID, unions); err != nil {
			return err
		}
	}
	return nil
}
