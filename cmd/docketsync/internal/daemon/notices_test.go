package daemon

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/ledger"
)

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
