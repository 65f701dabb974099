//go:build unix

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/console/pagetest"
	"docketsync/importer/ledger"
)

// People are told once that runs were missed, and when the job is due next can be watched, also by another configuration.
func TestScheduleTellsOfWhatWasMissedAndIsDueNext(t *testing.T) {
	t.Parallel()
	told := make(chan string, 100)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		told <- string(body)
	}))
	t.Cleanup(hook.Close)
	f := newNightFirm(t, "notify: {channels: {other: {webhook: {env: HOOK}}}}\nmetrics: {listen: \"127.0.0.1:0\"}")
	f.edit(t, "zone: UTC}", "zone: UTC, catch_up: never}")
	f.release()
	d := f.startWith(t, "HOOK="+hook.URL)
	d.hears(t, "are served on http://")
	_, address, _ := strings.Cut(d.said.String(), "are served on ")
	address = strings.TrimSpace(strings.SplitN(address, "\n", 2)[0])
	d.hears(t, "cases: 0 2 * * * UTC; next run ")
	d.sees(t, ledger.Missed)
	message := <-told
	for _, want := range []string{`"event":"broken"`, "was missed: docketsync was not running", "(and so were 2 runs due before it)"} {
		if !strings.Contains(message, want) {
			t.Errorf("%q is not said: %s", want, message)
		}
	}
	at := time.Now().UTC().Truncate(24 * time.Hour).Add(2 * time.Hour)
	if !at.After(time.Now()) {
		at = at.AddDate(0, 0, 1)
	}
	d.watched(t, address, fmt.Sprintf("docketsync_next_run_timestamp_seconds{job=%q} %v", "cases", float64(at.Unix())))

	f.edit(t, "listen: \"127.0.0.1:0\"", "listen: \"127.0.0.1:1\"")
	f.edit(t, `cron: "0 2 * * *"`, `cron: "0 0 1 1 *"`)
	d.signal(t, syscall.SIGHUP)
	d.hears(t, "metrics.listen has changed; restart docketsync to use it")
	january := time.Date(time.Now().UTC().Year()+1, 1, 1, 0, 0, 0, 0, time.UTC)
	d.watched(t, address, fmt.Sprintf("docketsync_next_run_timestamp_seconds{job=%q} %v", "cases", float64(january.Unix())))
	d.signal(t, syscall.SIGTERM)
	d.ends(t, exit.AllIn)
	if len(told) > 0 {
		t.Errorf("people were told again: %s", <-told)
	}
}

// watched asks for the numbers, among which a line has to be.
func (d *scheduler) watched(t *testing.T, address, line string) {
	t.Helper()
	answer, err := http.Get(address + "/metrics")
	if body := pagetest.Text(t, answer, err); !strings.Contains(body, line+"\n") {
		t.Errorf("no line %s in\n%s", line, body)
	}
}

// A ledger whose server cannot be reached is waited for; people are told once, and who asks the process to end is not kept waiting.
func TestScheduleWaitsForALedgerThatCannotBeReached(t *testing.T) {
	t.Parallel()
	l := newListener(t)
	f := newNightFirm(t, "notify: {channels: {other: {webhook: {env: HOOK}}}}")
	f.edit(t, "ledger: docketsync.db", `ledger: "postgres://ann@127.0.0.1:1/ledger?connect_timeout=2"`)
	d := f.startWith(t, "HOOK="+l.URL)
	d.hears(t, "retrying until the ledger can be reached")
	d.signal(t, syscall.SIGTERM)
	d.ends(t, exit.AllIn)
	if diff := cmp.Diff([]string{"cases broken could_not_run"}, l.heard()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
