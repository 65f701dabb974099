package certificate_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"docketsync/importer/certificate"
	"docketsync/importer/ledger"
)

// began is when the first run of the tests began; the others follow a night later each.
var began = time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC)

const service = "https://cases.example.com"

// book is a ledger into which a test writes runs the way the importer does: plan, intent, outcome.
type book struct {
	t    testing.TB
	led  *ledger.Ledger
	runs []*night
	made int // runs, also those that are not among runs any more
}

// night is one run.
type night struct {
	book     *book
	run      ledger.Run
	records  []ledger.Record
	outcomes []ledger.Outcome
}

func newBook(t testing.TB) *book {
	t.Helper()
	led, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := led.Close(); err != nil {
			t.Error(err)
		}
	})
	b := &book{t: t, led: led}
	b.must(led.SetService(t.Context(), service))
	return b
}

func (b *book) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// The columns of the marks of the tests, and which fields they are read by.
var (
	markHeader  = []string{"Ref", "Office", "Mark", "App No", "Status", "Expires", "Client", "Owner"}
	markOrigins = []ledger.Origin{
		{Field: "key", From: "column", Type: "text", Columns: []int{0}},
		{Field: "id", From: "column", Type: "GUID", Columns: []int{0}, Lookup: "marks"},
		{Field: "registry_id", From: "column", Type: "GUID", Columns: []int{1}, Lookup: "registries"},
		{Field: "mark_text", From: "column", Type: "text", Columns: []int{2}},
		{Field: "application_number", From: "column", Type: "text", Columns: []int{3}},
		{Field: "status", From: "column", Type: "text", Columns: []int{4}},
		{Field: "expiry_date", From: "column", Type: "date", Columns: []int{5}},
		{Field: "client_agent_id", From: "column", Type: "GUID", Columns: []int{6}, Lookup: "clients"},
		{Field: "do_not_create_file", From: "constant", Type: "yes or no"},
	}
)

// night begins a run of marks; change may make another one of it.
func (b *book) night(change ...func(*ledger.Run)) *night {
	b.t.Helper()
	b.made++
	n := &night{book: b, run: ledger.Run{
		ID: fmt.Sprintf("0198a1b2-c3d4-7e5f-8a9b-0c1d2e3f%04d", b.made), Job: "marks", Kind: ledger.Push,
		Operation: "update_trademark", Scope: "update_trademark", Phase: ledger.Reading, Fingerprint: "f00d",
		Started: began.AddDate(0, 0, len(b.runs)),
		Sources: []ledger.Source{{File: "/exports/marks.xlsx", Sheet: "Marks", SHA256: "ab12", Header: markHeader, Origins: markOrigins}},
	}}
	for _, c := range change {
		c(&n.run)
	}
	b.runs = append(b.runs, n)
	b.must(b.led.Begin(b.t.Context(), n.run))
	return n
}

// digest is the digest of a payload as the importer makes it.
func digest(payload []byte) string {
	sum := sha256.Sum256(payload)
	return hex.EncodeToString(sum[:16])
}

// plan adds a record.
func (n *night) plan(r ledger.Record) {
	r.Run, r.Scope, r.Seq = n.run.ID, n.run.Scope, int64(len(n.records)+1)
	if r.Payload != nil {
		r.Digest = digest(r.Payload)
	}
	n.records = append(n.records, r)
}

// send adds a record that is sent, and how it ended.
func (n *night) send(r ledger.Record, state ledger.State, reasons ...ledger.Reason) {
	r.State, r.Repeatable = ledger.Planned, true
	n.plan(r)
	o := ledger.Outcome{Run: n.run.ID, Seq: int64(len(n.records)), State: state, Reasons: reasons, At: n.run.Started.Add(time.Minute)}
	if state == ledger.Accepted {
		o.Status, o.ServiceID = 200, "service-"+r.Key
	}
	n.outcomes = append(n.outcomes, o)
}

