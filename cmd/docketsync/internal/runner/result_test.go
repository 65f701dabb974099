package runner

import (
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
	"docketsync/importer/stop"
)

// TestWhatIsHeldIsNotIn has a run end with records that it did not send: it is not all in, unless it was asked for a part.
func TestWhatIsHeldIsNotIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		run  ledger.Run
		held int
		want int
	}{
		{ledger.Run{Phase: ledger.Finished}, 0, exit.AllIn},
		{ledger.Run{Phase: ledger.Finished}, 1, exit.Rejects},
		{ledger.Run{Phase: ledger.Stopped, StopCode: stop.Part}, 1, exit.AllIn},
	} {
		s := &report.Summary{Run: c.run}
		s.Records.ByOutcome = []report.OutcomeCount{{Outcome: outcome.Held, Records: c.held}}
		if got := StatusOf(s); got != c.want {
			t.Errorf("%s %s with %d held ends with %d, want %d", c.run.Phase, c.run.StopCode, c.held, got, c.want)
		}
	}
}
