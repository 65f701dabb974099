package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/source"
	"docketsync/mapping"
	"docketsync/mapping/table"
)

// Spot names the record to preview: by its key, or by the number of one of its rows. File and Sheet say in which file and
// sheet the row stands, where the job reads several.
type Spot struct {
	Key   string
	Row   int
	File  string // a path, or the end of one
	Sheet string
}

// Preview is the journey of one record: the rows it is made of, each value with where it comes from, and what a run would
// do with it.
type Preview struct {
	Job       string            `json:"job"`
	Operation mapping.Operation `json:"operation"`
	Key       string            `json:"key,omitempty"`
	Rows      []PreviewRow      `json:"rows"`
	Skip      string            `json:"skip,omitempty"` // why the row is left out; nothing else is known of it then
	Fields    []mapping.Step    `json:"fields,omitempty"`
	Would     ledger.State      `json:"would,omitempty"` // planned, unchanged, rejected or in_doubt
	Action    ledger.Action     `json:"action,omitempty"`
	Payload   json.RawMessage   `json:"payload,omitempty"`  // as mapped
	Body      json.RawMessage   `json:"body,omitempty"`     // what is sent, when it differs from the payload
	Previous  json.RawMessage   `json:"previous,omitempty"` // what was last accepted
	Reasons   []ledger.Reason   `json:"reasons,omitempty"`
	Notes     []ledger.Reason   `json:"notes,omitempty"`
	Message   string            `json:"message,omitempty"`
	Known     *PreviewKnown     `json:"known,omitempty"` // nil when the ledger knows nothing of the record
	// Uncompared are the checks that compare it with all other records. A run makes them, a preview does not.
	Uncompared []string `json:"uncompared,omitempty"`
}

// PreviewRow is a row of the record.
type PreviewRow struct {
	File  string       `json:"file"`
	Sheet string       `json:"sheet,omitempty"`
	Row   int          `json:"row"`
	Names []string     `json:"columns"` // the header over the cells
	Cells []table.Cell `json:"cells"`
}

// PreviewKnown is what the ledger knows of the record.
type PreviewKnown struct {
	ServiceID  string    `json:"service_id,omitempty"`
	Run        string    `json:"run,omitempty"` // that it was last accepted in
	AcceptedAt time.Time `json:"accepted_at,omitzero"`
	Unsettled  bool      `json:"unsettled,omitempty"` // sent again since, with an end that nobody can rely on
	Doubt      string    `json:"doubt,omitempty"`     // the run that left it in doubt
}

// Preview finds a record in the sources of a job and shows its journey. It sends and stores nothing. A row is read up to; the
// other rows of its key are then looked for in all of the sources, since they decide what becomes of it. Memory does not
// grow with the sources.
func (i *Importer) Preview(ctx context.Context, job Job, spot Spot) (Preview, error) {
	tables, err := i.Lookups(ctx, job)
	if err != nil {
		return Preview{}, err
	}
	v := &viewer{job: job, lookups: tables, run: &ledger.Run{Job: job.Name, Scope: job.Mapping.Scope()}, mappers: map[int]*mapping.Mapper{}}
	p := Preview{Job: job.Name, Operation: job.Mapping.Operation()}
	if spot.Row > 0 {
		row, err := v.find(ctx, spot)
		if err != nil {
			return p, err
		}
		mapper := v.mappers[row.Source]
		p.Skip = row.Skip
		var reasons []mapping.Reason
		if p.Skip == "" {
			p.Key, p.Skip, reasons = mapper.Key(row)
		}
		if p.Skip != "" || len(reasons) > 0 {
			return i.show(ctx, v, p, []table.Row{row}, row)
		}
		spot.Key = p.Key
	}
	p.Key = spot.Key
	rows, err := v.rowsOf(ctx, spot.Key)
	if err != nil {
		return p, err
	}
	return i.show(ctx, v, p, rows, rows[0])
}

