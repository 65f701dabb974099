package report_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"docketsync/importer/ledger"
)

// began is when the runs of the tests began.
var began = time.Date(2026, 11, 21, 6, 2, 0, 0, time.UTC)

const runID = "0198a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"

// book is a ledger in a temporary folder, and one run that a test writes into it the way the importer does: plan, intent,
// outcome.
type book struct {
	t   testing.TB
	led *ledger.Ledger
	run ledger.Run

	records  []ledger.Record
	outcomes []ledger.Outcome
}

func newBook(t testing.TB, change ...func(*ledger.Run)) *book {
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
	b := &book{t: t, led: led, run: ledger.Run{
		ID: runID, Job: "matters", Kind: ledger.Push, Operation: "create_case", Scope: "create_case", Phase: ledger.Reading,
		Fingerprint: "f00d", Started: began, Export: whole,
		Sources: []ledger.Source{{File: "/exports/matters.xlsx", Sheet: "Matters", SHA256: "ab12", Header: []string{"Ref", "Title", "Opened", "Attorney", "Notes"},
			Origins: []ledger.Origin{{Field: "name", From: "column", Columns: []int{1}}}}},
	}}
	for _, c := range change {
		c(&b.run)
	}
	b.must(led.Begin(t.Context(), b.run))
	return b
}

// next begins another run in the same ledger, so many hours after the first.
func (b *book) next(id string, hours int, change ...func(*ledger.Run)) *book {
	b.t.Helper()
	later := &book{t: b.t, led: b.led, run: b.run}
	later.run.ID, later.run.Started, later.run.Ended = id, began.Add(time.Duration(hours)*time.Hour), time.Time{}
	later.run.Phase, later.run.Stop, later.run.StopCode, later.run.Counts, later.run.Export = ledger.Reading, "", "", ledger.Counts{}, nil
	for _, c := range change {
		c(&later.run)
	}
	b.must(b.led.Begin(b.t.Context(), later.run))
	return later
}

func (b *book) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// row is a row of source 0, its cells as the importer stores them.
func row(number int, cells ...any) ledger.Row { return rowOf(0, number, cells...) }

func rowOf(source, number int, cells ...any) ledger.Row {
	r := ledger.Row{Source: source, Number: number}
	if cells != nil {
		data, err := json.Marshal(cells)
		if err != nil {
			panic(err)
		}
		r.Cells = data
	}
	return r
}

// n, d, clock, yes and wrong are cells of the kinds that are not text.
func n(digits string) any     { return map[string]string{"n": digits} }
func d(day string) any        { return map[string]string{"d": day} }
func clock(time string) any   { return map[string]string{"t": time} }
func yes(word string) any     { return map[string]string{"b": word} }
func formula(word string) any { return map[string]string{"e": word} }

// plan adds a record; its seq follows from the order.
func (b *book) plan(r ledger.Record) {
	r.Run, r.Scope, r.Seq = b.run.ID, b.run.Scope, int64(len(b.records)+1)
	if r.State == "" {
		r.State = ledger.Planned
	}
	if r.Action == "" {
		r.Action = ledger.Create
	}
	if r.Payload != nil && r.Digest == "" {
		r.Digest = fmt.Sprintf("%08x", r.Seq)
	}
	b.records = append(b.records, r)
}

// send adds a record that is sent, and how that went.
func (b *book) send(r ledger.Record, o ledger.Outcome) {
	b.plan(r)
	seq := int64(len(b.records))
	o.Run, o.Seq = b.run.ID, seq
	at := began.Add(time.Second + time.Duration(seq)*40*time.Millisecond)
	if o.Attempts == nil {
		o.Attempts = []ledger.Attempt{{Duration: 23 * time.Millisecond, Status: o.Status, Verdict: verdictOf(o.State), Answer: o.Message}}
	}
	for n := range o.Attempts {
		a := &o.Attempts[n]
		a.Run, a.Seq, a.Number, a.Started = b.run.ID, seq, n+1, at
		at = at.Add(a.Duration)
	}
	o.At = at
	b.outcomes = append(b.outcomes, o)
}

