package support

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
	"docketsync/mapping/reason"
)

// How much a bundle lists of a run.
const (
	mostRecords = 20_000 // with a problem or a note
	mostOthers  = 200    // without any
)

// record is a record as a bundle has it.
type record struct {
	Seq        int64            `json:"seq"`
	Key        string           `json:"key,omitempty"`
	Outcome    string           `json:"outcome"`
	State      string           `json:"state"`
	Action     string           `json:"action"`
	Repeatable bool             `json:"repeatable"`
	Status     int              `json:"status,omitempty"`
	Digest     string           `json:"digest,omitempty"`
	HasID      bool             `json:"has_id"`
	Rows       []row            `json:"rows"`
	Reasons    []note           `json:"reasons,omitempty"`
	Notes      []note           `json:"notes,omitempty"`
	Message    []string         `json:"message_phrases,omitempty"`
	Attempts   []attempt        `json:"attempts,omitempty"`
	Payload    map[string]value `json:"payload,omitempty"`
}

type row struct {
	Source int `json:"source"` // among those of run.json, from 0
	Number int `json:"row"`
	Cells  int `json:"cells,omitempty"`
}

// value says of a field's value how many values there are, how long they are together, and their hash.
type value struct {
	N     int    `json:"values"`
	Chars int    `json:"characters"`
	Hash  string `json:"hash,omitempty"`
	Null  bool   `json:"null,omitempty"`
}

type note struct {
	Code   string `json:"code"`
	Field  string `json:"field,omitempty"`
	Column string `json:"column,omitempty"`
	Cell   string `json:"cell,omitempty"`
	Row    int    `json:"row,omitempty"`
	Source int    `json:"source_number,omitempty"`
	Value  string `json:"value,omitempty"`
	Chars  int    `json:"characters,omitempty"`
	Form   string `json:"form,omitempty"`
	Stored string `json:"stored,omitempty"`
	Check  string `json:"check,omitempty"` // of a check that the firm wrote: a hash of its name
}

type attempt struct {
	Number  int       `json:"number"`
	Started time.Time `json:"started"`
	Millis  float64   `json:"duration_ms"`
	Status  int       `json:"status,omitempty"`
	Verdict string    `json:"verdict"`
	Error   []string  `json:"error_phrases,omitempty"`
	Answer  *answer   `json:"answer,omitempty"`
}

// answer says what the bundle tells about the beginning of a body.
type answer struct {
	Bytes int    `json:"bytes"`
	Kind  string `json:"kind"`
	Hash  string `json:"hash"`
}

// records writes the records of the run that matter, and counts the codes of all records.
func (w *writer) records(ctx context.Context, book *ledger.Reader) (codes map[string]int, unlisted int, err error) {
	codes = map[string]int{}
	listed, others := 0, 0
	err = w.lines("records.jsonl", func(write func(any) error) error {
		for e, err := range report.WithAttempts(ctx, book, w.run.ID, ledger.RecordFilter{Remarkable: true}) {
			if err != nil {
				return fmt.Errorf("read the records of run %s: %w", w.run.ID, err)
			}
			for _, r := range slices.Concat(e.Reasons, e.Notes) {
				codes[word(r.Code)]++
			}
			n, most := &listed, mostRecords
			if went(e) {
				n, most = &others, mostOthers
			}
			if *n++; *n > most {
				unlisted++
				continue
			}
			if err := write(w.record(e)); err != nil {
				return err
			}
		}
		return nil
	})
	return codes, unlisted, err
}

// went reports whether a record went in without a problem.
func went(e report.Entry) bool {
	return len(e.Reasons)+len(e.Notes) == 0 && (e.State == ledger.Accepted || e.State == ledger.Planned || e.State == ledger.Unchanged) && len(e.Tries) < 2
}

func (w *writer) record(e report.Entry) record {
	r := record{Seq: e.Seq, Key: w.hide.hash(e.Key), Outcome: word(outcome.Of(e.Record)), State: word(e.State), Action: word(e.Action), Repeatable: e.Repeatable,
		Status: e.Status, Digest: w.hide.hash(e.Digest), HasID: e.ServiceID != "", Rows: []row{}, Payload: w.payload(e.Sent())}
	for _, at := range e.Rows {
		var cells []json.RawMessage
		_ = json.Unmarshal(at.Cells, &cells) // without cells there is nothing to count
		r.Rows = append(r.Rows, row{at.Source, at.Number, len(cells)})
	}
	if len(e.Tries) > 0 { // otherwise it is not about a request, and may quote a cell
		r.Message = said(e.Message)
	}
	for _, reason := range e.Reasons {
		r.Reasons = append(r.Reasons, w.note(e, reason))
	}
	for _, reason := range e.Notes {
		r.Notes = append(r.Notes, w.note(e, reason))
	}
	for _, a := range e.Tries {
		r.Attempts = append(r.Attempts, w.attempt(a))
	}
	return r
}

// formed lists the codes for which the form of a value matters.
var formed = []string{reason.DateUnreadable, reason.DateImpossible, reason.DateAmbiguous, reason.DateInText, reason.ZoneMissing, reason.TimeUnclear,
	reason.Number, reason.Rounded, reason.Shown, reason.GUID}

func (w *writer) note(e report.Entry, r ledger.Reason) note {
	own := note{Code: word(r.Code), Field: w.field(r.Field), Row: r.Row, Source: r.Source, Value: w.hide.hash(r.Value), Chars: utf8.RuneCountInString(r.Value), Stored: w.hide.hash(r.Stored)}
	from := 0
	if r.Source > 0 {
		from = r.Source - 1
	} else if len(e.Rows) > 0 {
		from = e.Rows[0].Source
	}
	own.Column = w.column(from, r.Column)
	if at := cellAddress.FindStringSubmatch(r.Cell); at != nil {
		own.Cell, own.Column = r.Cell, at[1]
	}
	if slices.Contains(formed, r.Code) {
		own.Form = form(r.Value)
	}
	if r.Code == reason.Check {
		own.Check = w.hide.hash(r.Message)
	}
	return own
}

func (w *writer) attempt(a ledger.Attempt) attempt {
	own := attempt{Number: a.Number, Started: a.Started.UTC(), Millis: report.Milliseconds(a.Duration), Status: a.Status, Verdict: word(a.Verdict), Error: said(a.Error)}
	if a.Answer != "" {
		text := strings.TrimSpace(a.Answer)
		kind := "text"
		switch {
		case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["):
			kind = "json"
		case strings.HasPrefix(text, "<"):
			kind = "markup"
		}
		own.Answer = &answer{len(a.Answer), kind, w.hide.hash(a.Answer)}
	}
	return own
}

// payload says which fields there are, how long they are, and which records have the same value.
func (w *writer) payload(text json.RawMessage) map[string]value {
	values, err := payload.Walk(text)
	if err != nil || len(values) == 0 {
		return nil
	}
	fields, together := map[string]value{}, map[string]string{}
	for _, v := range values {
		name := w.field(v.Field())
		if name == "" {
			continue
		}
		s := fields[name]
		s.N++
		s.Null = s.Null || v.IsNull()
		if !v.IsNull() {
			s.Chars += utf8.RuneCountInString(v.Text)
			together[name] += "\x00" + v.Text
		}
		s.Hash = w.hide.hash(together[name])
		fields[name] = s
	}
	return fields
}