// show fills in the journey of rows that have one key. at is the row that fields are explained for where each row is a
// record of its own.
func (i *Importer) show(ctx context.Context, v *viewer, p Preview, rows []table.Row, at table.Row) (Preview, error) {
	for _, row := range rows {
		part := v.run.Sources[row.Source]
		p.Rows = append(p.Rows, PreviewRow{File: part.File, Sheet: part.Sheet, Row: row.Number, Names: part.Header, Cells: row.Cells})
	}
	if p.Skip != "" {
		return p, nil
	}
	explained := rows
	if !v.job.Mapping.Grouped() {
		explained = []table.Row{at}
	}
	p.Fields = v.mappers[at.Source].Explain(explained)
	mapped, err := v.mapped(p.Key, rows)
	if err != nil {
		return p, err
	}
	known, err := i.Ledger.Known(ctx, v.run.Scope, []string{p.Key})
	if err != nil {
		return p, err
	}
	var holds *ledger.Known
	if k, ok := known[p.Key]; ok && p.Key != "" {
		p.Known = previewKnown(k)
	}
	if err := v.job.Policy.recall(ctx, i.Ledger.Reader, v.run.Scope, []string{p.Key}, known, i.now()); err != nil {
		return p, err
	}
	if k, ok := known[p.Key]; ok && p.Key != "" {
		holds = &k
	}
	record, err := Decide(mapped, holds, v.job.Policy)
	p.Would, p.Action, p.Payload, p.Body, p.Message = record.State, record.Action, mapped.Payload, record.Body, record.Message
	p.Reasons, p.Notes = record.Reasons, record.Notes
	if holds != nil {
		p.Previous = holds.Payload
	}
	if p.Would == ledger.Planned {
		for _, c := range v.job.Mapping.Comparisons() {
			p.Uncompared = append(p.Uncompared, c.Name)
		}
	}
	return p, err
}

func previewKnown(k ledger.Known) *PreviewKnown {
	p := &PreviewKnown{ServiceID: k.ServiceID, Run: k.Run, AcceptedAt: k.AcceptedAt, Unsettled: k.Unsettled}
	if k.Doubt != nil {
		p.Doubt = k.Doubt.Run
	}
	return p
}

// viewer reads the sources of a job for a preview.
type viewer struct {
	job     Job
	lookups map[string]*mapping.Lookup
	run     *ledger.Run
	mappers map[int]*mapping.Mapper // by the index of their source
}

// mapped makes the record of its rows as a run would: of all of them where the mapping groups, else of each, which have to
// agree.
func (v *viewer) mapped(key string, rows []table.Row) (Mapped, error) {
	r := &reader{job: v.job, run: v.run}
	if v.job.Mapping.Grouped() {
		return r.mapGroup(key, rows, v.mappers)
	}
	var first Mapped
	var reasons []ledger.Reason
	agree := true
	for n, row := range rows {
		record, why := v.mappers[row.Source].Map([]table.Row{row})
		mapped := r.mapped(key, record, why)
		reasons = append(reasons, mapped.Reasons...)
		if n == 0 {
			first = mapped
		}
		agree = agree && mapped.Digest == first.Digest && mapped.Digest != ""
	}
	if len(rows) > 1 && !agree {
		p := &planner{run: v.run, sources: &sourceList{}}
		why := p.duplicateReason(ledger.Record{Key: key, Rows: ledgerRows(rows, false)})
		first = Mapped{Operation: first.Operation, Key: key, Reasons: append([]ledger.Reason{why}, reasons...)}
	}
	return first, nil
}

// scan reads the inputs in their order until visit has seen enough of one; it goes on with the next then.
func (v *viewer) scan(ctx context.Context, visit func(table.Row) (enough bool)) error {
	v.run.Sources = nil
	for _, input := range v.job.Inputs {
		if err := v.scanInput(ctx, input, visit); err != nil {
			return err
		}
	}
	return nil
}

