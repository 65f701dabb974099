package console_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"docketsync/importer/console"
	"docketsync/importer/console/jobs"
	"docketsync/importer/console/pagetest"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/files"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/remedy"
	"docketsync/importer/stop"
	"docketsync/mapping/reason"
)

// stopped puts a run into the ledger that ended with a code.
func (w *world) stopped(code, why string) ledger.Run {
	w.t.Helper()
	w.pass(time.Minute)
	run := w.run("a text")
	run.StopCode, run.Stop, run.Export = code, why, &ledger.Export{}
	if code == stop.Guard {
		run.Guards = []ledger.Guard{{Name: "rows_fell", Message: "rows fell from 100 to 69 (−31 %), where the limit is 20 %"}}
	}
	w.must(w.book.SaveRun(w.t.Context(), run))
	return run
}

// TestRemediesLeadToPagesThatAreThere opens the page of every remedy, and sees that the first page says what it is about in its first
// line, with that link.
func TestRemediesLeadToPagesThatAreThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.operator()
	for _, code := range []string{stop.Guard, stop.Approval, stop.SameRefusal, stop.SameDifference, stop.Doubts, stop.Failures, stop.Rejections, stop.Service, stop.NoPath,
		stop.SignIn, stop.Redirect, stop.ServiceDown, stop.Certificate, stop.Input} {
		run := w.stopped(code, "the text of the run")
		list := remedy.After(remedy.Facts{Run: run, Records: map[outcome.Outcome]int{outcome.Rejected: 1, outcome.InDoubt: 1}, Differs: 1, Waits: 1})
		for _, r := range list {
			if said := c.get(r.Page); r.Page == "" || said.StatusCode != http.StatusOK {
				t.Errorf("%s: %q at %q was answered %d", code, r.Wrong, r.Page, said.StatusCode)
			}
		}
		today := c.get("/").text
		heading, _, _ := strings.Cut(today[strings.Index(today, "<h1>"):], "</h1>")
		if !strings.Contains(heading, "matters needs attention: "+list[0].Wrong) || !strings.Contains(today, `<a href="`+list[0].Page+`">`+list[0].Way+`</a>`) ||
			!strings.Contains(html.UnescapeString(today), "Or on the command line: <code>docketsync -c 'it'\\''s.yaml' "+list[0].Args[0]) {
			t.Errorf("%s: the first page begins with %s", code, heading)
		}
	}
}

// TestSinceWhenTheServiceIsDown is the first request behind the last that was answered.
func TestSinceWhenTheServiceIsDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	run := w.stopped(stop.ServiceDown, "the service is down")
	last := time.Date(2026, 11, 23, 2, 3, 0, 0, time.UTC)
	record := ledger.Record{Run: run.ID, Seq: 2, Scope: run.Scope, Key: "M-2", Action: ledger.Update, State: ledger.Planned, Repeatable: true, Payload: []byte(`{}`)}
	_, err := w.book.Add(t.Context(), []ledger.Record{record})
	w.must(err)
	w.must(w.book.Commit(t.Context(), []ledger.Outcome{{Run: run.ID, Seq: 2, State: ledger.Failed, Sent: last, At: last, Attempts: []ledger.Attempt{
		{Run: run.ID, Seq: 2, Number: 1, Started: last, Status: 200, Verdict: "accepted"},
		{Run: run.ID, Seq: 2, Number: 2, Started: last.Add(time.Minute), Status: 503, Verdict: "again"},
		{Run: run.ID, Seq: 2, Number: 3, Started: last.Add(2 * time.Minute), Verdict: "again"}}}}, nil))
	if today := w.operator().get("/").text; !strings.Contains(today, "matters needs attention: service down since "+moment.Of(last.Add(time.Minute))) {
		t.Errorf("the first page does not say since when:\n%s", today)
	}
}

