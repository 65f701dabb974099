package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"

	"docketsync/importer/ledger/decisions"
	"docketsync/importer/ledger/forget"
	"docketsync/importer/ledger/store"
	"docketsync/importer/ledger/unchanged"
)

var forgetCases = cases{
	"nothing of a client that was forgotten is in any table, and all of its keys are known as forgotten": nothingOfAForgottenClientIsLeft,
	"a client of whom anything is in doubt or under way is not forgotten":                                aClientWithSomethingOpenIsNotForgotten,
	"a record that names another client by now is not forgotten unasked":                                 aRecordThatNamesAnotherClientIsNotForgottenUnasked,
	"what was forgotten is known by its GUID however that is spelled":                                    whatWasForgottenIsKnownByItsGUIDHoweverSpelled,
	"a key that was forgotten is recognised in other spellings":                                          aForgottenKeyIsRecognisedInOtherSpellings,
	"a client is not forgotten while a run is under way":                                                 aClientIsNotForgottenDuringARun,
}

// clientRun writes a run with two records of a client (a create and a rejected row) and one of another client, whose
// note quotes the first client's key.
func clientRun(t testing.TB, l *Ledger, id string) {
	t.Helper()
	begin(t, l, id)
	run, err := l.Run(t.Context(), id)
	must(t, err)
	run.Sources = []Source{{File: "export.csv", Header: []string{"Ref", "Client"}, Origins: []Origin{{Field: "key", Columns: []int{0}}, {Field: "client_id", From: "column", Columns: []int{1}}}}}
	run.Notes = json.RawMessage(`[{"lookup":"clients","respelled":[{"written":"ZEPHYR-NAME","found":"other"}]}]`)
	must(t, l.SaveRun(t.Context(), run))
	row := func(number int, ref, client string) []Row {
		return []Row{{Number: number, Cells: json.RawMessage(fmt.Sprintf(`[%q,%q]`, ref, client))}}
	}
	list := []Record{
		{Run: id, Seq: 1, Scope: "create_case", Key: "ZEPHYR-1", State: Planned, Action: Create, Digest: "d1", Rows: row(2, "ZEPHYR-1", "ZEPHYR-NAME"),
			Payload: json.RawMessage(`{"client_id":"ZEPHYR-CLIENT","name":"ZEPHYR-TITLE"}`), Notes: []Reason{{Code: "n", Message: "of ZEPHYR-1"}}},
		{Run: id, Seq: 2, Scope: "create_case", Key: "OTHER-1", State: Planned, Action: Create, Digest: "d2", Rows: row(3, "OTHER-1", "Other"),
			Payload: json.RawMessage(`{"client_id":"other-client","name":"Other title"}`), Notes: []Reason{{Code: "same_name", Message: "as that of ZEPHYR-1, in row 2"}}},
		{Run: id, Seq: 3, Scope: "create_case", State: Rejected, Action: None, Rows: row(4, "", "ZEPHYR-NAME"), Reasons: []Reason{{Code: "key_empty", Cell: "A4", Row: 4, Message: "ZEPHYR-NAME has no key"}}},
	}
	add(t, l, list...)
	send(t, l, id, 1, 2)
	for n, service := range []string{"ZEPHYR-ID", "other-id"} { // the client's first, whose answer stands with the run
		answer := []string{`{"id":"ZEPHYR-ID","client":"The ZEPHYRian Company"}`, `{"id":"other-id","client":"Other"}`}[n]
		settle(t, l, Outcome{Run: id, Seq: int64(n + 1), State: Accepted, Status: 201, ServiceID: service, Message: "made " + service,
			Attempts: []Attempt{{Started: noon, Status: 201, Verdict: "accepted", Answer: answer}}})
	}
	finish(t, l, id, Finished)
}