func (v *viewer) scanInput(ctx context.Context, input Input, visit func(table.Row) bool) (err error) {
	table, err := source.Open(ctx, input.Path, input.Options)
	if err != nil {
		return err
	}
	defer table.Close()
	first := len(v.run.Sources)
	mapper := v.mappers[first]
	if mapper == nil {
		if mapper, err = v.job.Mapping.Bind(table.Header(), v.lookups); err != nil {
			return err
		}
	}
	for n, part := range table.Sources() {
		v.mappers[first+n] = mapper
		v.run.Sources = append(v.run.Sources, ledger.Source{File: part.File, Sheet: part.Sheet, Header: table.Header().Names})
	}
	for row, err := range table.Rows(ctx) {
		if err != nil {
			return err
		}
		row.Source += first
		if visit(row) {
			break
		}
	}
	return nil
}

// find finds the row that a spot names. A number that several files or sheets have is an error that lists them.
func (v *viewer) find(ctx context.Context, spot Spot) (table.Row, error) {
	var found []table.Row
	last := map[int]int{} // the number of the last row seen, by source
	err := v.scan(ctx, func(row table.Row) bool {
		part := v.run.Sources[row.Source]
		switch {
		case spot.File != "" && !samePath(part.File, spot.File), spot.Sheet != "" && part.Sheet != spot.Sheet:
			return false
		case row.Number == spot.Row:
			row.Cells = slices.Clone(row.Cells)
			found = append(found, row)
		}
		last[row.Source] = row.Number
		// A file with one table is read no further.
		return row.Number >= spot.Row && v.lone(row.Source)
	})
	switch {
	case err != nil:
		return table.Row{}, err
	case len(found) == 1:
		return found[0], nil
	}
	var places []string
	for n, part := range v.run.Sources {
		where := part.File
		if part.Sheet != "" {
			where += ", sheet " + part.Sheet
		}
		if len(found) == 0 && last[n] > 0 {
			where += fmt.Sprintf(", which was read to row %d", last[n])
		}
		if len(found) == 0 || slices.ContainsFunc(found, func(row table.Row) bool { return row.Source == n }) {
			places = append(places, where)
		}
	}
	return table.Row{}, &SpotError{Spot: spot, Several: len(found) > 1, Places: places}
}

// lone tells whether a source is the only one of its file.
func (v *viewer) lone(source int) bool {
	file := v.run.Sources[source].File
	for n, part := range v.run.Sources {
		if n != source && part.File == file {
			return false
		}
	}
	return true
}

// samePath tells whether a path is the one that was asked for, in full or by its end.
func samePath(path, asked string) bool {
	path, asked = filepath.Clean(path), filepath.Clean(asked)
	return path == asked || filepath.Base(path) == asked
}

// rowsOf finds all rows of a key, wherever they stand.
func (v *viewer) rowsOf(ctx context.Context, key string) ([]table.Row, error) {
	var rows []table.Row
	near, twin := "", table.TwinKey(key)
	err := v.scan(ctx, func(row table.Row) bool {
		if row.Skip != "" {
			return false
		}
		switch found, skip, reasons := v.mappers[row.Source].Key(row); {
		case skip != "" || len(reasons) > 0:
		case found == key:
			row.Cells = slices.Clone(row.Cells)
			rows = append(rows, row)
		case near == "" && table.TwinKey(found) == twin:
			near = found
		}
		return false
	})
	if err == nil && len(rows) == 0 {
		err = &SpotError{Spot: Spot{Key: key}, Near: near}
	}
	return rows, err
}

// SpotError says that a record to preview is not there, or that several are meant.
type SpotError struct {
	Spot    Spot
	Several bool
	Places  []string // where the row was looked for, or was found
	Near    string   // a key that differs only in case, zeros or punctuation
}

// Error says what was looked for, where, and what to do.
func (e *SpotError) Error() string {
	list := ""
	for _, place := range e.Places {
		list += "\n  " + place
	}
	switch {
	case e.Several:
		return fmt.Sprintf("several files or sheets have a row %d; name one with --file or --sheet:%s", e.Spot.Row, list)
	case e.Spot.Row > 0:
		return fmt.Sprintf("there is no row %d below the header in%s", e.Spot.Row, list)
	case e.Near != "":
		return fmt.Sprintf("no row has the key %q; did you mean %q?", e.Spot.Key, e.Near)
	}
	return fmt.Sprintf("no row that the mapping takes has the key %q; --row N shows why a row is left out", e.Spot.Key)
}
