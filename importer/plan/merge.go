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

// lateRecord is a record whose key the run has already, with its rows.
type lateRecord struct {
	record ledger.Record
	rows   []table.Row
}

// merge puts records whose keys the run has already together with those that came first. It reads and writes those once,
// however many come later, since they may be of many rows.
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
			found, err := p.book.RecordByKey(ctx, p.run.ID, late.Key)
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
		if err := p.book.Replace(ctx, *first); err != nil {
			return err
		}
	}
	if len(apart) == 0 {
		return nil
	}
	_, err := p.book.Add(ctx, apart)
	return err
}

// absorb takes the rows of a record into the first one of its key. Equal rows are one record; rows that contradict each other
// are one reject that lists all of them, since sending either would be a guess. Where there are too many of them, both are
// rejects, the later one without a key, and the answer is false.
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

// rejectFirst makes a reject of the first record of a key that others have, if it is none yet.
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

// crowd rejects two records of a key that too many rows have.
func (p *planner) crowd(first, late *ledger.Record) {
	why := rows.CrowdReason(first.Key, p.most)
	p.rejectFirst(first, late)
	if !slices.ContainsFunc(first.Reasons, func(r ledger.Reason) bool { return r.Code == reason.Crowded }) {
		first.Reasons = append([]ledger.Reason{why}, first.Reasons...)
	}
	reject(late)
	late.Key, late.Digest, late.Reasons = "", "", []ledger.Reason{why}
}

// saysTheSame tells whether two records of one key are one. Of what the mapping rejected, such as for a name without an id, there is no
// payload to compare: it is the same where all cells of its row are.
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

// tellSource says of reasons that named a row of a record of one source which source that was.
func tellSource(reasons []ledger.Reason, rows []ledger.Row) {
	for n := range reasons {
		if reasons[n].Row != 0 && reasons[n].Source == 0 {
			reasons[n].Source = rows[0].Source + 1
		}
	}
}

// reject makes a reject of a record that was to be sent. Its reasons are the caller's.
func reject(r *ledger.Record) {
	r.State, r.Action, r.Payload, r.Body, r.Previous = ledger.Rejected, ledger.None, nil, nil, nil
	r.Notes, r.Repeatable = nil, false
}

// fillBare reads the sources once more for the cells of rows that were first taken as unchanged. It happens only when a
// later row of the file contradicts one the service already holds.
func (p *planner) fillBare(ctx context.Context, w rows.Walk) error {
	if len(p.bare) == 0 {
		return nil
	}
	found, err := p.bareCells(ctx, w)
	if err != nil {
		return err
	}
	for record, err := range p.book.Records(ctx, p.run.ID, ledger.RecordFilter{States: []ledger.State{ledger.Rejected}}) {
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
			if err := p.book.Replace(ctx, record); err != nil {
				return err
			}
		}
	}
	return nil
}

// bareCells are the cells of the rows that were stored without them.
func (p *planner) bareCells(ctx context.Context, w rows.Walk) (map[place]json.RawMessage, error) {
	found := map[place]json.RawMessage{}
	err := w.Each(ctx, func(t *rows.Table) error {
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

// keyCheck is the trait of records that are of one key.
const keyCheck = "key"

// indexUnchangedKeys takes in the keys of the quiet records, which indexRecord left out. They are read from the ledger only when
// something of the export was not found as the last run had it: most nights their sum is known from then, as there are as many
// records as the last run had and each of them is one of those; and no two of them are of one key, as none were then.
func (p *planner) indexUnchangedKeys(ctx context.Context, last *ledger.Export) error {
	if p.looked == 0 && last != nil && last.Records == p.same && p.records.TakeKeys(last.Keys) {
		return nil
	}
	if p.still == 0 {
		return nil
	}
	for q, err := range p.book.UnchangedRecords(ctx, p.run.ID) {
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
