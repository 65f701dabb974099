//go:build unix

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/ledger"
	"docketsync/importer/metrics"
	"docketsync/importer/schedule"
)

// People are told once that runs were missed, and when the job is due next can be watched, also by another configuration.
func TestScheduleTellsOfWhatWasMissedAndIsDueNext(t *testing.T) {
	t.Parallel()
	told := make(chan string, 100)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		told <- string(body)
	}))
	t.Cleanup(hook.Close)
	f := newNightFirm(t, "notify: {channels: {other: {webhook: {env: HOOK}}}}\nmetrics: {listen: \"127.0.0.1:0\"}")
	f.edit(t, "zone: UTC}", "zone: UTC, catch_up: never}")
	f.release()
	d := f.startWith(t, "HOOK="+hook.URL)
	d.hears(t, "are served on http://")
	_, address, _ := strings.Cut(d.said.String(), "are served on ")
	address = strings.TrimSpace(strings.SplitN(address, "\n", 2)[0])
	d.hears(t, "cases: 0 2 * * * UTC; next due ")
	d.sees(t, ledger.Missed)
	message := <-told
	for _, want := range []string{`"event":"broken"`, "was missed: docketsync was not running", "what was due before it: 2 more)"} {
		if !strings.Contains(message, want) {
			t.Errorf("%q is not said: %s", want, message)
		}
	}
	at := time.Now().UTC().Truncate(24 * time.Hour).Add(2 * time.Hour)
	if !at.After(time.Now()) {
		at = at.AddDate(0, 0, 1)
	}
	d.watched(t, address, fmt.Sprintf("docketsync_next_run_timestamp_seconds{job=%q} %v", "cases", float64(at.Unix())))

	f.edit(t, "listen: \"127.0.0.1:0\"", "listen: \"127.0.0.1:1\"")
	f.edit(t, `cron: "0 2 * * *"`, `cron: "0 0 1 1 *"`)
	d.signal(t, syscall.SIGHUP)
	d.hears(t, "metrics.listen is another one; stop docketsync and start it again for that")
	january := time.Date(time.Now().UTC().Year()+1, 1, 1, 0, 0, 0, 0, time.UTC)
	d.watched(t, address, fmt.Sprintf("docketsync_next_run_timestamp_seconds{job=%q} %v", "cases", float64(january.Unix())))
	d.signal(t, syscall.SIGTERM)
	d.ends(t, exitAllIn)
	if len(told) > 0 {
		t.Errorf("people were told again: %s", <-told)
	}
}

// watched asks for the numbers, among which a line has to be.
func (d *daemon) watched(t *testing.T, address, line string) {
	t.Helper()
	answer, err := http.Get(address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	if answer.Body.Close(); err != nil || !strings.Contains(string(body), line+"\n") {
		t.Errorf("%v: no line %s in\n%s", err, line, body)
	}
}

// A job is due next when its delay is over; the time stays until the due is begun, or will not be.
func TestNextDueMovesOnWhenOneIsBegun(t *testing.T) {
	t.Parallel()
	pattern, err := schedule.Parse("0 2 * * *", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	c := &schedule.Chain{Pattern: pattern, Delay: time.Hour, Steps: []schedule.Step{{Job: "cases"}, {Job: "marks", After: "cases"}}}
	table := schedule.Timetable{Chains: []*schedule.Chain{c}}
	n := &nightly{app: &app{json: true, stdout: io.Discard, stderr: io.Discard}, numbers: metrics.New("test"), news: newNews(), use: prepared{table: table}}
	night := func(day int) time.Time { return time.Date(2026, 3, day, 2, 0, 0, 0, time.UTC) }
	begins := func(day int) float64 { return float64(c.Begin(schedule.Due{At: night(day)}).Unix()) }
	due := func(job string, state ledger.DueState) {
		n.tell([]ledger.Due{{Job: job, Schedule: pattern.String(), At: night(1), State: state}})
	}
	expect := func(what string, want ...string) {
		t.Helper()
		answer := httptest.NewRecorder()
		n.numbers.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		got := regexp.MustCompile(`(?m)^docketsync_next_run.*$`).FindAllString(answer.Body.String(), -1)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	line := func(job string, day int) string {
		return fmt.Sprintf("docketsync_next_run_timestamp_seconds{job=%q} %v", job, begins(day))
	}
	n.showNext(schedule.Timetable{}, table, night(1).Add(-time.Minute))
	expect("at the start", line("cases", 1), line("marks", 1))
	due("cases", ledger.Waiting)
	expect("nothing has begun", line("cases", 1), line("marks", 1))
	due("cases", ledger.Running)
	expect("the first has begun", line("cases", 2), line("marks", 1))
	due("marks", ledger.Blocked)
	expect("the other will not", line("cases", 2), line("marks", 2))
	n.showNext(table, schedule.Timetable{}, night(1))
	expect("neither is scheduled")
}

// What was not run is told, the latest of each job; that a run served it is no news.
func TestNewsOfDues(t *testing.T) {
	t.Parallel()
	s := newNews()
	for n, state := range []ledger.DueState{ledger.Overlapped, ledger.Blocked, ledger.Missed, ledger.CutOff, ledger.CaughtUp, ledger.Ran, ledger.Running, ledger.Waiting, ledger.Interrupted, ledger.Broke} {
		s.add([]ledger.Due{{Job: string(state), Local: "2026-03-29T02:30", At: time.Unix(int64(n), 0), State: state, Note: "because"}})
	}
	s.add([]ledger.Due{{Job: "overlapped", Local: "2026-03-30T02:30", At: time.Unix(100, 0), State: ledger.Overlapped, Note: "because"}})
	var got []string
	for _, due := range s.take() {
		got = append(got, due.Job+": "+due.failure().Error())
	}
	want := []string{
		"blocked: the run that was due at 2026-03-29 02:30 was not made: because",
		"missed: the run that was due at 2026-03-29 02:30 was missed: because",
		"cut_off: the run that was due at 2026-03-29 02:30 was cut off: because",
		"overlapped: the run that was due at 2026-03-30 02:30 was not begun: because (the same holds for what was due before it: 1 more)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if left := s.take(); len(left) > 0 {
		t.Errorf("told twice: %v", left)
	}
}

// A ledger whose server cannot be reached is waited for; people are told once, and who asks the process to end is not kept waiting.
func TestScheduleWaitsForALedgerThatCannotBeReached(t *testing.T) {
	t.Parallel()
	l := newListener(t)
	f := newNightFirm(t, "notify: {channels: {other: {webhook: {env: HOOK}}}}")
	f.edit(t, "ledger: docketsync.db", `ledger: "postgres://ann@127.0.0.1:1/ledger?connect_timeout=2"`)
	d := f.startWith(t, "HOOK="+l.URL)
	d.hears(t, "it is tried again until the ledger can be reached")
	d.signal(t, syscall.SIGTERM)
	d.ends(t, exitAllIn)
	if diff := cmp.Diff([]string{"cases broken could_not_run"}, l.heard()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
