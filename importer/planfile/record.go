package planfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"docketsync/apiclient/payload"
	"docketsync/importer/ledger"
)

// Record is one record of a plan: what would be sent for it, or why not.
type Record struct {
	Key        string           `json:"key"`
	Action     ledger.Action    `json:"action"`
	State      ledger.State     `json:"state"`
	Rows       []int            `json:"rows"`
	Repeatable bool             `json:"repeatable"`
	Body       json.RawMessage  `json:"body,omitempty"`    // byte for byte what run would send
	Changes    []payload.Change `json:"changes,omitempty"` // field by field, against what was last accepted
	Reasons    []ledger.Reason  `json:"reasons,omitempty"`
	Notes      []ledger.Reason  `json:"notes,omitempty"`
}

// Of is a record of a run as a plan shows it.
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
	// Digest is that of the payload the mapping made, Known that of all the ledger knew of the record when it was planned.
	Digest string `json:"digest"`
	Known  string `json:"known,omitempty"`
}

// lineOf is a record as a plan file has it, and its text.
func lineOf(run ledger.Run, record ledger.Record) (l line, text []byte, err error) {
	l = line{Seq: record.Seq, Digest: record.Digest}
	if l.Record, err = Of(run, record); err != nil {
		return l, nil, err
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

// Line is JSON on one line, without the escapes meant for HTML.
func Line(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}
