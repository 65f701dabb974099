//go:build unix

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/cmd/docketsync/internal/arrivals"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/console/pagetest"
	"docketsync/importer/ledger"
)

// TestScheduleRunsInboxesAndTells has a schedule with everything: a due to catch up, an inbox, a channel, metrics, retention.
func TestScheduleRunsInboxesAndTells(t *testing.T) {
	t.Parallel()
	l := newListener(t)
	f := newNightFirm(t, "notify: {channels: {other: {webhook: {env: HOOK}, on: [success, broken]}}}\n"+
		"metrics: {listen: \"127.0.0.1:0\"}\nretention: {runs: 400d}")
	f.release()
	f.edit(t, "jobs:", "jobs:\n  - {name: late, mapping: cases.yaml, source: {inbox: {folder: in, poll: 1s, still: 1s}}}")
	if err := os.Mkdir(filepath.Join(f.dir, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	arrive(t, f, "bad.csv", "No,Such,Columns\n1,2,3\n")
	d := f.startWith(t, "HOOK="+l.URL)
	d.hears(t, "are served on http://")
	_, address, _ := strings.Cut(d.said.String(), "are served on ")
	address = strings.TrimSpace(strings.SplitN(address, "\n", 2)[0])
	d.sees(t, ledger.Ran)
	if event := d.seesFile(t); event.Fate != "rejected" || event.Job != "late" {
		t.Errorf("a file that cannot be mapped: %+v", event)
	}
	text, err := os.ReadFile(filepath.Join(f.dir, "cases.csv"))
	if err != nil {
		t.Fatal(err)
	}
	arrive(t, f, "good.csv", strings.ReplaceAll(string(text), "C-", "L-"))
	if event := d.seesFile(t); event.Fate != "archived" || event.Run == "" {
		t.Errorf("a good file: %+v", event)
	}
	for page, want := range map[string]string{"/metrics": `docketsync_last_run_result{job="late",result="ok"} 1`, "/readyz": ""} {
		answer, err := http.Get(address + page)
		if body := pagetest.Text(t, answer, err); answer.StatusCode != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %s\n%s", page, answer.Status, body)
		}
	}
	d.signal(t, syscall.SIGTERM)
	d.ends(t, 0)
	heard := strings.Join(l.heard(), "\n")
	for _, want := range []string{"cases success", "late broken could_not_run", "late success"} {
		if !strings.Contains(heard, want) {
			t.Errorf("nobody was told %q:\n%s", want, heard)
		}
	}
	if d.pruned != 1 {
		t.Errorf("old runs were pruned %d times", d.pruned)
	}
}

// What happens in an inbox is noticed long before the folder is polled.
func TestScheduleWatchesInboxes(t *testing.T) {
	t.Parallel()
	f := newNightFirm(t, "")
	f.release()
	f.edit(t, "jobs:", "jobs:\n  - {name: late, mapping: cases.yaml, source: {inbox: {folder: in, poll: 24h, still: 1s}}}")
	if err := os.Mkdir(filepath.Join(f.dir, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	d := f.start(t)
	d.sees(t, ledger.Ran)
	for _, name := range []string{"one.csv", "two.csv", "three.csv"} { // one could be found by the look after the one before
		arrive(t, f, name, "Ref,Title\n"+name+",A case\n")
		if event := d.seesFile(t); event.Fate != "archived" || event.File != name {
			t.Errorf("%s: %+v", name, event)
		}
	}
	d.signal(t, syscall.SIGTERM)
	d.ends(t, exit.AllIn)
}

// arrive puts a whole file into the inbox.
func arrive(t *testing.T, f nightFirm, name, text string) {
	t.Helper()
	part := filepath.Join(f.dir, name+".part")
	if err := os.WriteFile(part, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(part, filepath.Join(f.dir, "in", name)); err != nil {
		t.Fatal(err)
	}
}

// seesFile waits until something has become of a file of an inbox.
func (d *scheduler) seesFile(t *testing.T) arrivals.Event {
	t.Helper()
	for e := range d.events {
		if e.Pruned != nil {
			d.pruned++
		}
		if e.File != nil {
			return *e.File
		}
	}
	for line := range d.lines {
		d.said.WriteString(line + "\n")
	}
	t.Fatalf("docketsync ended without a file:\n%s", d.said.String())
	return arrivals.Event{}
}

// A job that was not run for the one before it is told of too: it has no run that could be.
func TestScheduleTellsOfWhatIsBlocked(t *testing.T) {
	t.Parallel()
	l := newListener(t)
	f := newNightFirm(t, "notify: {channels: {other: {webhook: {env: HOOK}}}}")
	f.edit(t, "jobs:", "jobs:\n  - {name: second, mapping: cases.yaml, source: cases.csv, when: {after: cases}}")
	if err := os.Remove(filepath.Join(f.dir, "cases.csv")); err != nil {
		t.Fatal(err)
	}
	book := f.ledger(t)
	if err := book.SaveOccurrences(t.Context(), []ledger.Scheduled{{Job: "second", Schedule: "0 2 * * * UTC", Through: time.Now().Add(-72 * time.Hour)}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := book.Close(); err != nil {
		t.Fatal(err)
	}
	d := f.startWith(t, "HOOK="+l.URL)
	d.sees(t, ledger.Blocked)
	d.signal(t, syscall.SIGTERM)
	d.ends(t, 0)
	if diff := cmp.Diff([]string{"second broken could_not_run", "cases broken could_not_run"}, l.heard()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