// end writes what was planned and sent. Rows are counted from the records.
func (n *night) end(change ...func(*ledger.Run)) {
	b := n.book
	b.t.Helper()
	ctx := b.t.Context()
	for at := 0; at < len(n.records); at += 1000 {
		_, err := b.led.Add(ctx, n.records[at:min(at+1000, len(n.records))])
		b.must(err)
	}
	rows, skipped := 0, 0
	for _, r := range n.records {
		rows += len(r.Rows)
	}
	for _, k := range n.run.Counts.Skipped {
		skipped += k
	}
	n.run.Counts.Read, n.run.Counts.InRecords = rows+skipped, rows
	n.run.Phase, n.run.Ended = ledger.Finished, n.run.Started.Add(2*time.Minute)
	for at := 0; at < len(n.outcomes); at += 500 {
		part := n.outcomes[at:min(at+500, len(n.outcomes))]
		intents := make([]ledger.Intent, len(part))
		for i, o := range part {
			intents[i] = ledger.Intent{Run: o.Run, Seq: o.Seq}
		}
		b.must(b.led.Commit(ctx, nil, intents))
		b.must(b.led.Commit(ctx, part, nil))
	}
	for _, c := range change {
		c(&n.run)
	}
	b.must(b.led.SaveRun(ctx, n.run))
	if n.run.Phase == ledger.Stopped {
		_, err := b.led.Hold(ctx, n.run.ID)
		b.must(err)
	}
}

// mark is a record of a mark and its row.
func mark(row int, ref, office, name, status, expires, client string) ledger.Record {
	id := func(of string) string {
		return fmt.Sprintf("%x", sha256.Sum256([]byte(of)))[:8] + "-0000-4000-8000-000000000000"
	}
	text := func(s string) string { data, _ := json.Marshal(s); return string(data) }
	payload := fmt.Sprintf(`{"id":%q,"registry_id":%q,"mark_text":%s,"application_number":%s,"status":%s`, id(ref), id(office), text(name), text("A-"+ref), text(status))
	if expires != "" {
		payload += fmt.Sprintf(`,"expiry_date":"%sT00:00:00Z"`, expires)
	}
	return ledger.Record{
		Key: ref, Action: ledger.Update,
		Payload: json.RawMessage(payload + fmt.Sprintf(`,"client_agent_id":%q,"do_not_create_file":true}`, id(client))),
		Rows:    []ledger.Row{cells(row, ref, office, name, "A-"+ref, status, dateCell(expires), client, "Owner of "+ref)},
	}
}

func dateCell(day string) any {
	if day == "" {
		return nil
	}
	return map[string]string{"d": day}
}

func cells(row int, values ...any) ledger.Row {
	data, err := json.Marshal(values)
	if err != nil {
		panic(err)
	}
	return ledger.Row{Number: row, Cells: data}
}

// reject makes a reject of a record.
func reject(r ledger.Record, code, field, message string) ledger.Record {
	r.State, r.Action, r.Payload = ledger.Rejected, ledger.None, nil
	r.Reasons = []ledger.Reason{{Code: code, Field: field, Message: message, Hint: "Correct it."}}
	return r
}

// unchanged is a record that the service holds already: of its row, only the place is kept.
func unchanged(r ledger.Record) ledger.Record {
	return ledger.Record{Key: r.Key, State: ledger.Unchanged, Action: ledger.None, Digest: digest(r.Payload), Rows: []ledger.Row{{Number: r.Rows[0].Number}}}
}

// certify makes the certificate of all runs.
func (b *book) certify(size int) *certificate.Certificate {
	b.t.Helper()
	var ids []string
	for _, n := range b.runs {
		ids = append(ids, n.run.ID)
	}
	cert, err := certificate.Build(b.t.Context(), b.led.Reader, ids, certificate.Options{Seed: 7, Size: size})
	b.must(err)
	return cert
}

// corrected begins a run of a workbook of rejects: the columns of the source behind docketsync's own.
func corrected(r *ledger.Run) {
	r.Sources = []ledger.Source{{File: "/reports/rejects.xlsx", Sheet: "Rejects", SHA256: "cd34",
		Header: append([]string{"docketsync: reasons", "docketsync: row", "docketsync: cells", "docketsync: record"}, markHeader...)}}
	for _, o := range markOrigins {
		for n := range o.Columns {
			o.Columns = []int{o.Columns[n] + 4}
		}
		r.Sources[0].Origins = append(r.Sources[0].Origins, o)
	}
}

// ofReject puts the columns of a workbook of rejects before a row: the record that it was rejected in.
func ofReject(r ledger.Record, of *night, seq int) ledger.Record {
	var values []any
	if err := json.Unmarshal(r.Rows[0].Cells, &values); err != nil {
		panic(err)
	}
	own := []any{"it was wrong", "marks.xlsx, Marks row 9", "B9", fmt.Sprintf("%s/%d", of.run.ID[len(of.run.ID)-6:], seq)}
	r.Rows = []ledger.Row{cells(r.Rows[0].Number, append(own, values...)...)}
	return r
}
