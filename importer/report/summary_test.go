package report_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/files"
	"docketsync/importer/report/outcome"
	"docketsync/importer/stop"
	"docketsync/mapping/reason"
)

func (b *book) summary() *report.Summary {
	b.t.Helper()
	s, err := report.Build(b.t.Context(), b.led.Reader, b.run.ID)
	b.must(err)
	return s
}

func TestSummaryCountsAddUp(t *testing.T) {
	t.Parallel()
	b := morning(t)
	b.end(interrupted)
	s := b.summary()
	if !s.AddsUp || len(s.Discrepancies) > 0 {
		t.Errorf("the counts do not add up: %q", s.Discrepancies)
	}
	wantRows := report.Rows{Read: 67, InRecords: 64, Skipped: []report.Skip{{Reason: "blank", Rows: 2}, {Reason: `filtered: Status is "Dead"`, Rows: 1}}}
	if diff := cmp.Diff(wantRows, s.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	wantRecords := report.Records{Total: 63, ByOutcome: []report.OutcomeCount{
		{Outcome: outcome.Created, Records: 52, Rows: 52}, {Outcome: outcome.Updated}, {Outcome: outcome.Unchanged, Records: 2, Rows: 2},
		{Outcome: outcome.Rejected, Records: 5, Rows: 6}, {Outcome: outcome.Failed, Records: 1, Rows: 1}, {Outcome: outcome.InDoubt, Records: 1, Rows: 1},
		{Outcome: outcome.Held, Records: 2, Rows: 2},
	}}
	if diff := cmp.Diff(wantRecords, s.Records); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	want := "52 of 63 matters were imported, 2 were already in the service; 1 row waits for 1 id; 4 matters (5 rows) need correcting; 1 record, counted above, has a change that cannot be sent; 1 is in doubt; 1 failed and will be processed again in the next run; " +
		"2 are held for the next run. The run was interrupted; 2 records are held and go out with the next run. " +
		"Warning: matters.xlsx: 2 hidden rows were read like any others (as in row 14, 2 rows in all)."
	if s.Verdict != want {
		t.Errorf("verdict\n%s\nwant\n%s", s.Verdict, want)
	}
}

func TestCausesAreGrouped(t *testing.T) {
	t.Parallel()
	b := morning(t)
	b.end(interrupted)
	at := func(row int, cell, value, key string) cause.Example {
		return cause.Example{File: "/exports/matters.xlsx", Sheet: "Matters", Row: row, Cell: cell, Value: value, Key: key}
	}
	want := []cause.Cause{
		{Outcome: outcome.Rejected, By: "docketsync", Code: "lookup_unknown", Field: "user_id", Column: "Attorney", Value: "P. Quist", Message: `"P. Quist" is not in the table attorneys`,
			Hint: `Add it to lookups/attorneys.csv, or write "P. Quill" as the table does.`, Rows: 2, Records: 2, Example: at(56, "D56", "P. Quist", "M-0055")},
		{Outcome: outcome.Rejected, By: "docketsync", Code: "date_ambiguous", Field: "opened", Column: "Opened", Message: `"…" may be a day in two months`,
			Hint: "Write it with the month in letters, 3 Apr 2026, or say in the mapping which comes first.", Rows: 2, Records: 2, Example: at(57, "C57", "03/04/2026", "M-0056")},
		{Outcome: outcome.Held, Code: "held", Message: "the run was interrupted; 2 records are held and go out with the next run",
			Hint: "Nothing was sent. The next run includes it.", Rows: 2, Records: 2, Example: at(64, "", "", "M-0062")},
		{Outcome: outcome.InDoubt, Code: "in_doubt", Message: "the connection broke after the request was sent; no answer came",
			Hint: "Check in the service whether it is there. docketsync does not send it again until it is resolved.", Rows: 1, Records: 1, Example: at(62, "", "", "M-0060")},
		{Outcome: outcome.Rejected, By: "docketsync", Code: "duplicate_key", Message: `rows 59, 60 have the same key "M-0058" and different values`,
			Hint: "Keep the correct row and remove the others, or correct the key.", Rows: 2, Records: 1, Example: at(59, "", "M-0058", "M-0058")},
		{Outcome: outcome.Rejected, By: "service", Code: "refused", Message: `number "M-0059" is used already`,
			Hint: "Correct the row as the service asks and import it again.", Rows: 1, Records: 1, Example: at(61, "", "", "M-0059")},
		{Outcome: outcome.Failed, Code: "failed", Message: "the service was too busy for 5 minutes (429)",
			Hint: "No action needed: the next run retries it. If this keeps happening, contact the service's operator.", Rows: 1, Records: 1, Example: at(63, "", "", "M-0061")},
	}
	s := b.summary()
	if diff := cmp.Diff(want, s.Causes, cmpopts.IgnoreUnexported(cause.Cause{}, cause.Example{})); diff != "" {
		t.Errorf("causes (-want +got):\n%s", diff)
	}
	var notes []string
	for _, note := range s.Notes {
		notes = append(notes, fmt.Sprintf("%s %s %d", note.Code, note.Field, note.Rows))
	}
	if diff := cmp.Diff([]string{"truncated name 1", "changed_since_created  1"}, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestServiceWordsAreGroupedWithoutTheirIDs(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	for i := range 12 {
		message := fmt.Sprintf(`user_id "%08d-0000-4000-8000-000000000000" does not exist`, i)
		b.send(ledger.Record{Key: fmt.Sprint("M-", i), Payload: matter("x", "y"), Rows: []ledger.Row{row(i+2, "x")}},
			ledger.Outcome{State: ledger.Refused, Status: 400, Reasons: []ledger.Reason{{Code: "refused", Message: message}}})
	}
	b.end()
	s := b.summary()
	if len(s.Causes) != 1 || s.Causes[0].Rows != 12 || s.Causes[0].Message != `user_id "…" does not exist` {
		t.Errorf("got %+v, want one cause of 12 rows", s.Causes)
	}
}

// TestCausesAreBounded shows that neither memory nor the page grows with the number of different values.
func TestCausesAreBounded(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	for i := range 1500 {
		value := fmt.Sprintf("client %d", i)
		b.plan(ledger.Record{Key: value, State: ledger.Rejected, Action: ledger.None, Rows: []ledger.Row{row(i+2, value)},
			Reasons: []ledger.Reason{{Code: "lookup_unknown", Field: "client_id", Value: value, Message: fmt.Sprintf("%q is not in the table clients", value)}}})
	}
	b.end()
	s := b.summary()
	rows := 0
	for _, cause := range s.Causes {
		rows += cause.Rows
	}
	if len(s.Causes) > 1001 || rows != 1500 || s.Causes[0].Code != "other" || s.Causes[0].Rows != 500 {
		t.Errorf("%d causes of %d rows, first %+v", len(s.Causes), rows, s.Causes[0])
	}
}

func TestMiscountsAreFound(t *testing.T) {
	t.Parallel()
	reading := func(r *ledger.Run) {
		r.Phase, r.StopCode, r.Stop, r.Fingerprint = ledger.Stopped, "input", "matters.xlsx is damaged", ""
	}
	for _, test := range []struct {
		name   string
		plan   func(b *book)
		run    func(*ledger.Run)
		want   string // in the only discrepancy; "" for none
		begins string // of the verdict
	}{
		{"everything in its place", nil, nil, "", "The only matter was imported."},
		{"a row was lost between file and records", nil, func(r *ledger.Run) { r.Counts.Read++ }, "3 rows were read, but 2 in records and 0 skipped make 2", ""},
		{"a row was lost between mapping and ledger", nil, func(r *ledger.Run) { r.Counts.Read++; r.Counts.InRecords++ }, "The run counted 3 rows in records, but its records are made of 2", ""},
		{"a row stands in two records", func(b *book) {
			b.plan(ledger.Record{Key: "again", State: ledger.Unchanged, Action: ledger.None, Rows: []ledger.Row{row(3)}})
		}, nil, "Row 3 of matters.xlsx, Matters stands in more than one record; there are 1 such rows", ""},
		{"the same row number of another file is another row", func(b *book) {
			b.plan(ledger.Record{Key: "other", State: ledger.Unchanged, Action: ledger.None, Rows: []ledger.Row{rowOf(1, 3)}})
		}, nil, "", "1 of 2 matters was imported, 1 was already up to date."},
		{"a finished run has a record without an outcome", func(b *book) {
			b.plan(ledger.Record{Key: "open", Payload: matter("a", "b"), Rows: []ledger.Row{row(9)}})
		}, nil, "The run has ended, but not all records have an outcome: 1 are open", ""},
		{"a state from another version", func(b *book) {
			b.plan(ledger.Record{Key: "odd", State: "postponed", Rows: []ledger.Row{row(9)}})
		}, nil, `Records in the state "postponed", which this version does not know: 1`, ""},
		{"a run that ended while reading owes no account", nil, func(r *ledger.Run) { reading(r); r.Counts.Read = 900 }, "",
			"No plan was made: the run ended while the file was being read, before anything was sent. The run was stopped: matters.xlsx is damaged."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBook(t)
			b.send(ledger.Record{Key: "M-1", Payload: matter("M-1", "Halvorsen"), Rows: []ledger.Row{row(2, "M-1"), row(3, "M-1")}}, ledger.Outcome{State: ledger.Accepted, Status: 201})
			if test.plan != nil {
				test.plan(b)
			}
			b.end(func(r *ledger.Run) {
				if test.run != nil {
					test.run(r)
				}
			})
			s := b.summary()
			switch {
			case test.want == "" && (!s.AddsUp || len(s.Discrepancies) > 0):
				t.Errorf("found fault with a whole account: %q", s.Discrepancies)
			case test.want != "" && (s.AddsUp || len(s.Discrepancies) != 1 || !strings.Contains(s.Discrepancies[0], test.want)):
				t.Errorf("adds up %v, %q; want %q", s.AddsUp, s.Discrepancies, test.want)
			}
			if !strings.HasPrefix(s.Verdict, test.begins) {
				t.Errorf("verdict %q, want it to begin %q", s.Verdict, test.begins)
			}
		})
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	ended := func(s ledger.State, a ledger.Action) ledger.Record {
		return ledger.Record{State: s, Action: a, Reasons: []ledger.Reason{{Code: "x", Message: "y"}}}
	}
	repeat := func(n int, r ledger.Record) (list []ledger.Record) {
		for range n {
			list = append(list, r)
		}
		return list
	}
	created, updated, unchanged := ended(ledger.Accepted, ledger.Create), ended(ledger.Accepted, ledger.Update), ended(ledger.Unchanged, ledger.None)
	rejected, planned, doubt := ended(ledger.Rejected, ledger.None), ended(ledger.Planned, ledger.Create), ended(ledger.InDoubt, ledger.Create)
	waiting := func(client, user string) ledger.Record {
		r := rejected
		r.Reasons = []ledger.Reason{{Field: "client_id", Code: "lookup_unfilled", Value: client, Message: `"` + client + `" has no id yet in the lookup "clients"`},
			{Field: "user_id", Code: "lookup_unknown", Value: user, Message: `"` + user + `" is not in the lookup "users"`}}
		return r
	}
	faulty := waiting("Acme", "jd")
	faulty.Reasons = append(faulty.Reasons, ledger.Reason{Field: "name", Code: "required_empty", Message: "name is empty"})
	edited := unchanged
	edited.Notes = []ledger.Reason{{Code: "changed_since_created", Message: "it has changed since"}}
	for _, test := range []struct {
		name      string
		operation string
		kind      ledger.Kind
		records   [][]ledger.Record
		want      string
	}{
		{"some did not go in", "create_case", ledger.Push, [][]ledger.Record{repeat(58, created), repeat(4, rejected), repeat(1, doubt)}, "58 of 63 matters were imported; 4 rows need correcting; 1 is in doubt."},
		{"all went in", "update_trademark", ledger.Push, [][]ledger.Record{repeat(1, updated), repeat(1, updated)}, "All 2 marks were imported."},
		{"nothing has changed", "create_folder", ledger.Push, [][]ledger.Record{repeat(3, unchanged)}, "All 3 folders were already up to date; nothing has changed."},
		{"what changed was created already", "create_case", ledger.Push, [][]ledger.Record{repeat(3, unchanged), repeat(2, edited)},
			"All 5 matters were already in the service; 2 records, counted above, have changes that cannot be sent."},
		{"what changed was created already, and others are new", "create_case", ledger.Push, [][]ledger.Record{repeat(3, unchanged), repeat(1, edited), repeat(1, created)},
			"1 of 5 matters was imported, 4 were already in the service; 1 record, counted above, has a change that cannot be sent."},
		{"a night's changes", "update_case", ledger.Push, [][]ledger.Record{repeat(1200, unchanged), repeat(5, updated)}, "5 of 1,205 matters were imported, 1,200 were already up to date."},
		{"none went in", "create_case", ledger.Push, [][]ledger.Record{repeat(1, rejected)}, "0 of 1 matter was imported; 1 row needs correcting."},
		{"some wait for ids", "create_case", ledger.Check, [][]ledger.Record{repeat(1, rejected), {waiting("Acme", "jd"), waiting("ACME", "jd"), waiting("Beta", "jd")}},
			"0 of 4 matters would be imported; 3 rows wait for 3 ids; 1 row needs correcting. Nothing was sent."},
		{"one waits and lacks more", "create_case", ledger.Check, [][]ledger.Record{{faulty}},
			"0 of 1 matter would be imported; 1 row needs correcting. Nothing was sent."},
		{"a plan", "create_case", ledger.Plan, [][]ledger.Record{repeat(2, planned), repeat(1, rejected)}, "2 of 3 matters would be imported; 1 row needs correcting. Nothing was sent."},
		{"a check", "create_case", ledger.Check, [][]ledger.Record{repeat(2, planned)}, "All 2 matters would be imported. Nothing was sent."},
		{"an empty file", "create_case", ledger.Push, nil, "There was nothing to do: there are no rows below the header."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBook(t, func(r *ledger.Run) { r.Operation, r.Kind = test.operation, test.kind })
			for _, list := range test.records {
				for _, r := range list {
					r.Key, r.Rows = fmt.Sprint(len(b.records)), []ledger.Row{row(len(b.records) + 2)}
					b.plan(r)
				}
			}
			b.end()
			if s := b.summary(); s.Verdict != test.want || !s.AddsUp {
				t.Errorf("got  %s\nwant %s\n%q", s.Verdict, test.want, s.Discrepancies)
			}
		})
	}
}

func TestTheMedianIsNotAboveTheSlowest(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	b.send(ledger.Record{Key: "M-1", Rows: []ledger.Row{row(2)}},
		ledger.Outcome{State: ledger.Accepted, Status: 201, Attempts: []ledger.Attempt{{Duration: 704491 * time.Microsecond, Status: 201}}})
	b.end()
	if r := b.summary().Requests; r.MedianMilliseconds > r.SlowestMilliseconds {
		t.Errorf("median %v ms, slowest %v ms", r.MedianMilliseconds, r.SlowestMilliseconds)
	}
}

func TestRequestsAreCounted(t *testing.T) {
	t.Parallel()
	b := morning(t)
	b.end(interrupted)
	r := b.summary().Requests
	want := report.Requests{
		Total: 58, Repeated: 3, SlowestMilliseconds: 1200,
		First: began.Add(1040 * time.Millisecond), Last: began.Add(4600 * time.Millisecond),
		ByStatus: []report.StatusCount{{Status: 0, N: 1}, {Status: 201, N: 52}, {Status: 400, N: 1}, {Status: 429, N: 1}, {Status: 503, N: 3}},
	}
	if diff := cmp.Diff(want, r, cmpopts.IgnoreFields(r, "Series", "StepMilliseconds", "MedianMilliseconds")); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	accepted, other := 0, 0
	for _, step := range r.Series {
		accepted, other = accepted+step.Accepted, other+step.Other
	}
	if accepted != 52 || other != 6 || len(r.Series) > 120 {
		t.Errorf("%d steps with %d accepted and %d others", len(r.Series), accepted, other)
	}
	if r.MedianMilliseconds < 21 || r.MedianMilliseconds > 25 {
		t.Errorf("median %v ms of requests that took 23 ms", r.MedianMilliseconds)
	}
}

// TestThroughputOverWeeks shows that a run which was stopped and resumed weeks later still fits its chart.
func TestThroughputOverWeeks(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	for i, after := range []time.Duration{0, time.Minute, 40 * 24 * time.Hour} {
		b.send(ledger.Record{Key: fmt.Sprint(i), Payload: matter("x", "y"), Rows: []ledger.Row{row(i + 2)}}, ledger.Outcome{State: ledger.Accepted, Status: 201})
		b.outcomes[i].Attempts[0].Started = began.Add(after)
	}
	b.end()
	r := b.summary().Requests
	total := 0
	for _, step := range r.Series {
		total += step.Accepted
	}
	if len(r.Series) > 120 || total != 3 || r.StepMilliseconds < 1000 {
		t.Errorf("%d steps of %d ms with %d requests", len(r.Series), r.StepMilliseconds, total)
	}
}

func TestUnknownRunIsNamed(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	_, err := report.Build(t.Context(), b.led.Reader, "abcdef")
	if !errors.Is(err, ledger.ErrNotFound) || !strings.Contains(err.Error(), "abcdef") {
		t.Errorf("got %v", err)
	}
}

func TestCancelledReportWritesNothing(t *testing.T) {
	t.Parallel()
	b := morning(t)
	b.end()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if _, err := files.Write(ctx, b.led.Reader, b.run.ID, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestAbandonedRunKeepsNobodyWaiting interrupts a run while it reads: what it had planned by then counts for nothing, and its report
// can still be asked for.
func TestAbandonedRunKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	b.plan(ledger.Record{Key: "M-1", State: ledger.Rejected, Action: ledger.None, Rows: []ledger.Row{row(2, "M-1")},
		Reasons: []ledger.Reason{{Code: "required", Field: "name", Message: "name is required"}}})
	b.end(func(r *ledger.Run) {
		r.Phase, r.StopCode, r.Stop, r.Fingerprint = ledger.Stopped, stop.Interrupted, "the run was interrupted", ""
	})
	s := b.summary()
	if !report.Abandoned(s.Run) || s.Records.Total != 0 || len(s.Causes) > 0 || !s.AddsUp {
		t.Errorf("%d records and %d causes of a run that nobody wants to know of: %q", s.Records.Total, len(s.Causes), s.Discrepancies)
	}
	if want := "No plan was made: the run ended while the file was being read, before anything was sent. The run was interrupted."; s.Verdict != want {
		t.Errorf("verdict %q", s.Verdict)
	}
	if _, err := files.WriteSummary(t.Context(), b.led.Reader, s, t.TempDir(), nil); err != nil {
		t.Error(err)
	}
}

// TestANewKeyIsNotCorrected has a record wait for a decision, and a file of which two kinds of rows are warned of in one way.
func TestANewKeyIsNotCorrected(t *testing.T) {
	t.Parallel()
	b := newBook(t, func(r *ledger.Run) {
		r.Notes = json.RawMessage(`[{"header_row":1,"warnings":[{"code":"odd","message":"a row is odd","rows":[2],"count":1},{"code":"odd","message":"a row is odd","rows":[3],"count":1}]}]`)
	})
	b.plan(reject("N-1", []ledger.Reason{{Code: reason.Renamed, Message: "it may be a new key"}}, row(2, "N-1")))
	b.end()
	s := b.summary()
	if list := s.Remedies("/r/rejects.xlsx"); len(list) != 1 || !slices.Equal(list[0].Args, []string{"renamed"}) {
		t.Errorf("what is to be done: %+v", list)
	}
	if !strings.Contains(s.Verdict, "a row is odd (as in row 2, 2 rows in all).") {
		t.Errorf("verdict: %s", s.Verdict)
	}
}
