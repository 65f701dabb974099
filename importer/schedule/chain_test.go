package schedule

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/ledger"
)

// A job begins next when its delay is over; the time stays until the due is begun, or will not be, whoever is to begin it.
func TestNextDueMovesOnWhenOneIsBegun(t *testing.T) {
	t.Parallel()
	book, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	pattern, err := Parse("0 2 * * *", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	c := &Chain{Pattern: pattern, Delay: time.Hour, Steps: []Step{{Job: "cases"}, {Job: "marks", After: "cases"}}}
	table := Timetable{Chains: []*Chain{c}}
	night := func(day int) time.Time { return time.Date(2026, 3, day, 2, 0, 0, 0, time.UTC) }
	now := night(1).Add(-time.Minute)
	through := func(at time.Time) (jobs []ledger.Scheduled) {
		for _, step := range c.Steps {
			jobs = append(jobs, ledger.Scheduled{Job: step.Job, Schedule: pattern.String(), Through: at})
		}
		return jobs
	}
	save := func(jobs []ledger.Scheduled, taken int, state ledger.OccurrenceState, names ...string) {
		t.Helper()
		var rows []ledger.Occurrence
		for _, name := range names {
			rows = append(rows, ledger.Occurrence{Job: name, Schedule: pattern.String(), Local: "2026-03-01T02:00", At: night(1), State: state, Taken: taken})
		}
		if err := book.SaveOccurrences(t.Context(), jobs, rows); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(what string, t1 Timetable, days map[string]int) {
		t.Helper()
		got, err := Dues(t.Context(), book.Reader, t1, now)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]time.Time{}
		for job, day := range days {
			want[job] = c.begin(Due{At: night(day)})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	expect("nobody has scheduled yet", table, map[string]int{"cases": 1, "marks": 1})
	save(through(now), 0, "")
	now = night(5)
	expect("nobody was there for days", table, map[string]int{"cases": 1, "marks": 1})
	now = night(1).Add(time.Hour)
	save(through(night(1)), 0, ledger.Waiting, "cases", "marks")
	expect("nothing has begun", table, map[string]int{"cases": 1, "marks": 1})
	save(nil, 1, ledger.Running, "cases")
	expect("the first has begun", table, map[string]int{"cases": 2, "marks": 1})
	save(nil, 0, ledger.Blocked, "marks")
	expect("the other will not", table, map[string]int{"cases": 2, "marks": 2})
	expect("neither is scheduled", Timetable{}, nil)
}