// TestARefusedRecordWithoutRowsIsToBeChangedInTheService as no file has a row of it that could be corrected.
func TestARefusedRecordWithoutRowsIsToBeChangedInTheService(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	run := w.run("a text")
	_, err := w.book.Add(t.Context(), []ledger.Record{{Run: run.ID, Seq: 2, Scope: run.Scope, Key: "M-2", Action: ledger.None, State: ledger.Rejected, Digest: "d", Payload: []byte(`{}`),
		Reasons: []ledger.Reason{{Code: reason.RefusedBefore, Message: "refused"}}}})
	w.must(err)
	run.Phase, run.Stop, run.StopCode = ledger.Finished, "", ""
	w.must(w.book.SaveRun(t.Context(), run))
	if page := w.operator().get("/").text; !strings.Contains(page, "1 record no longer in the export was rejected") || !strings.Contains(page, "1 record of a text needs correcting") {
		t.Errorf("the first page says\n%s", page)
	}
}

// TestTodaySaysWhereToBegin shows the first page of an installation without jobs, and of one whose jobs have not been run.
func TestTodaySaysWhereToBegin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *console.Options) {
		stubOf(o).jobs = func(context.Context) ([]jobs.Job, error) { return nil, nil }
	})
	for _, want := range []string{"<h1>There are no jobs yet.</h1>", "Where to begin", `<a href="/import">Import a file</a>`, `<a href="/connection">`} {
		if today := w.operator().get("/").text; !strings.Contains(today, want) {
			t.Errorf("without jobs, the first page lacks %s", want)
		}
	}
	if today := w.viewer().get("/").text; strings.Contains(today, `<a href="/import">Import a file</a>`) {
		t.Error("a viewer is sent to a page that is not for them")
	}
	if today := newWorld(t).operator().get("/").text; !strings.Contains(today, "<h1>No job has run yet.</h1>") || !strings.Contains(today, `Start a dry run of <a href="/jobs/matters">matters</a>`) {
		t.Errorf("before the first run:\n%s", today)
	}
}

// TestWhatNobodySawIsNotAcknowledged acknowledges all records of a run that has rejected one more since the page was loaded: none is taken.
func TestWhatNobodySawIsNotAcknowledged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *console.Options) {
		stubOf(o).acknowledge = func(ctx context.Context, who string, list []ledger.Record, note string) error {
			return o.Ledger.Acknowledge(ctx, list, who, note)
		}
	})
	run := w.run("a text")
	page := "/runs/" + run.ID + "/rejects"
	ines := w.operator()
	all := func(shown string) int {
		form := url.Values{"token": {pagetest.Token(t, shown)}, "do": {"all"}}
		if seen := seenField.FindStringSubmatch(shown); seen != nil {
			form.Set("seen", seen[1])
		}
		return ines.do("POST", page, form.Encode()).StatusCode
	}
	before := ines.get(page).text
	_, err := w.book.Add(t.Context(), []ledger.Record{{Run: run.ID, Seq: 2, Scope: run.Scope, Key: "another", Action: ledger.None, State: ledger.Rejected,
		Rows: []ledger.Row{{Number: 3, Cells: []byte(`[null]`)}}, Reasons: []ledger.Reason{{Code: "bad", Message: "bad"}}}})
	w.must(err)
	if got := all(before); got != http.StatusConflict {
		t.Errorf("from a page with one of two records, it was answered %d", got)
	}
	if known, err := w.book.AcknowledgedIn(t.Context(), run); err != nil || len(known) > 0 {
		t.Errorf("acknowledged are %v, %v", known, err)
	}
	if got := all(ines.get(page).text); got != http.StatusSeeOther {
		t.Errorf("from a page with both records, it was answered %d", got)
	}
	if known, err := w.book.AcknowledgedIn(t.Context(), run); err != nil || len(known) != 2 {
		t.Errorf("acknowledged are %v, %v", known, err)
	}
}