func verdictOf(s ledger.State) string {
	if s == ledger.Accepted || s == ledger.Refused || s == ledger.Failed || s == ledger.InDoubt {
		return string(s)
	}
	return "not_sent"
}

// end writes what was planned and sent, and ends the run. Rows are counted from the records unless the test has counted
// otherwise.
func (b *book) end(change ...func(*ledger.Run)) {
	b.t.Helper()
	ctx := b.t.Context()
	if len(b.records) > 0 {
		conflicts, err := b.led.Add(ctx, b.records)
		b.must(err)
		if len(conflicts) > 0 {
			b.t.Fatalf("records %v have keys that the run has already", conflicts)
		}
	}
	rows, skipped := 0, 0
	for _, r := range b.records {
		rows += len(r.Rows)
	}
	for _, n := range b.run.Counts.Skipped {
		skipped += n
	}
	b.run.Counts.Read, b.run.Counts.InRecords = rows+skipped, rows
	b.run.Phase, b.run.Ended = ledger.Finished, b.run.Started.Add(108*time.Second)
	for _, o := range b.outcomes {
		b.must(b.led.Commit(ctx, nil, []ledger.Intent{{Run: o.Run, Seq: o.Seq}}))
		b.must(b.led.Commit(ctx, []ledger.Outcome{o}, nil))
	}
	for _, c := range change {
		c(&b.run)
	}
	b.must(b.led.SaveRun(ctx, b.run))
	if b.run.Phase == ledger.Stopped {
		_, err := b.led.Hold(ctx, b.run.ID)
		b.must(err)
	}
}

