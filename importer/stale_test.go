package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/apiclient/sandbox"
	"docketsync/importer/ledger"
	"docketsync/importer/push"
	"docketsync/importer/stop"
)

// TestStaleIdsAtTheHeadStopNothing has a nightly job that begins with cases the service no longer has. If the operation
// has been accepted before, they are refused one by one. A path that was never accepted is doubted after 5 equal
// refusals, and any path after 20.
func TestStaleIdsAtTheHeadStopNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	created := w.records(w.run(w.job("cases", casesMapping, cases(1, 3))))
	export := func(stale int, night string) string {
		var b strings.Builder
		b.WriteString("Ref,Id,Title\n")
		for n := range stale {
			fmt.Fprintf(&b, "S%02d,0b5e4c5a-7f11-4b7e-9a55-000000dead%02d,Gone %s\n", n, n, night)
		}
		for _, c := range created {
			fmt.Fprintf(&b, "%s,%s,Case %s\n", c.Key, c.ServiceID, night)
		}
		return b.String()
	}
	night := func(export, path string) ledger.Run {
		t.Helper()
		i := w.with(func(o *apiclient.Options) { o.Paths[payload.UpdateCase] = path })
		i.Concurrency, i.Limits = 1, push.Limits{SameRefusal: 5}
		run, err := i.Run(t.Context(), w.job("update", updatesMapping, export))
		w.must(err)
		return run
	}
	const right, wrong = "/v1/firms/file", "/v1/firm/file"
	stops := func(stale int, title, path string, after int) {
		t.Helper()
		run := night(export(stale, title), path)
		if run.StopCode != stop.SameRefusal || !strings.Contains(run.Stop, fmt.Sprintf("the first %d records for the same reason", after)) || !strings.Contains(run.Stop, "service.paths.update_case") {
			t.Errorf("it ended as %s (%s), want a stop after %d", run.Phase, run.Stop, after)
		}
		w.expect(run, fmt.Sprintf("held %d", stale+3))
	}
	stops(6, "one", right, 5) // nothing says yet that it is right
	run := night(export(0, "one"), right)
	w.expect(run, "accepted 3")
	run = night(export(6, "two"), right)
	if w.expect(run, "accepted 3, refused 6"); run.Phase != ledger.Finished {
		t.Errorf("6 stale ids ended as %s (%s)", run.Phase, run.Stop)
	}
	stops(30, "three", wrong, 20)
}
