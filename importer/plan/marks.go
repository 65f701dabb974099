package plan

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/corrected"
	"docketsync/importer/rows"
	"docketsync/mapping"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// marked is a row with a mark (corrected.Mark), from a workbook of rejects.
type marked struct {
	of     *rows.Record
	row    table.Row
	header []string
	run    ledger.Run
	was    ledger.Record // the record that the row was in that run; only its seq, if the ledger has no more of it
}

// holdToMarks rejects the records of a batch whose marks show that something is wrong: a row has the key of another
// record of its run, as when one column was sorted by itself; cells have lost digits; or its record was sent since, so
// that an old workbook would undo newer values. A mark of another scope ends the plan. A mark of a run that is gone, as
// checks soon are, is ignored.
func (p *planner) holdToMarks(ctx context.Context, batch *rows.Batch) error {
	list, err := p.markedRows(ctx, batch)
	if err != nil || len(list) == 0 {
		return err
	}
	keys := make([]string, 0, 2*len(list))
	for _, m := range list {
		arrived := p.arrived[m.origin()]
		if arrived == nil {
			arrived = map[string]int{}
			p.arrived[m.origin()] = arrived
		}
		arrived[m.place()]++
		keys = append(keys, m.of.Key, m.was.Key)
	}
	slices.Sort(keys)
	known, err := p.Book.Known(ctx, p.Run.Scope, slices.Compact(keys))
	if err != nil {
		return err
	}
	for _, m := range list {
		why := p.overtaken(m, known)
		moved, err := p.moved(ctx, m)
		if err != nil {
			return err
		}
		if moved {
			why = reason.New(reason.KeyMoved, m.of.Key, cmp.Or(m.was.Key, "a row without a key"))
		}
		if why == nil && p.Walk.Mapping.Grouped() && p.Walk.Mapping.Operation().Creates() && known[m.of.Key].Run == "" {
			why = m.incomplete(p.arrived[m.origin()])
		}
		altered, err := p.altered(m, moved)
		if err != nil {
			return err
		}
		m.of.Reasons = append(m.of.Reasons, altered...)
		if why != nil {
			m.of.Reasons = append(m.of.Reasons, ledger.Reason{Value: m.of.Key, Row: m.row.Number}.Says(why))
		}
	}
	return nil
}

// markedRows returns the rows of a batch that have a mark and a key.
func (p *planner) markedRows(ctx context.Context, batch *rows.Batch) (list []*marked, err error) {
	sources := p.sources.All()
	if !slices.ContainsFunc(sources, corrected.MarkedSource) {
		return nil, nil
	}
	if p.runs == nil {
		if err := p.nameRuns(ctx); err != nil {
			return nil, err
		}
	}
	for n := range batch.Records {
		of := &batch.Records[n]
		for _, row := range of.Rows {
			from := sources[row.Source]
			mark, ok := corrected.MarkIn(from, row)
			run, there := p.runs[mark.Run]
			switch {
			case !ok || !there || of.Key == "":
			case run.Scope != p.Run.Scope:
				return nil, fmt.Errorf("row %d of %s was rejected in run %s, which is of the job %s: import the file with that job; nothing was sent",
					row.Number, filepath.Base(from.File), run.Name, run.Job)
			default:
				list = append(list, &marked{of, row, from.Header, run, ledger.Record{Seq: mark.Seq}})
			}
		}
	}
	return list, p.recallMarked(ctx, list)
}

// nameRuns finds the runs that marks may name. If the ids of two end alike, the one of this scope is meant.
func (p *planner) nameRuns(ctx context.Context) error {
	runs, err := p.Book.Runs(ctx, ledger.RunFilter{})
	p.runs, p.age, p.arrived, p.rearranged = map[string]ledger.Run{}, map[string]int{}, map[corrected.Mark]map[string]int{}, map[string]rearranged{}
	p.mappers = map[int]*mapping.Mapper{}
	for n, run := range runs {
		p.age[run.ID] = n
		name := corrected.NewMark(run.ID, 0).Run
		if other, there := p.runs[name]; !there || other.Scope != p.Run.Scope {
			p.runs[name] = run
		}
	}
	return err
}

