package planfile

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
)

// form is the version of the form of plan files. From the second version on they have what two plans are compared with
// to find causes.
const (
	form      = 2
	firstForm = 1
)

// Head is the first line of a plan file: what the plan is of, and what it was made from.
type Head struct {
	Form       int                  `json:"docketsync_plan"`
	Job        string               `json:"job"`
	Operation  string               `json:"operation"`
	Scope      string               `json:"scope"`
	Service    string               `json:"service"`
	Account    json.RawMessage      `json:"account,omitempty"` // there, as the ledger keeps it
	Made       time.Time            `json:"made"`
	Version    string               `json:"version"`
	From       importer.Ingredients `json:"from"`
	Rows       report.Rows          `json:"rows"`
	Records    report.Records       `json:"records"`
	ToBeSent   int                  `json:"to_be_sent"`
	LedgerNote string               `json:"ledger"`

	// In the second form: the mapping's text, the settings that differ from their defaults, and the columns that the
	// fields are read from.
	MappingText string          `json:"mapping_text,omitempty"`
	Settings    []string        `json:"settings,omitempty"`
	Read        []ledger.Source `json:"read,omitempty"`
}

// ledgerNote says in the file how it holds the ledger's state.
const ledgerNote = "what the ledger knows of each record is in its line: known is the digest of what the service last accepted"

// sealLine is the last line.
type sealLine struct {
	Seal string `json:"seal"` // SHA-256 of the lines above, hex
}

// Write writes the plan of a run to a new file and returns its seal. service is the address that the plan is for,
// account identifies the account there, and version is that of docketsync.
func Write(ctx context.Context, book *ledger.Reader, path string, job importer.Job, s *report.Summary, service string, account []byte, version string) (seal string, err error) {
	from, err := job.Ingredients()
	if err != nil {
		return "", err
	}
	head := Head{
		Form: form, Job: job.Name, Operation: s.Run.Operation, Scope: s.Run.Scope, Service: service, Account: account, Made: time.Now().UTC(),
		Version: version, From: from, Rows: s.Rows, Records: s.Records, ToBeSent: s.Count(outcome.Planned).Records, LedgerNote: ledgerNote,
		MappingText: string(job.MappingText), Settings: job.Settings(), Read: s.Run.Sources,
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("a plan must be written to a new file: %w", err)
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(path)
		}
	}()
	buffered := bufio.NewWriterSize(f, 1<<16)
	sealed := &sealer{out: buffered, sum: sha256.New()}
	if err := sealed.line(head); err != nil {
		return "", err
	}
	if err := sealed.records(ctx, book, s.Run); err != nil {
		return "", err
	}
	seal = hex.EncodeToString(sealed.sum.Sum(nil))
	return seal, errors.Join(sealed.line(sealLine{seal}), buffered.Flush(), f.Sync())
}

// records writes what would be sent, and then what would not, with the reason why a record that another plan sends is
// missing in this one.
func (s *sealer) records(ctx context.Context, book *ledger.Reader, run ledger.Run) error {
	for _, states := range [][]ledger.State{{ledger.Planned}, {ledger.Rejected, ledger.InDoubt, ledger.Held, ledger.Unchanged}} {
		for record, err := range book.Records(ctx, run.ID, ledger.RecordFilter{States: states}) {
			if err != nil {
				return err
			}
			_, text, err := lineOf(run, record, form)
			if err != nil {
				return err
			}
			if err := s.write(text); err != nil {
				return err
			}
		}
	}
	return nil
}

// sealer writes lines and hashes them.
type sealer struct {
	out io.Writer
	sum hash.Hash
}

func (s *sealer) line(v any) error {
	text, err := Line(v)
	if err != nil {
		return err
	}
	return s.write(text)
}

func (s *sealer) write(text []byte) error {
	_, err := io.MultiWriter(s.out, s.sum).Write(append(text, '\n'))
	return err
}

// Record is one record of a plan: what would be sent for it, or why not.
type Record struct {
	Key        string           `json:"key"`
	Action     ledger.Action    `json:"action"`
	State      ledger.State     `json:"state"`
	Rows       []int            `json:"rows"`
	Repeatable bool             `json:"repeatable"`
	Body       json.RawMessage  `json:"body,omitempty"`    // byte for byte what run would send
	Changes    []payload.Change `json:"changes,omitempty"` // field by field, compared with what was last accepted
	Reasons    []ledger.Reason  `json:"reasons,omitempty"`
	Notes      []ledger.Reason  `json:"notes,omitempty"`
}

// Of returns a record of a run as a plan shows it.
func Of(run ledger.Run, record ledger.Record) (Record, error) {
	r := Record{
		Key: record.Key, Action: record.Action, State: record.State, Repeatable: record.Repeatable,
		Reasons: record.Reasons, Notes: record.Notes,
	}
	for _, row := range record.Rows {
		r.Rows = append(r.Rows, row.Number)
	}
	if record.State != ledger.Planned {
		return r, nil
	}
	r.Body = record.Sent()
	var err error
	if len(record.Previous) > 0 {
		r.Changes, err = payload.Changes(payload.Operation(run.Operation), record.Previous, record.Payload)
	}
	return r, err
}

// line is a record of a plan file.
type line struct {
	Seq int64 `json:"seq"`
	Record
	// Digest is that of the payload the mapping made, Known that of all the ledger knew of the record when it was
	// planned.
	Digest string `json:"digest"`
	Known  string `json:"known,omitempty"`
	// In the second form: the payload if something else is sent in its place, and the cells of the rows, each with its
	// source unless that is the first.
	Payload json.RawMessage   `json:"payload,omitempty"`
	Cells   []json.RawMessage `json:"cells,omitempty"`
	From    []int             `json:"from,omitempty"`
}

// lineOf returns a record as a plan file has it, and its text.
func lineOf(run ledger.Run, record ledger.Record, form int) (l line, text []byte, err error) {
	l = line{Seq: record.Seq, Digest: record.Digest}
	if l.Record, err = Of(run, record); err != nil {
		return l, nil, err
	}
	l.Reasons, l.Notes = worded(l.Reasons), worded(l.Notes)
	if form > firstForm {
		l.keep(record)
	}
	if len(record.Previous) > 0 || record.ServiceID != "" {
		entries, err := Line(record.Entries)
		if err != nil {
			return l, nil, err
		}
		sum := sha256.New()
		fmt.Fprintf(sum, "%s\n%s\n%s", record.Previous, record.ServiceID, entries)
		l.Known = hex.EncodeToString(sum.Sum(nil)[:16])
	}
	text, err = Line(l)
	return l, text, err
}

// worded returns reasons as both forms have them: in words alone, so that a plan that was approved before an upgrade
// still matches.
func worded(list []ledger.Reason) []ledger.Reason {
	list = slices.Clone(list)
	for n := range list {
		list[n].Form, list[n].Args = "", nil
	}
	return list
}

// keep adds what two plans are compared with.
func (l *line) keep(record ledger.Record) {
	if len(record.Body) > 0 {
		l.Payload = record.Payload
	}
	for n, row := range record.Rows {
		if len(row.Cells) > 0 {
			l.Cells = append(l.Cells, row.Cells)
		}
		if row.Source > 0 && l.From == nil {
			l.From = make([]int, n, len(record.Rows))
		}
		if l.From != nil {
			l.From = append(l.From, row.Source)
		}
	}
}

// Line returns JSON on one line, without the escapes meant for HTML.
func Line(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}
