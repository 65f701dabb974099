package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"docketsync/config/document"
	"docketsync/importer/ledger"
	"docketsync/importer/source"
	"docketsync/mapping"
	"docketsync/mapping/table"
)

// batchSize is how many records go to the ledger at once: large enough that a transaction's cost is shared, small
// enough that memory stays flat.
const batchSize = 1000

// batchRows is how many rows a batch may be of before it goes, however few its records are.
const batchRows = 4 * batchSize

// mappedRecord is a record on its way from the mapping to the plan, with the rows it was made of. One that is the same as in
// the last run has neither payload nor cells: nothing will be made of them.
type mappedRecord struct {
	Mapped
	rows []table.Row
	same ledger.Same
}

// reader is the first half of the first pass: it turns the rows of a job into mapped records, batch by batch, and keeps
// the account of rows.
type reader struct {
	job    Job
	book   *ledger.Ledger
	run    *ledger.Run
	lookup map[string]*mapping.Lookup
	emit   func(context.Context, []mappedRecord) error
	report func(rows int)
	ended  bool // an earlier file of the job ended with a line break
	// sources guards the run's list of sources, which the planner reads meanwhile.
	sources  *sourceList
	profile  profile
	recalled *ledger.Recollection // the last run, nil where nothing is compared with it
	// used gives batches back that were emitted and are done with; nil where they are not given back.
	used chan []mappedRecord

	batch  []mappedRecord
	held   int          // rows of the batch
	cells  []table.Cell // what is left of the current block that the rows' cells are copied into
	rows   []table.Row  // and of that for the rows
	one    [1]table.Row // the row in hand
	staged []ledger.Staged
	turned document.Faults // of columns whose date cells are probably wrong
}

// sourceList lets one goroutine add to the sources of a run while another reads them.
type sourceList struct{ mu sync.Mutex }

func (s *sourceList) add(run *ledger.Run, source ledger.Source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	run.Sources = append(run.Sources, source)
}

func (s *sourceList) shows(run *ledger.Run, source int, dates map[int]string, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	run.Sources[source].DateFormats, run.Sources[source].Ended = dates, ended
}

// name is the file of a source, with its sheet where it has one; "" while the run has only one source.
func (s *sourceList) name(run *ledger.Run, source int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch found := run.Sources[source]; {
	case len(run.Sources) == 1:
		return ""
	case found.Sheet != "":
		return found.File + " (" + found.Sheet + ")"
	default:
		return found.File
	}
}

// read maps every row of every input. Rows of a grouped mapping are staged in the ledger first, because the rows of one
// record may stand anywhere in the file.
func (r *reader) read(ctx context.Context) error {
	r.run.Counts.Skipped = map[string]int{}
	var detected []any
	mappers := map[int]*mapping.Mapper{}
	for _, input := range r.job.Inputs {
		found, err := r.readInput(ctx, input, mappers)
		if err != nil {
			return err
		}
		detected = append(detected, found)
	}
	if err := r.turned.Err(); err != nil {
		return err
	}
	if r.job.Mapping.Grouped() {
		if err := r.mapGroups(ctx, mappers); err != nil {
			return err
		}
	}
	notes, err := json.Marshal(slices.Concat(detected, r.job.listNotes(r.run.Started), respelledNotes(mappers)))
	if err != nil {
		return fmt.Errorf("keep what was detected: %w", err)
	}
	r.run.Notes = notes
	return r.flush(ctx)
}

// readInput reads one input and closes it. The mappers it binds are kept by the index of their source.
func (r *reader) readInput(ctx context.Context, input Input, mappers map[int]*mapping.Mapper) (found source.Detected, err error) {
	input.Options.Ended = r.ended
	table, err := source.Open(ctx, input.Path, input.Options)
	if err != nil {
		return found, err
	}
	defer func() {
		if closing := table.Close(); err == nil {
			err = closing
		}
	}()
	mapper, err := r.job.Mapping.Bind(table.Header(), r.lookup)
	if err != nil {
		return found, err
	}
	r.profile.begin(table.Header())
	first := len(r.run.Sources)
	origins := keptOrigins(mapper)
	for n, part := range table.Sources() {
		mappers[first+n] = mapper
		r.sources.add(r.run, ledger.Source{File: part.File, Sheet: part.Sheet, Header: table.Header().Names, Origins: origins})
	}
	for row, err := range table.Rows(ctx) {
		if err != nil {
			return found, err
		}
		row.Source += first
		if err := r.readRow(ctx, mapper, row); err != nil {
			return found, err
		}
	}
	for n := range table.Sources() {
		r.sources.shows(r.run, first+n, table.DateFormats(n), table.Ended())
	}
	found = table.Detected()
	r.turned = append(r.turned, turnedDates(mapper, input, found)...)
	return found, r.flushStaged(ctx)
}