// laterNight writes a run in which all of that is unchanged, and one that updates what was created, under another
// scope.
func laterNight(t testing.TB, l *Ledger) {
	t.Helper()
	begin(t, l, "b1")
	run, err := l.Run(t.Context(), "b1")
	must(t, err)
	quiet, err := l.UnchangedWriter(t.Context(), run)
	must(t, err)
	quiet.Add(1, "OTHER-1", "d2", "other-id", []unchanged.Place{{Number: 3}})
	quiet.Add(2, "ZEPHYR-1", "d1", "ZEPHYR-ID", []unchanged.Place{{Number: 2}})
	must(t, quiet.Flush(t.Context(), true))
	finish(t, l, "b1", Finished)
	must(t, l.Begin(t.Context(), Run{ID: "c1", Job: "updates", Kind: Push, Operation: "update_case", Scope: "update_case", Phase: Pushing, Started: noon, Sources: []Source{{File: "u.csv"}}}))
	add(t, l, Record{Run: "c1", Seq: 1, Scope: "update_case", Key: "ZEPHYR-U", State: Planned, Action: Update, Digest: "d3", Rows: []Row{{Number: 2}},
		Payload: json.RawMessage(`{"id":"ZEPHYR-ID","name":"ZEPHYR-LATER"}`)})
	send(t, l, "c1", 1)
	settle(t, l, Outcome{Run: "c1", Seq: 1, State: Accepted, Attempts: []Attempt{{Started: noon, Status: 200, Verdict: "accepted"}}})
	finish(t, l, "c1", Finished)
}

func nothingOfAForgottenClientIsLeft(t *testing.T, l *Ledger) {
	clientRun(t, l, "a1")
	laterNight(t, l)
	must(t, l.MakeSearchable(t.Context()))
	must(t, l.Correct(t.Context(), "matters", "ZEPHYR-1", nil, []decisions.CellCorrection{{Column: "Client", Old: "ZEPHYR-OLD", New: "ZEPHYR-NEW", Who: "Ines"}}))
	must(t, l.AddAuditEntry(t.Context(), decisions.AuditEntry{At: noon, Who: "Ines", Action: "resolve", Target: "ZEPHYR-1", Result: "done"}))
	before, err := l.Tally(t.Context(), "a1")
	must(t, err)
	if strings.Count(dumped(t, l), "ZEPHYR") < 15 {
		t.Fatal("the client is in few tables")
	}
	h, err := l.Forget(t.Context(), forget.Subject{Clients: []string{"zephyr-client"}}, changeNothing)
	must(t, err)
	if h.KeyCount() != 2 || h.Known != 2 || h.Records != 3 || len(h.Runs) != 3 {
		t.Errorf("%d keys, %d known, %d records, %d runs", h.KeyCount(), h.Known, h.Records, len(h.Runs))
	}
	text := dumped(t, l)
	for at := strings.Index(text, "ZEPHYR"); at >= 0; at = -1 {
		t.Errorf("it is still there: …%s…", text[max(0, at-200):min(len(text), at+100)])
	}
	if !strings.Contains(text, "OTHER-1") || !strings.Contains(text, "Other title") {
		t.Error("the other client is gone too")
	}
	after, err := l.Tally(t.Context(), "a1")
	must(t, err)
	same(t, after, before)
	gone, err := l.Forgotten(t.Context(), "create_case", []string{"ZEPHYR-1", "OTHER-1", "renamed"}, map[string]string{"renamed": "ZEPHYR-ID", "OTHER-1": "other-id"})
	must(t, err)
	same(t, gone, map[string]bool{"ZEPHYR-1": true, "renamed": true})
	var requests []Attempt
	for a, err := range l.AllAttempts(t.Context(), "a1") {
		must(t, err)
		requests = append(requests, a)
	}
	same(t, requests, []Attempt{{Run: "a1", Seq: 1, Number: 1, Started: noon, Status: 201, Verdict: "accepted"},
		{Run: "a1", Seq: 2, Number: 1, Started: noon, Status: 201, Verdict: "accepted", Answer: `{"id":"other-id","client":"Other"}`}})
	for r, err := range l.Records(t.Context(), "a1", RecordFilter{}) {
		must(t, err)
		if r.Seq == 3 && r.Reasons[0].Message != "the details were removed at the firm's request" {
			t.Errorf("what was rejected without a key is still there: %+v", r)
		}
	}
	for r, err := range l.Records(t.Context(), "b1", RecordFilter{}) {
		must(t, err)
		if r.Seq == 1 && (r.Key != "OTHER-1" || r.Digest != "d2" || r.ServiceID != "other-id") || r.Seq == 2 && (r.ServiceID+r.Digest != "" || r.Rows[0].Number != 2) {
			t.Errorf("record %+v", r)
		}
	}
	if known, err := l.Known(t.Context(), "create_case", []string{"OTHER-1"}); err != nil || string(known["OTHER-1"].Payload) == "" {
		t.Errorf("%v, %v", known, err)
	}
}

