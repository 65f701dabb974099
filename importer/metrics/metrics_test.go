package metrics

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docketsync/apiclient"
	"docketsync/apiclient/pace"
	"docketsync/importer/console/pagetest"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
)

var (
	began = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	ended = began.Add(90 * time.Second)
)

func summary(job string, phase ledger.Phase, stop string, counts map[outcome.Outcome]int) *report.Summary {
	s := &report.Summary{Run: ledger.Run{Job: job, Kind: ledger.Push, Phase: phase, StopCode: stop, Started: began, Ended: ended}}
	for o, n := range counts {
		s.Records.ByOutcome = append(s.Records.ByOutcome, report.OutcomeCount{Outcome: o, Records: n, Rows: n})
		s.Rows.InRecords += n
	}
	s.Rows.Skipped = []report.Skip{{Reason: "blank", Rows: 4}}
	s.Rows.Read = s.Rows.InRecords + 4
	s.Run.Counts = ledger.Counts{Read: s.Rows.Read, InRecords: s.Rows.InRecords, Skipped: map[string]int{"blank": 4}}
	return s
}

// scraped is what a page of a server says.
func scraped(t *testing.T, handler http.Handler, path string) (int, string) {
	t.Helper()
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
	return answer.Code, answer.Body.String()
}

func lines(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, line := range want {
		if !strings.Contains("\n"+text, "\n"+line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
}

func TestNumbersOfRuns(t *testing.T) {
	t.Parallel()
	m := New("1.2.3")
	m.Run("matters", summary("matters", ledger.Finished, "", map[outcome.Outcome]int{outcome.Created: 5, outcome.Rejected: 2}), nil)
	m.Run("matters", summary("matters", ledger.Stopped, "guard", map[outcome.Outcome]int{outcome.Held: 3}), nil)
	m.Run("marks", nil, errors.New("no file"))
	m.Queue("matters", 17)
	m.Dues(func(context.Context) (map[string]time.Time, error) {
		return map[string]time.Time{"matters": began.Add(24 * time.Hour)}, nil
	})
	m.Message("mail", nil)
	m.Message("mail", errors.New("down"))
	client := func() apiclient.Stats {
		return apiclient.Stats{Requests: 9, Extra: 2, TooMany: 1, Pace: pace.State{Rate: 12.5, Waiting: 3, PauseNS: 1500 * time.Millisecond}}
	}
	m.Client(client)()
	m.Client(client)
	_, text := scraped(t, m.handler(), "/metrics")
	lines(t, text,
		`docketsync_build_info{version="1.2.3"} 1`,
		`docketsync_runs_total{job="matters",result="rejects"} 1`,
		`docketsync_runs_total{job="matters",result="stopped"} 1`,
		`docketsync_runs_total{job="marks",result="could_not_run"} 1`,
		`docketsync_records_total{job="matters",outcome="created"} 5`,
		`docketsync_rows_total{job="matters",kind="in_records"} 10`,
		`docketsync_rows_total{job="matters",kind="skipped"} 8`,
		`docketsync_stops_total{code="guard",job="matters"} 1`,
		`docketsync_last_run_records{job="matters",outcome="held"} 3`,
		`docketsync_last_run_records{job="matters",outcome="created"} 0`,
		`docketsync_last_run_result{job="matters",result="stopped"} 1`,
		`docketsync_last_run_result{job="matters",result="rejects"} 0`,
		`docketsync_last_run_duration_seconds{job="matters"} 90`,
		`docketsync_last_success_timestamp_seconds{job="matters"} 1.77241689e+09`,
		`docketsync_run_duration_seconds_bucket{job="matters",le="300"} 2`,
		`docketsync_queue_records{job="matters"} 17`,
		`docketsync_next_run_timestamp_seconds{job="matters"} 1.7725032e+09`,
		`docketsync_messages_total{channel="mail",result="sent"} 1`,
		`docketsync_messages_total{channel="mail",result="failed"} 1`,
		`docketsync_requests_total 18`, `docketsync_requests_extra_total 4`, `docketsync_requests_too_many_total 2`,
		`docketsync_request_rate 12.5`, `docketsync_requests_waiting 3`, `docketsync_pause_seconds 1.5`, `docketsync_ledger_up 0`)
	for _, none := range []string{`next_run_timestamp_seconds{job="marks"}`, "docketsync_in_doubt_records ", `last_success_timestamp_seconds{job="marks"}`} {
		if strings.Contains(text, none) {
			t.Errorf("%s is told, and nobody knows it", none)
		}
	}
}

// What alarms are raised about is the same in a process that has run nothing yet.
func TestGaugesComeBackFromTheLedger(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	book, err := ledger.Open(ctx, filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	run := func(id string, kind ledger.Kind, phase ledger.Phase, at time.Time, records ...ledger.Record) {
		r := ledger.Run{ID: id, Job: "matters", Kind: kind, Operation: "create_case", Scope: "create_case", Phase: ledger.Pushing, Started: at}
		if err := book.Begin(ctx, r); err != nil {
			t.Fatal(err)
		}
		if _, err := book.Add(ctx, records); err != nil {
			t.Fatal(err)
		}
		r.Phase, r.Ended, r.Counts = phase, at.Add(time.Minute), ledger.Counts{Read: 7, InRecords: 5, Skipped: map[string]int{"blank": 2}}
		if phase == ledger.Stopped {
			r.StopCode = "sign_in"
		}
		if err := book.SaveRun(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	run("one", ledger.Push, ledger.Finished, began)
	run("two", ledger.Push, ledger.Stopped, began.Add(24*time.Hour), ledger.Record{Run: "two", Seq: 1, Scope: "create_case", Key: "a", Action: ledger.Create, State: ledger.Held},
		ledger.Record{Run: "two", Seq: 2, Scope: "create_case", Key: "b", Action: ledger.Create, State: ledger.Planned})
	if err := book.Commit(ctx, nil, []ledger.Intent{{Run: "two", Seq: 2}}); err != nil {
		t.Fatal(err)
	}
	if err := book.Commit(ctx, []ledger.Outcome{{Run: "two", Seq: 2, State: ledger.InDoubt, At: began}}, nil); err != nil {
		t.Fatal(err)
	}
	run("three", ledger.Check, ledger.Finished, began.Add(48*time.Hour))
	m := New("dev")
	if err := m.Restore(ctx, book.Reader, []string{"matters", "marks"}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "docketsync.prom")
	if err := m.WriteFile(file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines(t, string(text),
		`docketsync_last_success_timestamp_seconds{job="matters"} 1.77241686e+09`,
		`docketsync_last_run_timestamp_seconds{job="matters"} 1.77250326e+09`,
		`docketsync_last_run_result{job="matters",result="stopped"} 1`,
		`docketsync_last_run_records{job="matters",outcome="held"} 1`,
		`docketsync_last_run_records{job="matters",outcome="in_doubt"} 1`,
		`docketsync_last_run_rows{job="matters",kind="skipped"} 2`,
		`docketsync_in_doubt_records 1`, `docketsync_ledger_up 1`)
	run("four", ledger.Push, ledger.Stopped, began.Add(72*time.Hour)) // by another process, which resumes it
	_, told := scraped(t, m.handler(), "/metrics")
	lines(t, told, `docketsync_last_run_result{job="matters",result="stopped"} 1`, `docketsync_last_success_timestamp_seconds{job="matters"} 1.77241686e+09`)
	four, err := book.Run(ctx, "four")
	if err != nil {
		t.Fatal(err)
	}
	four.Phase, four.StopCode, four.Ended = ledger.Finished, "", four.Ended.Add(time.Minute)
	if err := book.SaveRun(ctx, four); err != nil {
		t.Fatal(err)
	}
	_, told = scraped(t, m.handler(), "/metrics")
	lines(t, told, `docketsync_last_run_result{job="matters",result="ok"} 1`, `docketsync_last_run_result{job="matters",result="stopped"} 0`, `docketsync_last_success_timestamp_seconds{job="matters"} 1.77267612e+09`)
	for _, none := range []string{"go_goroutines", "_total"} {
		if strings.Contains(string(text), none) {
			t.Errorf("the file tells %s of a process that has ended", none)
		}
	}
}

// An alarm about doubts must not be calmed by a ledger that cannot be asked.
func TestWhatASilentLedgerKnowsIsNotTold(t *testing.T) {
	t.Parallel()
	book, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	m := New("dev")
	if err := m.Restore(t.Context(), book.Reader, nil); err != nil {
		t.Fatal(err)
	}
	_, text := scraped(t, m.handler(), "/metrics")
	lines(t, text, "docketsync_in_doubt_records 0", "docketsync_ledger_up 1")
	if err := book.Close(); err != nil {
		t.Fatal(err)
	}
	_, text = scraped(t, m.handler(), "/metrics")
	lines(t, text, "docketsync_ledger_up 0")
	if strings.Contains(text, "\ndocketsync_in_doubt_records ") {
		t.Error("the number of doubts is told, and nobody knows it")
	}
}

func TestPagesOfHealth(t *testing.T) {
	t.Parallel()
	m := New("dev")
	sick := errors.New("the ledger cannot be written")
	well := func(context.Context) error { return nil }
	pages := m.Mux(func(context.Context) error { return sick }, well)
	if code, text := scraped(t, pages, "/healthz"); code != 503 || text != "the ledger cannot be written\n" {
		t.Errorf("/healthz: %d %q", code, text)
	}
	if code, text := scraped(t, pages, "/readyz"); code != 200 || text != "ok\n" {
		t.Errorf("/readyz: %d %q", code, text)
	}
	if code, _ := scraped(t, pages, "/"); code != 404 {
		t.Errorf("/: %d", code)
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, listener, New("dev").handler()) }()
	answer, err := http.Get("http://" + listener.Addr().String() + "/")
	if text := pagetest.Text(t, answer, err); !strings.Contains(text, "docketsync_build_info") {
		t.Errorf("served %q", text)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