// recallMarked reads the records that the rows were. A row that was imported from a workbook of rejects and rejected
// again counts as the record that it was first: being rejected again does not put right what is wrong with it.
func (p *planner) recallMarked(ctx context.Context, list []*marked) error {
	seqs := map[string][]int64{}
	for _, m := range list {
		seqs[m.run.ID] = append(seqs[m.run.ID], m.was.Seq)
	}
	found := map[corrected.Mark]ledger.Record{}
	for run, of := range seqs {
		slices.Sort(of)
		for part := range slices.Chunk(slices.Compact(of), rows.BatchSize/2) {
			records, err := p.Book.RecordsAt(ctx, run, part)
			if err != nil {
				return err
			}
			for _, r := range records {
				found[corrected.NewMark(run, r.Seq)] = r
			}
		}
	}
	var earlier []*marked
	for _, m := range list {
		was := found[corrected.NewMark(m.run.ID, m.was.Seq)]
		if len(was.Rows) == 0 {
			continue
		}
		mark, _ := corrected.MarkOf(m.run, was.Rows[0])
		if first, there := p.runs[mark.Run]; there && first.Scope == m.run.Scope && p.age[first.ID] > p.age[m.run.ID] {
			m.run, was = first, ledger.Record{Seq: mark.Seq}
			earlier = append(earlier, m)
		}
		m.was = was
	}
	if len(earlier) == 0 {
		return nil
	}
	return p.recallMarked(ctx, earlier)
}

// moved reports whether a row has the key of another record of the run that rejected it. A record that was rejected
// because too many rows have its key has no key in that run.
func (p *planner) moved(ctx context.Context, m *marked) (bool, error) {
	crowded := slices.ContainsFunc(m.was.Reasons, func(r ledger.Reason) bool { return r.Code == reason.Crowded })
	if m.was.Run == "" || m.was.Key == m.of.Key || crowded {
		return false, nil
	}
	_, there, err := p.find(ctx, m.run.ID, m.of.Key)
	return there, err
}

// rearranged is what changed in one column of the marked rows, apart from the cells that were to be corrected.
type rearranged struct {
	cells int
	sum   uint64          // of the new values, minus the old ones: 0 if they are the same values
	went  map[string]bool // the old values; if they are few, such as yes and no, cells may have been corrected either way
	first string          // the first of the cells
}

// mostSwapped is how many cells of a column may trade values before the column counts as sorted by itself.
const mostSwapped = 2

// altered returns the cells of a row that have lost digits since the row was rejected, because a spreadsheet took them
// for numbers, the text cells that are now read as another value, and the dates and numbers that a spreadsheet made of
// texts and that are read as another value. It ignores columns for which the row was rejected: there a change was asked
// for. It also notes what else changed, for sorted, unless several rows are one record, because then it is not known
// which of them each was.
func (p *planner) altered(m *marked, moved bool) (list []ledger.Reason, err error) {
	if moved || len(m.was.Rows) == 0 {
		return nil, nil
	}
	if of := m.origin(); p.formerOf != of {
		if p.former, err = corrected.Rejected(m.run, m.was); err != nil {
			return nil, err
		}
		p.formerOf = of
	}
	for _, c := range corrected.Changed(p.former, m.header, m.row) {
		if slices.ContainsFunc(m.was.Reasons, func(r ledger.Reason) bool { return r.Column == c.Column }) {
			continue
		}
		var why *reason.Problem
		switch {
		case c.Retyped() && m.row.Line > 0: // in a workbook it is what somebody entered
			if why, err = p.reread(m, c); err != nil {
				return nil, err
			}
		case digitsLost(c.Before, c.Now):
			why = reason.New(reason.DigitsLost, c.Before)
		case c.Former.Kind == table.Text && converted(c):
			if why, err = p.reread(m, c); err != nil {
				return nil, err
			}
			switch {
			case why == nil:
			case c.Present.Kind == table.Date:
				why = reason.New(reason.ReadsTurned, c.Before, c.Now)
			default:
				why = reason.New(reason.DigitsLost, c.Before)
			}
		}
		if why != nil {
			list = append(list, ledger.Reason{Column: c.Column, Cell: c.Cell, Value: c.Now, Row: m.row.Number}.Says(why))
		}
		if len(m.was.Rows) == 1 && c.Before != c.Now {
			column := p.rearranged[c.Column]
			if column.cells++; column.went == nil {
				column.went = map[string]bool{}
			}
			column.went[c.Before] = true
			column.sum += maphash.String(seed, c.Now) - maphash.String(seed, c.Before)
			column.first = cmp.Or(column.first, c.Cell)
			p.rearranged[c.Column] = column
		}
	}
	return list, nil
}

