package arrivals

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"docketsync/config/diagnostic"
	"docketsync/importer/ledger"
	"docketsync/importer/report/remedy"
	"docketsync/importer/source/format"
	"docketsync/importer/stop"
)

// TestOnlyAFilesOwnTroubleRejectsIt shows what becomes of a file: nothing that says nothing of the file puts it away.
func TestOnlyAFilesOwnTroubleRejectsIt(t *testing.T) {
	t.Parallel()
	run := func(phase ledger.Phase, code string) *ledger.Run {
		return &ledger.Run{ID: "0198", Phase: phase, StopCode: code, Stop: "rows fell"}
	}
	for name, c := range map[string]struct {
		run  *ledger.Run
		err  error
		want fate
		why  string
	}{
		"it was run":                       {run(ledger.Finished, ""), nil, archived, ""},
		"it cannot be read":                {nil, fmt.Errorf("job x: %w", &format.Error{File: "in/a.csv", What: "it was cut off", Hint: "Copy it again."}), rejected, "job x: a.csv: it was cut off\nCopy it again."},
		"a column is missing":              {nil, diagnostic.Faults{{Message: "no column Ref"}}, rejected, "no column Ref"},
		"a guard stopped it":               {run(ledger.Stopped, stop.Guard), nil, rejected, "rows fell\nThis export cannot be used. Export it again as before; the next run uses it.\nThe run is 0198."},
		"another file cannot be read":      {nil, &format.Error{File: "lookups/users.csv", What: "it was cut off"}, kept, ""},
		"the ledger cannot be reached":     {nil, errors.New("connection refused"), kept, ""},
		"the run was interrupted":          {run(ledger.Stopped, stop.Interrupted), nil, kept, ""},
		"the service stopped the run":      {run(ledger.Stopped, "sign_in"), nil, kept, ""},
		"an earlier step could not be run": {nil, nil, kept, ""},
	} {
		if got, why := fateOf(remedy.Site{}, c.run, "in/a.csv", c.err); got != c.want || !strings.Contains(why, c.why) || c.why == "" && why != "" {
			t.Errorf("%s: %s (%q), want %s (%q)", name, got, why, c.want, c.why)
		}
	}
}
