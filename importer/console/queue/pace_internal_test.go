package queue

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer"
	"docketsync/importer/forecast"
	"docketsync/importer/ledger"
)

// TestTheCourseIsThatOfThePhase shows that the reading of rows tells nothing of when the sending ends, and that no end is told while it pauses.
func TestTheCourseIsThatOfThePhase(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	reading := importer.Progress{Phase: ledger.Reading, Rows: 5000}
	pushing := func(settled int) importer.Progress {
		return importer.Progress{Phase: ledger.Pushing, Rows: 5000, To: 1000, Sent: map[ledger.State]int{ledger.Accepted: settled}}
	}
	c := onwards(forecast.Course{}, noon, importer.Progress{}, reading)
	last := reading
	for n := range 21 {
		next := pushing(10 + 3*n)
		c, last = onwards(c, noon.Add(time.Minute+time.Duration(n)*time.Second), last, next), next
	}
	now := noon.Add(time.Minute + 20*time.Second)
	if rate, ok := c.Rate(now); !ok || rate != 3 {
		t.Errorf("%v a second, %v", rate, ok)
	}
	if e, ok := c.Ends(now, last.Rest()); !ok || e.Likely != now.Add(310*time.Second) {
		t.Errorf("%+v, %v", e, ok)
	}
	last.Paused = "the service answers 503"
	if e, ok := c.Ends(now, last.Rest()); ok {
		t.Errorf("while it pauses: %+v", e)
	}
}

// TestAWatchedRunIsRemembered watches two runs that do not move while others come and go: since when they have not moved stays known.
func TestAWatchedRunIsRemembered(t *testing.T) {
	t.Parallel()
	led, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = led.Close() })
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var p Pulses
	watch := func(n, minute int) pulse {
		run := ledger.Run{ID: fmt.Sprintf("01a20ea3-a5ff-7b63-b48d-%012d", n), Job: fmt.Sprint("job", n), Kind: ledger.Push, Operation: "create_case", Scope: fmt.Sprint("s", n), Phase: ledger.Reading, Fingerprint: "f", Started: noon}
		if _, err := led.Run(t.Context(), run.ID); err != nil {
			if err := led.Begin(t.Context(), run); err != nil {
				t.Fatal(err)
			}
		}
		found, err := p.Of(t.Context(), led.Reader, run, noon.Add(time.Duration(minute)*time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	for n := range 2 * pulsesKept {
		for stalled := range 2 {
			if found := watch(stalled, n); !found.Changed.Equal(noon) {
				t.Fatalf("after %d other runs, run %d has not moved since %v", n, stalled, found.Changed)
			}
		}
		watch(n+2, n)
	}
	if len(p.runs) > pulsesKept {
		t.Errorf("%d runs are remembered", len(p.runs))
	}
}

func TestTallyTellsHowFarARunIs(t *testing.T) {
	t.Parallel()
	counts := []ledger.Count{{Action: ledger.None, State: ledger.Unchanged, N: 50}, {Action: ledger.None, State: ledger.Rejected, N: 3},
		{Action: ledger.Create, State: ledger.Planned, N: 10}, {Action: ledger.Create, State: ledger.Sending, N: 2},
		{Action: ledger.Create, State: ledger.Accepted, N: 20}, {Action: ledger.Update, State: ledger.InDoubt, N: 1}}
	got := tallied(ledger.Run{Job: "marks", Phase: ledger.Pushing, Counts: ledger.Counts{Read: 90}}, counts)
	want := importer.Progress{Job: "marks", Phase: ledger.Pushing, Rows: 90, Records: 86, To: 33, Sent: map[ledger.State]int{ledger.Accepted: 20, ledger.InDoubt: 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
