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
		signs Signs
		want  string
	}{
		"nothing tells":           {Signs{}, ""},
		"it says so itself":       {Signs{BackupTaken: at}, "is a backup that was taken on " + moment.Of(at)},
		"it lacks what was sent":  {Signs{Outrun: &ledger.HighWaterMark{Run: "7", Job: "cases", Has: 3, Commits: 5}}, "has 3 of the 5 intents and outcomes"},
		"a run that it never saw": {Signs{Outrun: &ledger.HighWaterMark{Run: "7", Job: "cases", At: at, Ended: true}}, "which ended on " + moment.Of(at)},
		"a run under way":         {Signs{Outrun: &ledger.HighWaterMark{Run: "7", Job: "cases", At: at}}, "which started to send on " + moment.Of(at)},
		"a standby took over":     {Signs{Moved: true}, "is on a different server"},
		"a file is left behind":   {Signs{LeftBehind: "/srv/docketsync.db"}, "have sent to this service with /srv/docketsync.db"},
	} {
		err := c.signs.Restored("docketsync.db")
		var older *RestoredError
		switch {
		case c.want == "" && err == nil:
		case !errors.As(err, &older) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "accept-restore"):
			t.Errorf("%s: %v", name, err)
		}
	}
}