// TestAcknowledgedRejectsAreCountedApart acknowledges a rejected row on its page: nobody is asked to look at it again, and it is still
// listed; a viewer cannot, and what is not ticked is not meant.
func TestAcknowledgedRejectsAreCountedApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *console.Options) {
		stubOf(o).acknowledge = func(ctx context.Context, who string, list []ledger.Record, note string) error {
			return o.Ledger.Acknowledge(ctx, list, who, note)
		}
	})
	run := w.run("a text")
	run.Phase, run.Stop, run.StopCode = ledger.Finished, "", ""
	w.must(w.book.SaveRun(t.Context(), run))
	page := "/runs/" + run.ID + "/rejects"
	ines := w.operator()
	if today := ines.get("/").text; !strings.Contains(today, "needs attention: 1 record of a text needs correcting.") {
		t.Errorf("before:\n%s", today)
	}
	form := func(values url.Values) int {
		shown := ines.get(page).text
		values.Set("token", pagetest.Token(t, shown))
		values.Set("seen", seenField.FindStringSubmatch(shown)[1])
		return ines.do("POST", page, values.Encode()).StatusCode
	}
	if got := form(url.Values{"do": {"selected"}, "seq": {"2"}}); got != http.StatusBadRequest {
		t.Errorf("nothing was ticked, and it was answered %d", got)
	}
	if got := form(url.Values{"do": {"selected"}, "seq": {"1"}, "note": {"closed"}}); got != http.StatusSeeOther {
		t.Errorf("it was answered %d", got)
	}
	if today := ines.get("/").text; !strings.Contains(today, "<h1>Nothing needs attention.</h1>") || !strings.Contains(today, "1 rejected and acknowledged") {
		t.Errorf("after:\n%s", today)
	}
	if listed := ines.get(page).text; !strings.Contains(listed, "1 record rejected, 1 of them acknowledged") || !strings.Contains(listed, "Ines, ") || !strings.Contains(listed, ": closed") {
		t.Errorf("the page says\n%s", listed)
	}
	_, err := files.Write(t.Context(), w.book.Reader, run.ID, w.reports)
	w.must(err)
	for name, want := range map[string]string{"report.json": `"acknowledged":{"who":"Ines","note":"closed"`, "report.csv": "acknowledged by Ines on "} {
		if got := ines.get("/runs/" + run.ID + "/files/" + name).text; !strings.Contains(got, want) {
			t.Errorf("%s does not say who acknowledged it:\n%s", name, got)
		}
	}
	if listed := w.viewer().get(page).text; strings.Contains(listed, "<button class=\"first\"") {
		t.Error("a viewer can acknowledge")
	}
	if deeds := w.deeds(); !strings.Contains(strings.Join(deeds, "\n"), "acknowledge") {
		t.Errorf("the audit says %q", deeds)
	}
}

// TestHeldRecordsOfAManualJobNeedAPerson tells of an interrupted run where none follows by itself.
func TestHeldRecordsOfAManualJobNeedAPerson(t *testing.T) {
	t.Parallel()
	for when, want := range map[string]string{"": "<h1>matters needs attention: interrupted; ", "every day at 02:00": "<h1>Nothing needs attention.</h1>"} {
		w := newWorld(t, func(o *console.Options) {
			stubOf(o).jobs = func(context.Context) ([]jobs.Job, error) {
				return []jobs.Job{{Name: "matters", Mapping: "matters.yaml", When: when}}, nil
			}
		})
		run := ledger.Run{ID: "01a20ea3-a5ff-7b63-b48d-a24c267fc320", Job: "matters", Kind: ledger.Push, Operation: "create_case", Scope: "create_case", Phase: ledger.Reading,
			Fingerprint: "f", Started: w.now().Add(-time.Minute), Counts: ledger.Counts{Read: 1, InRecords: 1}}
		w.must(w.book.Begin(t.Context(), run))
		_, err := w.book.Add(t.Context(), []ledger.Record{{Run: run.ID, Seq: 1, Scope: run.Scope, Key: "M-1", Action: ledger.Create, State: ledger.Held, Payload: []byte(`{}`), Rows: []ledger.Row{{Number: 2}}}})
		w.must(err)
		run.Phase, run.Ended, run.Stop, run.StopCode = ledger.Stopped, w.now(), "the run was interrupted", stop.Interrupted
		w.must(w.book.SaveRun(t.Context(), run))
		today := w.operator().get("/").text
		if !strings.Contains(today, want) || strings.Contains(today, ">Start a dry run</a>") != (when == "") {
			t.Errorf("%q: the first page is\n%s", when, today)
		}
	}
}

