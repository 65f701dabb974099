package queue

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer"
	"docketsync/importer/ledger"
)

func TestPaceIsThatOfThePhase(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	reading := importer.Progress{Phase: ledger.Reading, Rows: 5000}
	pushing := func(settled int) importer.Progress {
		return importer.Progress{Phase: ledger.Pushing, Rows: 5000, To: 100, Sent: map[ledger.State]int{ledger.Accepted: settled}}
	}
	p := Pace{}.At(noon, importer.Progress{}, reading)
	p = p.At(noon.Add(time.Minute), reading, pushing(10))
	p = p.At(noon.Add(2*time.Minute), pushing(10), pushing(20))
	rate, left := p.Measure(noon.Add(time.Minute+10*time.Second), pushing(40))
	if rate != "3.0 per second" || left != "about 20s" {
		t.Errorf("%s, %s left", rate, left)
	}
	if rate, left := p.Measure(noon.Add(time.Minute), pushing(40)); rate != "" || left != "" {
		t.Errorf("before any time has passed: %s, %s left", rate, left)
	}
	if rate, _ := (Pace{}).Measure(noon, pushing(40)); rate != "" {
		t.Errorf("of a run that was never seen: %s", rate)
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
