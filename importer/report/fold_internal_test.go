package report

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/report/corrected"
)

// TestRecordsAreComparedWithTheTally gives the fold a tally that is not the one of its records, as a damaged index of the
// database would.
func TestRecordsAreComparedWithTheTally(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	led, err := ledger.Open(ctx, filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = led.Close() })
	run := ledger.Run{ID: "0198a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b", Kind: ledger.Push, Phase: ledger.Finished, Fingerprint: "x", Started: time.Unix(1e9, 0), Counts: ledger.Counts{Read: 2, InRecords: 2}}
	if err := led.Begin(ctx, run); err != nil {
		t.Fatal(err)
	}
	for seq := range int64(2) {
		if _, err := led.Add(ctx, []ledger.Record{{Run: run.ID, Seq: seq + 1, State: ledger.Unchanged, Rows: []ledger.Row{{Number: int(seq) + 2}}}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name  string
		phase ledger.Phase
		tally []ledger.Count
		want  []string
	}{
		{"the right tally", ledger.Finished, []ledger.Count{{State: ledger.Unchanged, N: 2}}, nil},
		{"one record too many", ledger.Finished, []ledger.Count{{State: ledger.Unchanged, N: 3}}, []string{"The ledger counts 3 records as unchanged, but 2 were found."}},
		{"a state that went by nowhere", ledger.Finished, []ledger.Count{{State: ledger.Unchanged, N: 2}, {State: ledger.Sending, N: 1}}, []string{"The ledger counts 1 records as being sent, but none were found."}},
		{"while the plan is made", ledger.Reading, nil, nil},
		{"while the run goes on, records move between the two counts", ledger.Pushing, []ledger.Count{{State: ledger.Planned, N: 2}}, nil},
	} {
		run.Phase = test.phase
		f := newFold(run, corrected.Former{})
		if _, err := f.read(ctx, led.Reader); err != nil {
			t.Fatal(err)
		}
		s := f.summary(test.tally)
		if !slices.Equal(s.Discrepancies, test.want) || s.AddsUp != (test.want == nil) {
			t.Errorf("%s: %q, want %q", test.name, s.Discrepancies, test.want)
		}
	}
}