func changeNothing(*forget.Traces) error { return nil }

// dumped returns everything in the tables, with compressed content unpacked.
func dumped(t *testing.T, l *Ledger) string {
	t.Helper()
	tables, err := store.List(t.Context(), l.h.Read, store.Column[string], `select name from sqlite_master where type = 'table'`)
	if err != nil {
		tables, err = store.List(t.Context(), l.h.Read, store.Column[string], `select table_name from information_schema.tables where table_schema = current_schema()`)
	}
	must(t, err)
	var text strings.Builder
	for _, table := range tables {
		rows, err := l.h.Read.QueryContext(t.Context(), `select * from `+table)
		must(t, err)
		columns, err := rows.Columns()
		must(t, err)
		for rows.Next() {
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for n := range values {
				into[n] = &values[n]
			}
			must(t, rows.Scan(into...))
			for _, value := range values {
				bytes, packed := value.([]byte)
				if packed {
					value = string(bytes)
				}
				// A hash may be taken for the length of gigabytes, which would be allocated before they are found to be
				// missing.
				if size, err := s2.DecodedLen(bytes); packed && err == nil && size < 1<<20 {
					if whole, err := s2.Decode(nil, bytes); err == nil {
						value = string(whole)
					}
				}
				fmt.Fprintf(&text, "%s %s\n", table, strings.ToUpper(fmt.Sprint(value)))
			}
		}
		must(t, rows.Close())
	}
	return strings.ReplaceAll(text.String(), "OTHER TITLE", "Other title")
}

func aClientWithSomethingOpenIsNotForgotten(t *testing.T, l *Ledger) {
	begin(t, l, "a1")
	r := planned("a1", 1, "k")
	r.Payload = json.RawMessage(`{"client_id":"c"}`)
	add(t, l, r)
	send(t, l, "a1", 1)
	settle(t, l, Outcome{Run: "a1", Seq: 1, State: InDoubt})
	finish(t, l, "a1", Finished)
	h, err := l.Forget(t.Context(), forget.Subject{Clients: []string{"c"}}, changeNothing)
	if !errors.Is(err, forget.ErrUnfinished) || h.Open != 1 {
		t.Errorf("%v, %v", h, err)
	}
	if doubts, err := l.Doubts(t.Context(), ""); err != nil || len(doubts) != 1 || doubts[0].Key != "k" {
		t.Errorf("%v, %v", doubts, err)
	}
}

func aClientIsNotForgottenDuringARun(t *testing.T, l *Ledger) {
	clientRun(t, l, "a1")
	release, err := l.Lock(t.Context(), "create_case")
	must(t, err)
	if _, err := l.Forget(t.Context(), forget.Subject{Clients: []string{"ZEPHYR-CLIENT"}}, changeNothing); err == nil {
		t.Error("forgotten while a run holds its lock")
	}
	must(t, release())
	if gone, err := l.Forgotten(t.Context(), "create_case", []string{"ZEPHYR-1"}, nil); err != nil || len(gone) > 0 {
		t.Errorf("%v, %v", gone, err)
	}
}

func whatWasForgottenIsKnownByItsGUIDHoweverSpelled(t *testing.T, l *Ledger) {
	const loud, quiet = "8F2E11AA-0C4D-4B66-9D10-1C6BB0A7C0DE", "8f2e11aa-0c4d-4b66-9d10-1c6bb0a7c0de"
	begin(t, l, "a1")
	r := planned("a1", 1, "CASE")
	r.Payload = json.RawMessage(`{"client_id":"c"}`)
	add(t, l, r)
	send(t, l, "a1", 1)
	settle(t, l, Outcome{Run: "a1", Seq: 1, State: Accepted, ServiceID: loud})
	finish(t, l, "a1", Finished)
	must(t, l.Begin(t.Context(), Run{ID: "b1", Job: "updates", Kind: Push, Operation: "update_case", Scope: "update_case", Phase: Pushing, Started: noon}))
	add(t, l, Record{Run: "b1", Seq: 1, Scope: "update_case", Key: "UPDATE", State: Planned, Action: Update, Digest: "d", Rows: []Row{{Number: 2}},
		Payload: json.RawMessage(`{"id":"` + quiet + `","name":"later"}`)})
	send(t, l, "b1", 1)
	settle(t, l, Outcome{Run: "b1", Seq: 1, State: Accepted})
	finish(t, l, "b1", Finished)
	h, err := l.Forget(t.Context(), forget.Subject{Clients: []string{"c"}}, changeNothing)
	must(t, err)
	if text := dumped(t, l); h.KeyCount() != 2 || strings.Contains(text, loud) {
		t.Errorf("%d keys were forgotten", h.KeyCount())
	}
	gone, err := l.Forgotten(t.Context(), "other", []string{"new"}, map[string]string{"new": quiet})
	must(t, err)
	same(t, gone, map[string]bool{"new": true})
}