// keptOrigins are the mapping's origins as the ledger keeps them.
func keptOrigins(mapper *mapping.Mapper) []ledger.Origin {
	origins := mapper.Origins()
	list := make([]ledger.Origin, len(origins))
	for n, origin := range origins {
		list[n] = ledger.Origin(origin)
	}
	return list
}

// readRow accounts for one row: it is skipped, staged, or becomes a record of its own.
func (r *reader) readRow(ctx context.Context, mapper *mapping.Mapper, row table.Row) error {
	counts := &r.run.Counts
	counts.Read++
	if r.report != nil && counts.Read%batchSize == 0 {
		r.report(counts.Read)
	}
	if row.Skip != "" {
		counts.Skipped[row.Skip]++
		return nil
	}
	r.profile.add(row)
	key, skip, reasons := mapper.Key(row)
	if skip != "" {
		counts.Skipped[skip]++
		return nil
	}
	counts.InRecords++
	switch {
	case len(reasons) > 0 && r.job.Mapping.Grouped():
		return r.add(ctx, r.mapped(key, mapping.Record{}, reasons), row)
	case r.job.Mapping.Grouped():
		return r.stage(ctx, key, row)
	}
	r.one[0] = row
	record, reasons := mapper.MapInPlace(r.one[:])
	return r.add(ctx, r.mapped(key, record, reasons), r.one[:]...)
}

func (r *reader) mapped(key string, record mapping.Record, reasons []mapping.Reason) Mapped {
	m := Mapped{Operation: r.job.Mapping.Operation(), Key: key, Reasons: stored(reasons), Notes: stored(record.Notes), Traits: record.Traits}
	if len(reasons) == 0 {
		m.Payload, m.Digest = record.Payload, digest(record.Payload)
	}
	return m
}

// stored are the mapping's reasons as the ledger keeps them.
func stored(reasons []mapping.Reason) []ledger.Reason {
	if len(reasons) == 0 {
		return nil
	}
	list := make([]ledger.Reason, len(reasons))
	for n, reason := range reasons {
		list[n] = ledger.Reason{Code: reason.Code, Field: reason.Field, Column: reason.Column, Cell: reason.Cell, Row: reason.Row,
			Source: reason.Source, Value: reason.Value, Message: reason.Message, Hint: reason.Hint}
	}
	return list
}

// add puts a record into the batch, with copies of its payload and of its rows' cells: the mapper and a source reuse them.
func (r *reader) add(ctx context.Context, m Mapped, rows ...table.Row) error {
	same, err := r.recall(ctx, m)
	if err != nil {
		return err
	}
	if len(r.rows) < len(rows) {
		r.rows = make([]table.Row, max(len(rows), batchSize))
	}
	kept := r.rows[:len(rows):len(rows)]
	r.rows = r.rows[len(rows):]
	for n, row := range rows {
		if same.Found() {
			kept[n] = table.Row{Source: row.Source, Number: row.Number}
			continue
		}
		row.Cells = r.keep(row.Cells)
		if len(m.Reasons) > 0 {
			markMissing(row)
		}
		kept[n] = row
	}
	if same.Found() {
		m.Payload = nil
	} else {
		m.Payload = bytes.Clone(m.Payload)
	}
	r.batch = append(r.batch, mappedRecord{Mapped: m, rows: kept, same: same})
	if r.held += len(rows); len(r.batch) < batchSize && r.held < batchRows {
		return nil
	}
	return r.flush(ctx)
}

// markMissing makes errors of the cells that a rejected row is too short to have. A blank is what somebody put there: where the row
// is imported again as it is, it must not pass for one that was corrected.
func markMissing(row table.Row) {
	for _, fault := range row.Faults {
		for n := fault.Column; fault.Onward && n < len(row.Cells); n++ {
			row.Cells[n] = table.Cell{Kind: table.Error, Text: "#N/A"}
		}
	}
}

// recall finds a record that is as it was in the last run. One with a note is told of every night, so it is looked up.
func (r *reader) recall(ctx context.Context, m Mapped) (same ledger.Same, err error) {
	if r.recalled == nil {
		return same, nil
	}
	if same, err = r.recalled.Same(ctx, m.Key, m.Digest); len(m.Reasons)+len(m.Notes) > 0 {
		return ledger.Same{}, err
	}
	return same, err
}

// keep copies cells into a block shared by many rows, which costs one allocation for all of them.
func (r *reader) keep(cells []table.Cell) []table.Cell {
	if len(r.cells) < len(cells) {
		r.cells = make([]table.Cell, max(len(cells), 8192))
	}
	kept := r.cells[:len(cells):len(cells)]
	r.cells = r.cells[len(cells):]
	copy(kept, cells)
	return kept
}

