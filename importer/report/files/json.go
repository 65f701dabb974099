package files

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/outcome"
)

// jsonForm is the name and version of the JSON form. Members may be added to it. Changing the meaning of one, or
// removing one, takes a new version. Before version 2, records had all records of a run.
const (
	jsonForm = jsonName + "2"
	jsonName = "docketsync-report/"
)

// Record is a record in the JSON form: in report.json, and in the lines of WriteRecords.
type Record struct {
	Seq        int64           `json:"seq"`
	Key        string          `json:"key"`
	Outcome    outcome.Outcome `json:"outcome"`
	Action     ledger.Action   `json:"action"`
	By         string          `json:"by,omitempty"` // who rejected it: "docketsync" or "service"
	Rows       []ledger.Row    `json:"rows"`
	Payload    json.RawMessage `json:"payload,omitempty"`
	Body       json.RawMessage `json:"body,omitempty"`
	Previous   json.RawMessage `json:"previous,omitempty"`
	ServiceID  string          `json:"service_id,omitempty"`
	Status     int             `json:"status,omitempty"`
	Message    string          `json:"message,omitempty"`
	Reasons    []ledger.Reason `json:"reasons,omitempty"`
	Notes      []ledger.Reason `json:"notes,omitempty"`
	Repeatable bool            `json:"repeatable"`
	Attempts   []attempt       `json:"attempts,omitempty"`
	Settled    time.Time       `json:"settled,omitzero"`
	// Acknowledged is who accepts the rejected record as it is; nil if nobody does.
	Acknowledged *acknowledged `json:"acknowledged,omitempty"`
}

// acknowledged is who knows about a rejected record and accepts it until it changes.
type acknowledged struct {
	Who  string    `json:"who"`
	Note string    `json:"note,omitempty"`
	At   time.Time `json:"at"`
}

// attempt is one request for a record.
type attempt struct {
	Number       int       `json:"number"`
	Started      time.Time `json:"started"`
	Milliseconds float64   `json:"duration_ms"`
	Status       int       `json:"status,omitempty"`
	Verdict      string    `json:"verdict"`
	Error        string    `json:"error,omitempty"`
	Answer       string    `json:"answer,omitempty"`
}

// jsonWriter writes the summary, then each listed record on a line of its own. The package comment describes the form.
type jsonWriter struct {
	out     *bufio.Writer
	line    bytes.Buffer
	encoder *json.Encoder
	summary *report.Summary
	n       int
	want    int // how many records are to be listed
}

func newJSON(w io.Writer, s *report.Summary, _ string) (report.Form, error) {
	j := &jsonWriter{out: bufio.NewWriterSize(w, 1<<16), summary: s, want: s.ListedRecords()}
	j.encoder = json.NewEncoder(&j.line)
	j.encoder.SetEscapeHTML(false)
	summary, err := j.encode(s)
	if err != nil {
		return nil, fmt.Errorf("write the summary as JSON: %w", err)
	}
	fmt.Fprintf(j.out, "{\"form\":%q,\n\"summary\":%s,\n\"records\":[", jsonForm, summary)
	return j, nil
}

// encode encodes a value as JSON into the line buffer, without the final line feed.
func (j *jsonWriter) encode(v any) ([]byte, error) {
	j.line.Reset()
	if err := j.encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(j.line.Bytes(), "\n"), nil
}

func (j *jsonWriter) Add(e report.Entry) error {
	line, err := j.encode(newRecord(e, j.summary.Acknowledgements))
	if err != nil {
		return fmt.Errorf("write it as JSON: %w", err)
	}
	if j.n > 0 {
		_ = j.out.WriteByte(',')
	}
	j.n++
	_ = j.out.WriteByte('\n')
	_, err = j.out.Write(line)
	return err
}

func (j *jsonWriter) End() error {
	_, _ = j.out.WriteString("\n]")
	if j.n < j.want {
		fmt.Fprintf(j.out, ",\n\"records_too_large\":%d", j.want-j.n)
	}
	_, _ = j.out.WriteString("}\n")
	return j.out.Flush()
}

// Standing returns, from a report.json, when the run had ended as the file was written, and how many records of it or
// of earlier runs were in doubt then. Each is zero if the file does not say.
func Standing(r io.Reader) (ended time.Time, doubts int) {
	d := json.NewDecoder(r)
	for {
		token, err := d.Token()
		if err != nil {
			return ended, doubts
		}
		if token == "summary" {
			var s struct {
				Run          struct{ Ended time.Time }
				Records      report.Records
				StillInDoubt int `json:"still_in_doubt"`
			}
			_ = d.Decode(&s) // a summary that cannot be read counts as empty
			counted := report.Summary{Records: s.Records}
			return s.Run.Ended, counted.Count(outcome.InDoubt).Records + s.StillInDoubt
		}
	}
}

// WriteRecords writes all records of a run, given by its id or a unique prefix: each an object on a line of its own, in
// the form of report.json. A run that was pruned is a *report.PrunedError.
func WriteRecords(ctx context.Context, w io.Writer, led *ledger.Reader, run string) error {
	r, err := report.Find(ctx, led, run)
	if err != nil {
		return err
	}
	known, err := led.AcknowledgedIn(ctx, r)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for e, err := range report.WithAttempts(ctx, led, r.ID, ledger.RecordFilter{}) {
		if err != nil {
			return fmt.Errorf("read the records of run %s: %w", r.ID, err)
		}
		if err := encoder.Encode(newRecord(e, known)); err != nil {
			return fmt.Errorf("write record %d as JSON: %w", e.Seq, err)
		}
	}
	return out.Flush()
}

func newRecord(e report.Entry, known map[int64]ledger.Acknowledged) Record {
	r := Record{
		Seq: e.Seq, Key: e.Key, Outcome: outcome.Of(e.Record), Action: e.Action, Rows: e.Rows, Payload: e.Payload, Body: e.Body,
		Previous: e.Previous, ServiceID: e.ServiceID, Status: e.Status, Message: e.Message, Reasons: e.Reasons, Notes: e.Notes,
		Repeatable: e.Repeatable, Settled: e.Settled,
	}
	if by, ok := known[e.Seq]; ok {
		r.Acknowledged = &acknowledged{by.Who, by.Note, by.At.UTC()}
	}
	if r.Rows == nil {
		r.Rows = []ledger.Row{}
	}
	switch {
	case cause.RefusedByService(e.Record):
		r.By = cause.Service
	case e.State == ledger.Rejected:
		r.By = cause.Docketsync
	}
	for _, a := range e.Tries {
		r.Attempts = append(r.Attempts, attempt{a.Number, a.Started.UTC(), report.Milliseconds(a.Duration), a.Status, a.Verdict, a.Error, a.Answer})
	}
	return r
}