// TestTodayTellsWhatWaitsForIDsFromWhatIsToBeCorrected: of a row that lacks nothing but an id, no cell is to be corrected.
func TestTodayTellsWhatWaitsForIDsFromWhatIsToBeCorrected(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *console.Options) {
		stubOf(o).jobs = func(context.Context) ([]jobs.Job, error) {
			return []jobs.Job{{Name: "matters", Mapping: "matters.yaml", When: "every day at 02:00"}}, nil
		}
	})
	run := ledger.Run{ID: "01a20ea3-a5ff-7b63-b48d-a24c267fc320", Job: "matters", Kind: ledger.Push, Operation: "create_case", Scope: "create_case", Phase: ledger.Reading,
		Fingerprint: "f", Started: w.now().Add(-time.Minute), Counts: ledger.Counts{Read: 5, InRecords: 5}}
	w.must(w.book.Begin(t.Context(), run))
	missing := ledger.Reason{Field: "user_id"}.Says(reason.New(reason.LookupUnknown, "PWH", "attorneys"))
	wrong := ledger.Reason{Field: "name"}.Says(reason.New(reason.Empty, "name"))
	var records []ledger.Record
	for n, reasons := range [][]ledger.Reason{{missing}, {missing}, {missing, wrong}, {wrong}, {missing}} {
		records = append(records, ledger.Record{Run: run.ID, Seq: int64(n + 1), Scope: run.Scope, Key: fmt.Sprint("M-", n), Action: ledger.None, State: ledger.Rejected, Reasons: reasons,
			Rows: []ledger.Row{{Number: n + 2, Cells: []byte(`["x"]`)}}})
	}
	_, err := w.book.Add(t.Context(), records)
	w.must(err)
	run.Phase, run.Ended = ledger.Finished, w.now()
	w.must(w.book.SaveRun(t.Context(), run))
	if today := w.operator().get("/").text; !strings.Contains(today, "3 records wait for 1 id") || !strings.Contains(today, "2 records") || strings.Contains(today, "5 records") {
		t.Errorf("the first page is\n%s", today)
	}
	accepted, err := w.book.RecordsAt(t.Context(), run.ID, []int64{5})
	w.must(err)
	w.must(w.book.Acknowledge(t.Context(), accepted, "Ines", ""))
	if today := w.operator().get("/").text; !strings.Contains(today, "2 records wait for 1 id") || !strings.Contains(today, "1 rejected and acknowledged") {
		t.Errorf("with one acknowledged the first page is\n%s", today)
	}
	other, err := w.book.RecordsAt(t.Context(), run.ID, []int64{4})
	w.must(err)
	w.must(w.book.Withdraw(t.Context(), accepted))
	w.must(w.book.Acknowledge(t.Context(), other, "Ines", ""))
	if today := w.operator().get("/").text; !strings.Contains(today, "3 records wait for 1 id") || !strings.Contains(today, "1 rejected and acknowledged") {
		t.Errorf("with another one acknowledged the first page is\n%s", today)
	}
	w.must(w.book.Withdraw(t.Context(), other))
	w.must(w.book.Acknowledge(t.Context(), accepted, "Ines", ""))
	if strings.Contains(w.operator().get("/").text, "Last full export") {
		t.Error("the first page tells of the export of the last run once more")
	}
	// What the export left is not hidden by a run of some rows.
	run.Export = &ledger.Export{Rows: 5}
	w.must(w.book.SaveRun(t.Context(), run))
	part := run
	part.ID, part.Phase, part.Started, part.Export, part.Counts = "01a20ea3-a5ff-7b63-b48d-a24c267fc321", ledger.Reading, w.now(), nil, ledger.Counts{}
	w.must(w.book.Begin(t.Context(), part))
	part.Phase, part.Ended = ledger.Finished, w.now()
	w.must(w.book.SaveRun(t.Context(), part))
	if today := w.operator().get("/").text; !strings.Contains(today, "Nothing to do") || !strings.Contains(today, "Last full export") || !strings.Contains(today, "2 records wait for 1 id") {
		t.Errorf("behind a run of some rows the first page is\n%s", today)
	}
}
