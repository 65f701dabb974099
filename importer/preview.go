package importer

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer/decide"
	"docketsync/importer/ledger"
	"docketsync/importer/plan"
	"docketsync/importer/rows"
	"docketsync/mapping"
	"docketsync/mapping/reason"
	"docketsync/mapping/table"
)

// Preview shows one record: the rows it is made of, each value with its origin, and what a run would do with it.
type Preview struct {
	Job       string            `json:"job"`
	Operation payload.Operation `json:"operation"`
	Key       string            `json:"key,omitempty"`
	Rows      []PreviewRow      `json:"rows"`
	Skip      string            `json:"skip,omitempty"` // why the row is left out; then nothing else is known of it
	Fields    []mapping.Step    `json:"fields,omitempty"`
	Would     ledger.State      `json:"would,omitempty"` // planned, unchanged, rejected or in_doubt
	Action    ledger.Action     `json:"action,omitempty"`
	Payload   json.RawMessage   `json:"payload,omitempty"`  // as mapped
	Body      json.RawMessage   `json:"body,omitempty"`     // what is sent, if it differs from the payload
	Previous  json.RawMessage   `json:"previous,omitempty"` // what was last accepted
	Reasons   []ledger.Reason   `json:"reasons,omitempty"`
	Notes     []ledger.Reason   `json:"notes,omitempty"`
	Message   string            `json:"message,omitempty"`
	Known     *PreviewKnown     `json:"known,omitempty"` // nil if the ledger knows nothing of the record
	// Uncompared are the checks that compare the record with all others. A run makes them, a preview does not.
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
	Run        string    `json:"run,omitempty"` // the run in which it was last accepted
	AcceptedAt time.Time `json:"accepted_at,omitzero"`
	Unsettled  bool      `json:"unsettled,omitempty"` // sent again since, with an uncertain outcome
	Doubt      string    `json:"doubt,omitempty"`     // the run that left it in doubt
}

// Preview finds a record in the sources of a job and shows how it is made. It sends and stores nothing. It reads up to
// the given row and then searches all sources for the other rows of its key, because they decide what becomes of it.
// Memory does not grow with the sources.
func (i *Importer) Preview(ctx context.Context, job Job, spot rows.Spot) (Preview, error) {
	p := Preview{Job: job.Name, Operation: job.Mapping.Operation()}
	tables, err := i.Lookups(ctx, job)
	if err != nil {
		return Preview{}, err
	}
	walk := job.walk(tables)
	if walk.Corrected, err = i.Ledger.Corrections(ctx, job.Name); err != nil {
		return Preview{}, err
	}
	walk.Dates = rows.DatesOf(ctx, i.Ledger.Reader, job.Name, job.Mapping.Scope())
	if walk.Mapping, err = walk.InferDates(ctx); err != nil {
		return Preview{}, err
	}
	find := &rows.Finder{Walk: walk}
	p.Key = spot.Key
	if spot.Row > 0 {
		row, err := find.Row(ctx, spot)
		if err != nil {
			return p, err
		}
		var reasons []reason.Reason
		p.Key, p.Skip, reasons = find.Key(row)
		if p.Skip != "" || len(reasons) > 0 {
			return i.show(ctx, job, find, p, []table.Row{row})
		}
	}
	rows, err := find.Rows(ctx, p.Key)
	if err != nil {
		return p, err
	}
	return i.show(ctx, job, find, p, rows)
}

// show fills in what becomes of rows that have one key.
func (i *Importer) show(ctx context.Context, job Job, find *rows.Finder, p Preview, rows []table.Row) (Preview, error) {
	for _, row := range rows {
		part := find.Source(row)
		p.Rows = append(p.Rows, PreviewRow{File: part.File, Sheet: part.Sheet, Row: row.Number, Names: part.Header, Cells: row.Cells})
	}
	if p.Skip != "" {
		return p, nil
	}
	p.Fields = find.Steps(rows, rows[0])
	mapped := find.Mapped(p.Key, rows)
	forgotten, err := i.Ledger.Forgotten(ctx, job.Mapping.Scope(), []string{p.Key}, map[string]string{p.Key: payload.ID(mapped.Payload)})
	if err != nil {
		return p, err
	}
	if p.Key != "" && forgotten[p.Key] {
		p.Skip = ledger.SkipForgotten
		return p, nil
	}
	known, err := i.Ledger.Known(ctx, job.Mapping.Scope(), []string{p.Key})
	if err != nil {
		return p, err
	}
	if k, ok := known[p.Key]; ok && p.Key != "" {
		p.Known = previewKnown(k)
	} else if p.Key != "" {
		alike, say, rejects, err := plan.LikeForgotten(ctx, i.Ledger.Reader, job.Mapping, []string{p.Key})
		if err != nil {
			return p, err
		}
		if alike[p.Key] && rejects {
			mapped.Reasons = append(mapped.Reasons, say(p.Key, rows[0].Number))
		} else if alike[p.Key] {
			mapped.Notes = append(mapped.Notes, say(p.Key, rows[0].Number))
		}
	}
	recall, records := plan.Recall{Book: i.Ledger.Reader, Policy: job.Policy, Scope: job.Mapping.Scope(), Job: job.Name, At: i.now()}, []*decide.Mapped{&mapped}
	if _, err := recall.ByIDs(ctx, records, known); err != nil {
		return p, err
	}
	if err := errors.Join(recall.Renamed(ctx, records, known), recall.Verdicts(ctx, records, known)); err != nil {
		return p, err
	}
	var holds *ledger.LastAccepted
	if k, ok := known[p.Key]; ok && p.Key != "" {
		holds, p.Previous = &k, k.Payload
	}
	record, err := decide.Decide(mapped, holds, job.Policy)
	p.Would, p.Action, p.Payload, p.Body, p.Message = record.State, record.Action, mapped.Payload, record.Body, record.Message
	p.Reasons, p.Notes = record.Reasons, record.Notes
	if p.Would == ledger.Planned {
		for _, c := range job.Mapping.Comparisons() {
			p.Uncompared = append(p.Uncompared, c.Name)
		}
	}
	return p, err
}

func previewKnown(k ledger.LastAccepted) *PreviewKnown {
	p := &PreviewKnown{ServiceID: k.ServiceID, Run: k.Run, AcceptedAt: k.AcceptedAt, Unsettled: k.Unsettled}
	if k.Doubt != nil {
		p.Doubt = k.Doubt.Run
	}
	return p
}
