package trace

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
)

// A collector that a test starts is told of every request, once, under the run it belongs to.
func TestATraceIsReceived(t *testing.T) {
	t.Parallel()
	const run, records = "01990000-aaaa-7bbb-8ccc-0123456789ab", batch + 3
	began := time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	ctx := t.Context()
	book, err := ledger.Open(ctx, filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	r := ledger.Run{ID: run, Job: "matters", Kind: ledger.Push, Operation: "create_case", Scope: "create_case", Phase: ledger.Pushing, Started: began}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(book.Begin(ctx, r))
	var list []ledger.Record
	var intents []ledger.Intent
	var outcomes []ledger.Outcome
	for n := range int64(records) {
		list = append(list, ledger.Record{Run: run, Seq: n + 1, Scope: "create_case", Key: "SECRET-CELL-" + time.Duration(n).String(), Action: ledger.Create, State: ledger.Planned, Payload: []byte(`{"name":"SECRET-CELL"}`)})
		intents = append(intents, ledger.Intent{Run: run, Seq: n + 1})
		attempt := ledger.Attempt{Run: run, Seq: n + 1, Number: 1, Started: began.Add(time.Minute + time.Duration(n)*time.Second), Duration: time.Second, Status: 201, Verdict: "accepted", Answer: "SECRET-CELL"}
		if n == 7 {
			attempt.Verdict, attempt.Status = "refused", 400
		}
		outcomes = append(outcomes, ledger.Outcome{Run: run, Seq: n + 1, State: ledger.Accepted, At: began, Attempts: []ledger.Attempt{attempt}})
	}
	_, err = book.Add(ctx, list)
	must(err)
	must(book.Commit(ctx, nil, intents))
	must(book.Commit(ctx, outcomes, nil))
	r.Phase, r.Ended = ledger.Finished, began.Add(time.Hour)
	must(book.SaveRun(ctx, r))
	summary, err := report.Build(ctx, book.Reader, run)
	must(err)

	var posts int
	spans := map[string]span{}
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		var body struct {
			ResourceSpans []struct {
				ScopeSpans []struct{ Spans []span } `json:"scopeSpans"`
			} `json:"resourceSpans"`
		}
		if err := json.NewDecoder(q.Body).Decode(&body); err != nil || q.Header.Get("Content-Type") != "application/json" || q.URL.Path != "/v1/traces" {
			t.Errorf("%s %v", q.URL, err)
			return
		}
		posts++
		for _, s := range body.ResourceSpans[0].ScopeSpans[0].Spans {
			if text, _ := json.Marshal(s); strings.Contains(string(text), "SECRET-CELL") {
				t.Errorf("a span shows a cell: %s", text)
			}
			if _, twice := spans[s.SpanID]; twice {
				t.Errorf("span %s is there twice", s.SpanID)
			}
			spans[s.SpanID] = s
		}
	}))
	defer collector.Close()
	c := Collector{Endpoint: collector.URL + "/v1/traces", HTTP: collector.Client(), Version: "dev"}
	must(c.Post(ctx, book.Reader, summary))
	if len(spans) != records+3 || posts != 2 {
		t.Errorf("%d spans in %d posts", len(spans), posts)
	}
	ids := regexp.MustCompile(`^[0-9a-f]{16}$`)
	roots, errors := 0, 0
	for id, s := range spans {
		parent, has := spans[s.Parent]
		if s.Parent == "" {
			roots++
		} else if !has || s.Start < parent.Start || s.End > parent.End {
			t.Errorf("%s lies outside of what it is part of", s.Name)
		}
		if s.TraceID != strings.ReplaceAll(run, "-", "") || !ids.MatchString(id) {
			t.Errorf("ids %s %s", s.TraceID, id)
		}
		if s.Status.Code == statusError {
			errors++
		}
	}
	if roots != 1 || errors != 1 {
		t.Errorf("%d roots, %d errors", roots, errors)
	}
	collector.Config.Handler = http.NotFoundHandler()
	if err := c.Post(ctx, book.Reader, summary); err == nil || !strings.Contains(err.Error(), "the collector answered 404") {
		t.Errorf("a collector that is none: %v", err)
	}
}