// kinds are the words for what a cell held before it was text.
var kinds = map[table.Kind]string{table.Date: "date", table.Number: "number", table.Clock: "time", table.Bool: "truth value"}

// reread returns what is wrong with a cell that became text, as all do when a workbook is saved as CSV, or that a
// spreadsheet converted: it is read as another value than before. It maps the row twice, with the cell as it is and with
// the former value. What cannot be read has reasons of its own.
func (p *planner) reread(m *marked, c corrected.ChangedCell) (*reason.Problem, error) {
	mapper := p.mappers[m.row.Source]
	if mapper == nil {
		var err error
		if mapper, err = p.Walk.Mapping.Bind(table.Header{Names: slices.Concat(m.header, p.Walk.Absent)}, p.Walk.Lookups); err != nil {
			return nil, err
		}
		p.mappers[m.row.Source] = mapper
	}
	before := m.row
	before.Cells = slices.Clone(before.Cells)
	before.Cells[c.Place] = c.Former
	if reads, is := differing(mapper.Explain([]table.Row{m.row}), mapper.Explain([]table.Row{before})); is {
		return reason.New(reason.ReadsOther, kinds[c.Former.Kind], c.Before, c.Now, reason.Clip(cmp.Or(reads, "nothing"), 60)), nil
	}
	return nil, nil
}

// differing returns the first value of a row that differs from the one before.
func differing(now, before []mapping.Step) (value string, is bool) {
	for n, step := range now[:min(len(now), len(before))] {
		was := before[n]
		if len(step.Reasons)+len(was.Reasons) > 0 || bytes.Equal(step.Value, was.Value) {
			continue
		}
		if value, is = differing(step.Parts, was.Parts); !is {
			value = string(step.Value)
		}
		return value, true
	}
	return "", false
}

var seed = maphash.MakeSeed()

// sorted ends the plan if a column of a workbook of rejects was sorted without the others. No single row shows that its
// value belongs to another.
func (p *planner) sorted() error {
	for _, column := range slices.Sorted(maps.Keys(p.rearranged)) {
		if r := p.rearranged[column]; r.cells > mostSwapped && len(r.went) > mostSwapped && r.sum == 0 {
			return fmt.Errorf("%d cells of the column %q, from %s on, have the values that others of them had when their rows were rejected: the column was "+
				"probably sorted without the others. Undo that; or, if the values are right, clear the cells under %s. Nothing was sent",
				r.cells, column, r.first, corrected.Columns[3])
		}
	}
	return nil
}

// digitsLost reports whether now is what a spreadsheet makes of before if it takes that for a number: without leading
// zeros, to fifteen digits.
func digitsLost(before, now string) bool {
	was, err := strconv.ParseFloat(before, 64)
	is, other := strconv.ParseFloat(now, 64)
	digits := func(f float64) string { return strconv.FormatFloat(f, 'e', 14, 64) }
	restored := strings.TrimLeft(now, "0") == before
	return err == nil && other == nil && was-was == 0 && digits(was) == digits(is) && !restored // Inf and NaN are words
}

