package installation

import (
	"errors"
	"strings"
	"testing"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/moment"
)

// TestAnOlderLedgerIsNotUsedToSend shows what tells that a ledger is an older copy of itself, and what is said then.
func TestAnOlderLedgerIsNotUsedToSend(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		taken  time.Time
		outrun *ledger.HighWaterMark
		want   string
	}{
		"nothing tells":           {time.Time{}, nil, ""},
		"it says so itself":       {at, nil, "is a backup that was taken on " + moment.Of(at)},
		"it lacks what was sent":  {time.Time{}, &ledger.HighWaterMark{Run: "7", Job: "cases", Has: 3, Commits: 5}, "has 3 of the 5 intents and outcomes"},
		"a run that it never saw": {time.Time{}, &ledger.HighWaterMark{Run: "7", Job: "cases", At: at, Ended: true}, "which ended on " + moment.Of(at)},
		"a run under way":         {time.Time{}, &ledger.HighWaterMark{Run: "7", Job: "cases", At: at}, "which started to send on " + moment.Of(at)},
	} {
		err := Restored("docketsync.db", c.taken, c.outrun)
		var older *RestoredError
		switch {
		case c.want == "" && err == nil:
		case !errors.As(err, &older) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "accept-restore"):
			t.Errorf("%s: %v", name, err)
		}
	}
}