func (r *reader) flush(ctx context.Context) error {
	if len(r.batch) == 0 {
		return nil
	}
	batch := r.batch
	r.held = 0
	select {
	case r.batch = <-r.used:
	default:
		r.batch = make([]mappedRecord, 0, batchSize)
	}
	if r.report != nil {
		r.report(r.run.Counts.Read)
	}
	return r.emit(ctx, batch)
}

func (r *reader) stage(ctx context.Context, key string, row table.Row) error {
	aside := ledgerRows([]table.Row{row}, true)[0]
	if len(row.Faults) > 0 {
		var err error
		if aside.Cells, err = json.Marshal(faultyRow{row.Cells, row.Faults}); err != nil {
			return fmt.Errorf("set row %d aside: %w", row.Number, err)
		}
	}
	r.staged = append(r.staged, ledger.Staged{Key: key, Row: aside})
	if len(r.staged) < batchSize {
		return nil
	}
	return r.flushStaged(ctx)
}

func (r *reader) flushStaged(ctx context.Context) error {
	if len(r.staged) == 0 {
		return nil
	}
	staged := r.staged
	r.staged = r.staged[:0]
	return r.book.Stage(ctx, r.run.ID, staged)
}

// faultyRow is a row with faults as it is set aside; of any other row there are only the cells.
type faultyRow struct {
	Cells  []table.Cell  `json:"cells"`
	Faults []table.Fault `json:"faults"`
}

// mapGroups maps the staged rows, one record for each key.
func (r *reader) mapGroups(ctx context.Context, mappers map[int]*mapping.Mapper) error {
	most := r.job.Mapping.MostRows()
	var before string // the key of the last group
	for group, err := range r.book.Groups(ctx, r.run.ID, most) {
		if err != nil {
			return err
		}
		rows, err := unstage(group.Rows)
		if err != nil {
			return fmt.Errorf("map the rows of %s: %w", group.Key, err)
		}
		var m Mapped
		switch {
		case group.Size <= most:
			m, err = r.mapGroup(group.Key, rows, mappers)
		case group.Key == before:
			m = r.crowded("", group.Key)
		default:
			m = r.crowded(group.Key, group.Key)
		}
		before = group.Key
		if err != nil {
			return err
		}
		if err := r.add(ctx, m, rows...); err != nil {
			return err
		}
	}
	return r.book.Unstage(ctx, r.run.ID)
}

// crowded is a reject for some of the rows of a key that too many have. The first of them is of that key, the others of none.
func (r *reader) crowded(key, shared string) Mapped {
	return Mapped{Operation: r.job.Mapping.Operation(), Key: key, Reasons: []ledger.Reason{crowdReason(shared, r.job.Mapping.MostRows())}}
}

// mapGroup maps the rows of one record. Rows of files whose columns differ cannot be read by one mapper, so a record
// that is spread over such files is rejected.
func (r *reader) mapGroup(key string, rows []table.Row, mappers map[int]*mapping.Mapper) (Mapped, error) {
	mapper := mappers[rows[0].Source]
	for _, row := range rows {
		if mappers[row.Source] != mapper && !r.sameHeader(rows[0].Source, row.Source) {
			reason := mapping.Reason{
				Code:    "record_over_files",
				Message: fmt.Sprintf("the rows of %s stand in files whose columns differ: %s", key, r.files(rows)),
				Hint:    "Put the rows of one record into one file.",
			}
			return r.mapped(key, mapping.Record{}, []mapping.Reason{reason}), nil
		}
	}
	record, reasons := mapper.Map(rows)
	return r.mapped(key, record, reasons), nil
}

func (r *reader) sameHeader(a, b int) bool {
	return slices.Equal(r.run.Sources[a].Header, r.run.Sources[b].Header)
}

func (r *reader) files(rows []table.Row) string {
	var files []string
	for _, row := range rows {
		if file := r.run.Sources[row.Source].File; !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return strings.Join(files, ", ")
}

func unstage(staged []ledger.Row) ([]table.Row, error) {
	rows := make([]table.Row, len(staged))
	for n, s := range staged {
		var err error
		var faulty faultyRow
		if bytes.HasPrefix(s.Cells, []byte{'{'}) {
			err = json.Unmarshal(s.Cells, &faulty)
		} else {
			err = json.Unmarshal(s.Cells, &faulty.Cells)
		}
		if err != nil {
			return nil, fmt.Errorf("row %d as it was set aside: %w", s.Number, err)
		}
		rows[n] = table.Row{Source: s.Source, Number: s.Number, Cells: faulty.Cells, Faults: faulty.Faults}
	}
	return rows, nil
}