func aRecordThatNamesAnotherClientIsNotForgottenUnasked(t *testing.T, l *Ledger) {
	for n, client := range []string{"first", "second"} {
		id := fmt.Sprint("run ", n)
		must(t, l.Begin(t.Context(), Run{ID: id, Job: "updates", Kind: Push, Operation: "update_case", Scope: "update_case", Phase: Pushing, Started: noon}))
		r := Record{Run: id, Seq: 1, Scope: "update_case", Key: "MATTER", State: Planned, Action: Update, Digest: client, Rows: []Row{{Number: 2}},
			Payload: json.RawMessage(`{"id":"x","file_client_id":"` + client + `"}`)}
		add(t, l, r)
		send(t, l, id, 1)
		settle(t, l, Outcome{Run: id, Seq: 1, State: Accepted})
		finish(t, l, id, Finished)
	}
	h, err := l.Forget(t.Context(), forget.Subject{Clients: []string{"first"}}, changeNothing)
	if !errors.Is(err, forget.ErrTransferred) {
		t.Error(err)
	}
	same(t, h.Transferred, []string{"MATTER"})
	if gone, err := l.Forgotten(t.Context(), "update_case", []string{"MATTER"}, nil); err != nil || len(gone) > 0 {
		t.Errorf("%v, %v", gone, err)
	}
	for _, s := range []forget.Subject{{Clients: []string{"second"}}, {Clients: []string{"first"}, Keys: []string{"MATTER"}}} {
		if h, err := l.Holds(t.Context(), s); err != nil || len(h.Transferred) > 0 || h.Known != 1 {
			t.Errorf("%+v, %v", h, err)
		}
	}
	_, err = l.Forget(t.Context(), forget.Subject{Clients: []string{"first"}, Transferred: true}, changeNothing)
	must(t, err)
	if gone, err := l.Forgotten(t.Context(), "update_case", []string{"MATTER"}, nil); err != nil || !gone["MATTER"] {
		t.Errorf("%v, %v", gone, err)
	}
}

func aForgottenKeyIsRecognisedInOtherSpellings(t *testing.T, l *Ledger) {
	begin(t, l, "a1")
	add(t, l, planned("a1", 1, "TM-007/é"), planned("a1", 2, "--"))
	send(t, l, "a1", 1, 2)
	settle(t, l, Outcome{Run: "a1", Seq: 1, State: Accepted})
	settle(t, l, Outcome{Run: "a1", Seq: 2, State: Accepted})
	finish(t, l, "a1", Finished)
	ask := []string{"TM-007/é", "tm 7 E", "TM 0007-é", "TM-70/é", "TM-007", "--", ".", ""}
	if alike, err := l.ForgottenAlike(t.Context(), "create_case", ask); err != nil || len(alike) > 0 {
		t.Errorf("before anything was forgotten: %v %v", alike, err)
	}
	_, err := l.Forget(t.Context(), forget.Subject{Keys: []string{"TM-007/é", "--"}}, changeNothing)
	must(t, err)
	alike, err := l.ForgottenAlike(t.Context(), "create_case", ask)
	must(t, err)
	same(t, alike, map[string]bool{"TM-007/é": true, "tm 7 E": true, "TM 0007-é": true})
	elsewhere, err := l.ForgottenAlike(t.Context(), "update_case", ask)
	must(t, err)
	same(t, elsewhere, map[string]bool{})
	exactly, err := l.Forgotten(t.Context(), "create_case", ask, nil)
	must(t, err)
	same(t, exactly, map[string]bool{"TM-007/é": true, "--": true})
}
