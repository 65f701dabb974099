package daemon

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/importer/ledger"
	"docketsync/importer/metrics"
	"docketsync/importer/schedule"
)

// A job is due next when its delay is over; the time stays until the due is begun, or will not be.
func TestNextDueMovesOnWhenOneIsBegun(t *testing.T) {
	t.Parallel()
	pattern, err := schedule.Parse("0 2 * * *", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	c := &schedule.Chain{Pattern: pattern, Delay: time.Hour, Steps: []schedule.Step{{Job: "cases"}, {Job: "marks", After: "cases"}}}
	table := schedule.Timetable{Chains: []*schedule.Chain{c}}
	d := &daemon{setup: &installation.Setup{Screen: &terminal.Screen{JSON: true, Out: io.Discard, Err: io.Discard}}, numbers: metrics.New("test"), notices: newNotices(), use: prepared{table: table}}
	night := func(day int) time.Time { return time.Date(2026, 3, day, 2, 0, 0, 0, time.UTC) }
	begins := func(day int) float64 { return float64(c.Begin(schedule.Due{At: night(day)}).Unix()) }
	due := func(job string, state ledger.OccurrenceState) {
		d.tell([]ledger.Occurrence{{Job: job, Schedule: pattern.String(), At: night(1), State: state}})
	}
	expect := func(what string, want ...string) {
		t.Helper()
		answer := httptest.NewRecorder()
		d.numbers.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		got := regexp.MustCompile(`(?m)^docketsync_next_run.*$`).FindAllString(answer.Body.String(), -1)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	line := func(job string, day int) string {
		return fmt.Sprintf("docketsync_next_run_timestamp_seconds{job=%q} %v", job, begins(day))
	}
	d.showNext(schedule.Timetable{}, table, night(1).Add(-time.Minute))
	expect("at the start", line("cases", 1), line("marks", 1))
	due("cases", ledger.Waiting)
	expect("nothing has begun", line("cases", 1), line("marks", 1))
	due("cases", ledger.Running)
	expect("the first has begun", line("cases", 2), line("marks", 1))
	due("marks", ledger.Blocked)
	expect("the other will not", line("cases", 2), line("marks", 2))
	d.showNext(table, schedule.Timetable{}, night(1))
	expect("neither is scheduled")
}

// What was not run is told, the latest of each job; that a run served it is no news.
func TestNewsOfDues(t *testing.T) {
	t.Parallel()
	s := newNotices()
	for n, state := range []ledger.OccurrenceState{ledger.Overlapped, ledger.Blocked, ledger.Missed, ledger.CutOff, ledger.CaughtUp, ledger.Ran, ledger.Running, ledger.Waiting, ledger.Interrupted, ledger.Broke} {
		s.add([]ledger.Occurrence{{Job: string(state), Local: "2026-03-29T02:30", At: time.Unix(int64(n), 0), State: state, Note: "because"}})
	}
	s.add([]ledger.Occurrence{{Job: "overlapped", Local: "2026-03-30T02:30", At: time.Unix(100, 0), State: ledger.Overlapped, Note: "because"}})
	var got []string
	for _, due := range s.take() {
		got = append(got, due.Job+": "+due.failure().Error())
	}
	want := []string{
		"blocked: the run due at 2026-03-29 02:30 was skipped: because",
		"missed: the run due at 2026-03-29 02:30 was missed: because",
		"cut_off: the run due at 2026-03-29 02:30 was cut off: because",
		"overlapped: the run due at 2026-03-30 02:30 was not started: because (and so was 1 run due before it)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if left := s.take(); len(left) > 0 {
		t.Errorf("told twice: %v", left)
	}
}