func matter(ref, name string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"name":%q,"number":%q,"active":true,"file_template_id":"6f0c2d7e-5b0a-5c39-8a5e-0d1a36a0a001"}`, name, ref))
}

// names are matters of a firm that could be real.
var names = []string{
	"Brightwater Foods – Opposition EU 018", "Łódź Textiles v. Nordwind", "Café Müller licensing", "Ōkami Robotics filing programme", "Halvorsen & Dahl, due diligence",
	"Señal Abierta – renewal 2027", "Greystone Quarry, easement", "Ångström Optics", "Bête Noire SARL", "Tamarind Hotels, franchise",
}

// morning is a run with one of everything: 63 records of 66 rows.
func morning(t testing.TB) *book {
	t.Helper()
	b := newBook(t, func(r *ledger.Run) {
		r.Counts.Skipped = map[string]int{"blank": 2, `filtered: Status is "Dead"`: 1}
		r.Notes = json.RawMessage(`[{"format":"xlsx","sheet":"Matters","sheet_why":"the first visible one that holds a table","sheets":["Matters","Lists"],
			"date_system":"1900","header_row":1,"header_rows":1,"header_why":"text over data","above_header":0,"columns":5,"rows":66,
			"warnings":[{"code":"hidden_rows","message":"2 hidden rows were read like any others","hint":"Set hidden to keep or skip.","rows":[14,15],"count":2}]}]`)
	})
	for i := 1; i <= 52; i++ {
		ref, name := fmt.Sprintf("M-%04d", i), fmt.Sprintf("%s (%d)", names[i%len(names)], i)
		o := ledger.Outcome{State: ledger.Accepted, Status: 201, ServiceID: fmt.Sprintf("5b0a5c39-0000-4000-8000-%012d", i)}
		if i%17 == 0 {
			o.Attempts = []ledger.Attempt{{Duration: 310 * time.Millisecond, Status: 503, Verdict: "retry", Answer: "upstream is busy"}, {Duration: 41 * time.Millisecond, Status: 201, Verdict: "accepted"}}
		}
		r := ledger.Record{Key: ref, Payload: matter(ref, name), Rows: []ledger.Row{row(i+1, ref, name, d("2026-03-01"), "J. Okafor", nil)}}
		if i == 7 {
			r.Notes = []ledger.Reason{{Code: "truncated", Field: "name", Column: "Title", Cell: "B8", Row: 8, Message: "the name was cut to 254 characters, as the mapping says", Hint: "Shorten it in the source."}}
		}
		b.send(r, o)
	}
	b.plan(ledger.Record{Key: "M-0053", State: ledger.Unchanged, Action: ledger.None, Rows: []ledger.Row{row(54)}})
	b.plan(ledger.Record{Key: "M-0054", State: ledger.Unchanged, Action: ledger.None, Rows: []ledger.Row{row(55)},
		Notes: []ledger.Reason{{Code: "changed_since_created", Message: "M-0054 was created on 2026-10-02 and its row has changed since; a create is never sent twice", Hint: "Send the change with an update_case job, or change it in the service by hand."}}})
	reject := func(ref string, number int, title, opened, attorney string, reasons ...ledger.Reason) {
		b.plan(ledger.Record{Key: ref, State: ledger.Rejected, Action: ledger.None, Rows: []ledger.Row{row(number, ref, title, opened, attorney, nil)}, Reasons: reasons})
	}
	unknown := func(number int) ledger.Reason {
		return ledger.Reason{Code: "lookup_unknown", Field: "user_id", Column: "Attorney", Cell: fmt.Sprintf("D%d", number), Row: number, Value: "P. Quist",
			Message: `"P. Quist" is not in the table attorneys`, Hint: `Add it to lookups/attorneys.csv, or write "P. Quill" as the table does.`}
	}
	date := func(number int, value string) ledger.Reason {
		return ledger.Reason{Code: "date_ambiguous", Field: "opened", Column: "Opened", Cell: fmt.Sprintf("C%d", number), Row: number, Value: value,
			Message: fmt.Sprintf("%q may be a day in two months", value), Hint: "Write it with the month in letters, 3 Apr 2026, or say in the mapping which comes first."}
	}
	reject("M-0055", 56, "Nordwind, second action", "2026-04-03", "P. Quist", unknown(56))
	reject("M-0056", 57, "Kestrel Yachts", "03/04/2026", "P. Quist", date(57, "03/04/2026"), unknown(57))
	reject("M-0057", 58, "Olive & Stone", "05/06/2026", "J. Okafor", date(58, "05/06/2026"))
	b.plan(ledger.Record{Key: "M-0058", State: ledger.Rejected, Action: ledger.None,
		Rows: []ledger.Row{row(59, "M-0058", "Tern Analytics", d("2026-02-11"), "J. Okafor", nil), row(60, "M-0058", "Tern Analytics Ltd", d("2026-02-12"), "J. Okafor", "second entry")},
		Reasons: []ledger.Reason{{Code: "duplicate_key", Value: "M-0058", Row: 59, Message: `rows 59, 60 have the same key "M-0058" and different values`,
			Hint: "Keep the correct row and remove the others, or correct the key."}}})
	sent := func(i, number int, title string) ledger.Record {
		ref := fmt.Sprintf("M-%04d", i)
		return ledger.Record{Key: ref, Payload: matter(ref, title), Rows: []ledger.Row{row(number, ref, title, d("2026-05-05"), "J. Okafor", nil)}}
	}
	refused := ledger.Outcome{State: ledger.Refused, Status: 400, Message: `number "M-0059" is used already`,
		Reasons: []ledger.Reason{{Code: "refused", Message: `number "M-0059" is used already`, Hint: "Correct the row as the service asks and import it again."}}}
	b.send(sent(59, 61, "Saltmarsh Estates"), refused)
	b.send(sent(60, 62, "Vega Instruments"), ledger.Outcome{State: ledger.InDoubt, Message: "the connection broke after the request was sent; no answer came",
		Attempts: []ledger.Attempt{{Duration: 1200 * time.Millisecond, Verdict: "in_doubt", Error: "connection reset by peer"}}})
	b.send(sent(61, 63, "Pallas Shipping"), ledger.Outcome{State: ledger.Failed, Status: 429, Message: "the service was too busy for 5 minutes (429)"})
	b.plan(sent(62, 64, "Quarto Press"))
	b.plan(sent(63, 65, "Rowan Farms"))
	return b
}

// interrupted ends a run before its time.
func interrupted(r *ledger.Run) {
	r.Phase, r.StopCode, r.Stop = ledger.Stopped, "interrupted", "the run was interrupted; 2 records are held and go out with the next run"
}

func unmarshal(data []byte, into any) error { return json.Unmarshal(data, into) }
