package importer

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"docketsync/importer/ledger"
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
		late.Rows = ledgerRows(list[n].rows, late.Digest == "" || first.Digest != late.Digest || first.State != ledger.Unchanged)
		if !p.absorb(first, late) {
			p.drift.add(late)
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
	first.Rows = append(first.Rows, late.Rows...)
	if same {
		p.united += len(late.Rows)
		return true
	}
	p.rejectFirst(first, late)
	if sourceNumber(first.Rows) != 0 {
		tellSource(first.Reasons, own)
		tellSource(late.Reasons, late.Rows)
	}
	twice := func(r ledger.Reason) bool { return r.Code == codeDuplicate }
	first.Reasons = slices.DeleteFunc(append(first.Reasons, late.Reasons...), twice)
	first.Reasons = append([]ledger.Reason{p.duplicateReason(*first)}, first.Reasons...)
	return true
}

// rejectFirst makes a reject of the first record of a key that others have, if it is none yet.
func (p *planner) rejectFirst(first, late *ledger.Record) {
	if first.State == ledger.Planned {
		p.to--
	}
	rows := late.Rows
	if first.State != ledger.Rejected {
		p.drift.rejected++
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
	reason := crowdReason(first.Key, p.most)
	p.rejectFirst(first, late)
	if !slices.ContainsFunc(first.Reasons, func(r ledger.Reason) bool { return r.Code == codeCrowded }) {
		first.Reasons = append([]ledger.Reason{reason}, first.Reasons...)
	}
	reject(late)
	late.Key, late.Digest, late.Reasons = "", "", []ledger.Reason{reason}
}

// codeCrowded is the reason of rows whose key too many have.
const codeCrowded = "key_crowded"

func crowdReason(key string, most int) ledger.Reason {
	return ledger.Reason{
		Code: codeCrowded, Value: key,
		Message: fmt.Sprintf("more than %d rows have the key %q", most, key),
		Hint:    "The key is probably the wrong column: choose one that tells records apart. If one record is meant to have so many rows, set rows: {max_per_record: …} in the mapping.",
	}
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

// codeDuplicate is the reason of rows that have one key and different values.
const codeDuplicate = "duplicate_key"

func duplicated(r ledger.Record) bool {
	return slices.ContainsFunc(r.Reasons, func(r ledger.Reason) bool { return r.Code == codeDuplicate })
}

func (p *planner) duplicateReason(r ledger.Record) ledger.Reason {
	return ledger.Reason{
		Code: codeDuplicate, Value: r.Key, Row: r.Rows[0].Number, Source: sourceNumber(r.Rows),
		Message: fmt.Sprintf("several rows have one key and different values: %q in %s", r.Key, places(r.Rows, p.run, p.sources)),
		Hint:    "Keep the row that is right and remove the others, or correct the key.",
	}
}

// sourceNumber tells the first row from those of other sources, which may have its number: its source, from 1; 0 when all
// rows are of one source.
func sourceNumber(rows []ledger.Row) int {
	if slices.ContainsFunc(rows, func(row ledger.Row) bool { return row.Source != rows[0].Source }) {
		return rows[0].Source + 1
	}
	return 0
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

// mostRows is how many rows of a file a reason names.
const mostRows = 100

// places says where rows stand: "row 7", or "a.csv rows 2, 3, b.csv row 2" when the run reads several files.
func places(rows []ledger.Row, run *ledger.Run, sources *sourceList) string {
	numbers, count := map[int][]string{}, map[int]int{}
	var order []int
	for _, row := range rows {
		if count[row.Source]++; count[row.Source] == 1 {
			order = append(order, row.Source)
		}
		if count[row.Source] <= mostRows {
			numbers[row.Source] = append(numbers[row.Source], strconv.Itoa(row.Number))
		}
	}
	var parts []string
	for _, s := range order {
		list := numbers[s]
		part := "rows " + strings.Join(list, ", ")
		if len(list) == 1 {
			part = "row " + list[0]
		}
		if count[s] > mostRows {
			part += fmt.Sprintf(" and %d more", count[s]-mostRows)
		}
		if name := sources.name(run, s); name != "" {
			part = name + " " + part
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// fillBare reads the sources once more for the cells of rows that were first taken as unchanged. It happens only when a
// later row of the file contradicts one the service already holds.
func (p *planner) fillBare(ctx context.Context, job Job) error {
	if len(p.bare) == 0 {
		return nil
	}
	found, err := cellsOf(ctx, job, p.bare)
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