// grouping are the signs between thousands.
var grouping = strings.NewReplacer(",", "", ".", "", "'", "", " ", "", "\u00a0", "")

// converted reports whether a cell is what a spreadsheet makes of the former text if it takes that for a date or for a
// number with thousands.
func converted(c corrected.ChangedCell) bool {
	return c.Present.Kind == table.Date && sameNumbers(c.Before, c.Now) ||
		c.Present.Kind == table.Number && grouping.Replace(c.Before) == c.Now
}

// sameNumbers reports whether a text and a date have the same day, month and year, in whatever order, so that a
// spreadsheet may have made one of the other.
func sameNumbers(text, date string) bool {
	numbers := func(of string) []int {
		parts := strings.FieldsFunc(of, func(c rune) bool { return c < '0' || c > '9' })
		list := make([]int, 0, 3)
		for _, part := range parts[:min(len(parts), cap(list))] {
			n, _ := strconv.Atoi(part) // what is too long for a number is no part of a date
			list = append(list, n%100)
		}
		slices.Sort(list)
		return list
	}
	return slices.Equal(numbers(text), numbers(date))
}

// overtaken returns what is wrong with a row that would be sent although its record was sent since, under its key or
// its former one; nil if nothing is. It compares the order of the runs instead of times, because each may have been on
// a machine with a clock of its own.
func (p *planner) overtaken(m *marked, known map[string]ledger.LastAccepted) *reason.Problem {
	now := known[m.of.Key]
	if now.Doubt != nil || now.Run != "" && (p.Walk.Mapping.Operation().Creates() || now.Digest == m.of.Digest && !now.Unsettled) {
		return nil
	}
	for _, key := range []string{m.of.Key, m.was.Key} {
		by, at := known[key].Run, known[key].AcceptedAt
		if doubt := known[key].Doubt; doubt != nil {
			by, at = doubt.Run, doubt.At
		}
		if by != "" && p.age[by] <= p.age[m.run.ID] {
			return reason.New(reason.SentSince, key, moment.Day(at))
		}
	}
	return nil
}

// origin returns the record that the row was when it was first rejected.
func (m *marked) origin() corrected.Mark { return corrected.NewMark(m.run.ID, m.was.Seq) }

// place tells the rows of a record apart: by where each was rejected, or else by its content.
func (m *marked) place() string {
	return cmp.Or(m.row.Cell(slices.Index(m.header, corrected.Columns[1])).Text, string(table.AppendCells(nil, m.row.Cells)))
}

// incomplete returns what is wrong with a row of a record that is to be created if rows of that record are missing; nil
// if none are, or if another row of the record has that reason already. places counts the rows that have arrived, by
// place. A copied row does not count as another one, but several files of one name may have rows of one place. Rows
// that were rejected for being there at all may be missing.
func (m *marked) incomplete(places map[string]int) *reason.Problem {
	were := map[string]int{}
	for _, r := range m.was.Rows {
		were[corrected.Place(m.run, r)]++
	}
	arrived := 0
	for place, n := range places {
		arrived += min(n, max(were[place], 1))
	}
	needless := map[place]bool{}
	for _, r := range m.was.Reasons {
		switch r.Code {
		case reason.Crowded:
			return nil
		case "file_number_repeated", reason.FileCreated, reason.Hidden, reason.Total, reason.HeaderInside, reason.BelowOther:
			needless[place{r.Source, r.Row}] = true
		}
	}
	if arrived+len(needless) >= len(m.was.Rows) || slices.ContainsFunc(m.of.Reasons, func(r ledger.Reason) bool { return r.Code == reason.RowsMissing }) {
		return nil
	}
	return reason.New(reason.RowsMissing, arrived, len(m.was.Rows), m.of.Key)
}
