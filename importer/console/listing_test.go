package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"docketsync/importer/ledger"
)

// long is a run of 120 records, none of which has files: every tenth was rejected, the others went in.
func (w *world) long() ledger.Run {
	w.t.Helper()
	run := w.run("earlier")
	run.ID, run.Phase, run.Started, run.Ended, run.Stop, run.StopCode = "01935b2c-0000-7000-8000-00000000abcd", ledger.Reading, run.Ended.Add(time.Minute), time.Time{}, "", ""
	run.Sources = []ledger.Source{{File: "marks.csv", Header: []string{"Ref", "Filed", "Owner"}}}
	w.must(w.book.Begin(w.t.Context(), run))
	var records []ledger.Record
	var intents []ledger.Intent
	var outcomes []ledger.Outcome
	for n := range 120 {
		r := ledger.Record{Run: run.ID, Seq: int64(n + 1), Scope: run.Scope, Key: fmt.Sprintf("TM-%03d", n+1), Action: ledger.Create, State: ledger.Planned, Digest: "d",
			Payload: fmt.Appendf(nil, `{"name":"Mark %d","number":"%d"}`, n+1, n+1), Rows: []ledger.Row{{Number: n + 2, Cells: fmt.Appendf(nil, `["TM-%03d","31/02/2020",null]`, n+1)}}}
		if r.Seq%10 == 0 {
			r.State, r.Action, r.Payload = ledger.Rejected, ledger.None, nil
			r.Reasons = []ledger.Reason{{Code: "date_invalid", Cell: fmt.Sprintf("B%d", n+2), Row: n + 2, Message: "31/02/2020 is not a valid date"}}
		} else {
			intents = append(intents, ledger.Intent{Run: run.ID, Seq: r.Seq})
			outcomes = append(outcomes, ledger.Outcome{Run: run.ID, Seq: r.Seq, State: ledger.Accepted, Status: 201, ServiceID: fmt.Sprint("id-", n+1), At: run.Started,
				Attempts: []ledger.Attempt{{Started: run.Started, Duration: 23 * time.Millisecond, Status: 201, Verdict: "accepted", Answer: "created"}}})
		}
		records = append(records, r)
	}
	_, err := w.book.Add(w.t.Context(), records)
	w.must(err)
	run.Phase = ledger.Pushing
	w.must(w.book.SaveRun(w.t.Context(), run))
	w.must(w.book.Commit(w.t.Context(), nil, intents))
	w.must(w.book.Commit(w.t.Context(), outcomes, nil))
	run.Phase, run.Ended, run.Counts = ledger.Finished, run.Started.Add(time.Minute), ledger.Counts{Read: 120, InRecords: 120}
	w.must(w.book.SaveRun(w.t.Context(), run))
	return run
}

// Every record of a run can be looked at in the console, page by page, by its outcome or by its key, with no file of a report.
func TestEveryRecordOfARunIsShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	run, c := w.long(), w.viewer()
	if said := c.get("/runs/" + run.ID); !strings.Contains(said.text, `href="/runs/`+run.ID+`/records?outcome=rejected"`) || strings.Contains(said.text, "report.csv") {
		t.Error("the page of the run does not lead to its records")
	}
	list := "/runs/" + run.ID + "/records"
	seen := map[string]bool{}
	pages, at := 0, list
	for ; at != "" && pages < 10; pages++ {
		said := c.get(at)
		for n := range 120 {
			if link := fmt.Sprintf(`href="%s/%d"`, list, n+1); strings.Contains(said.text, link) {
				seen[link] = true
			}
		}
		at = ""
		if before, _, more := strings.Cut(said.text, `">Next page`); more {
			at = list + strings.ReplaceAll(before[strings.LastIndex(before, `"`)+1:], "&amp;", "&")
		}
	}
	if pages != 3 || len(seen) != 120 {
		t.Errorf("%d records on %d pages", len(seen), pages)
	}
	rejected := c.get(list + "?outcome=rejected")
	if n := strings.Count(rejected.text, `href="`+list+"/"); n != 12 || !strings.Contains(rejected.text, "12 records rejected") || !strings.Contains(rejected.text, "31/02/2020 is not a valid date") {
		t.Errorf("%d of the rejects are shown", n)
	}
	if said := c.get(list + "?key=TM-033"); said.StatusCode != http.StatusSeeOther || said.Header.Get("Location") != list+"/33" {
		t.Errorf("a record is not found by its key: %d to %s", said.StatusCode, said.Header.Get("Location"))
	}
	if said := c.get(list + "?key=TM-999"); !strings.Contains(said.text, "no record with the key") {
		t.Error("it is not said that there is no such key")
	}
}

// The page of a record has what was read, what was sent, and what came of it.
func TestARecordIsShownWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	run, c := w.long(), w.viewer()
	for path, want := range map[string][]string{
		"/33": {"Created", "id-33", "Mark 33", "marks.csv", "TM-033", "31/02/2020", "Filed", "23 ms", "the service answered 201", "/records/of?"},
		"/40": {"Rejected", "31/02/2020 is not a valid date", "<del>31/02/2020</del>", "B41", "TM-040"},
	} {
		said := c.get("/runs/" + run.ID + "/records" + path)
		for _, text := range want {
			if !strings.Contains(said.text, text) {
				t.Errorf("record %s lacks %q", path, text)
			}
		}
	}
	for _, nowhere := range []string{"/121", "/0", "/x", "/-1"} {
		if said := c.get("/runs/" + run.ID + "/records" + nowhere); said.StatusCode != http.StatusNotFound {
			t.Errorf("%s is answered with %d", nowhere, said.StatusCode)
		}
	}
}
