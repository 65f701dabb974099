package importer_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestFullDiskStopsTheRun fills the disk at several moments of a push. The run stops with a message that says so and
// what to do. Nothing is sent whose intent could not be committed. Once there is room, the next run continues, and
// nothing is lost.
func TestFullDiskStopsTheRun(t *testing.T) {
	t.Parallel()
	const workers = 4
	for _, room := range []int{0, 5, 20, 40} {
		t.Run(fmt.Sprintf("room for %d more pages", room), func(t *testing.T) {
			t.Parallel()
			w := newStopWorld(t, stopCase{job: "many"})
			task := stopTask{Job: "many", Concurrency: workers, Pages: w.planned() + room}
			steps, said, ended := w.start(task)
			if ended == nil || !strings.Contains(said, "full") || !strings.Contains(said, "Free some space") {
				t.Fatalf("the run ended with %v: %q", ended, said)
			}
			sent := 0
			for _, step := range steps { // a record whose intent was written may still not be sent: the ledger is asked once more
				if strings.HasSuffix(step, " has left") {
					sent++
				}
			}
			if state := w.state(); int(state.Requests) != sent || sent >= manyCases {
				t.Errorf("%d requests were sent, and the service has seen %d", sent, state.Requests)
			}
			w.atRisk = workers
			w.account()
			t.Logf("%d of %d were sent before the disk was full", sent, manyCases)
		})
	}
}

// planned returns how many pages the ledger has once the plan is made. It finds out in a world of its own, which is
// killed before its first request.
func (w *stopWorld) planned() (pages int) {
	w.t.Helper()
	apart := newStopWorld(w.t, w.c)
	apart.live(stopTask{Job: w.c.job, Concurrency: 1, StopBefore: "request 1 leaves"})
	db, err := sql.Open("sqlite", filepath.Join(apart.dir, "ledger.db"))
	w.must(err)
	defer db.Close()
	w.must(db.QueryRowContext(w.t.Context(), "pragma page_count").Scan(&pages))
	return pages
}
