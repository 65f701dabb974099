package runner

import (
	"context"
	"errors"
	"strings"
	"testing"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/stop"
)

// TestWhatStopsTheJobsBehind shows that a bad file or a bad export says nothing of the other jobs, and that whatever would stop
// those as well does.
func TestWhatStopsTheJobsBehind(t *testing.T) {
	t.Parallel()
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	result := func(phase ledger.Phase, code string) Result {
		return Result{Summary: &report.Summary{Run: ledger.Run{Job: "cases", Phase: phase, StopCode: code, Stop: "the sign-in\nwas lost"}}}
	}
	for name, c := range map[string]struct {
		ctx    context.Context
		result Result
		err    error
		want   string
	}{
		"it was run":                {t.Context(), result(ledger.Finished, ""), nil, ""},
		"its file is missing":       {t.Context(), Result{Job: "cases"}, errors.New("no such file"), ""},
		"its guards stopped it":     {t.Context(), result(ledger.Stopped, stop.Guard), nil, ""},
		"the sign-in was lost":      {t.Context(), result(ledger.Stopped, "sign_in"), nil, "job cases was stopped: the sign-in was lost"},
		"it was interrupted":        {t.Context(), result(ledger.Stopped, stop.Interrupted), nil, "interrupted in job cases"},
		"interrupted before it ran": {interrupted, Result{Job: "cases"}, context.Canceled, "interrupted in job cases"},
	} {
		if got := stopsAll(c.ctx, c.result, c.err); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
