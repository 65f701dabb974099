//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"docketsync/cmd/docketsync/internal/arrivals"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/ledger"
)

// gate stands between docketsync and the sandbox and holds every request back until it is opened.
type gate struct {
	*httptest.Server
	held chan struct{} // one for each request that is held
	open chan struct{}
	once sync.Once
}

func newGate(t *testing.T, behind box) *gate {
	t.Helper()
	target, err := url.Parse(behind.base)
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{held: make(chan struct{}, 10_000), open: make(chan struct{})}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.held <- struct{}{}
		<-g.open
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { g.release(); g.Close() })
	return g
}

func (g *gate) release() { g.once.Do(func() { close(g.open) }) }

// nightFirm is a firm whose job was due while nobody was there.
type nightFirm struct {
	dir string
	box box
	*gate
}

const nightRecords = 200

func newNightFirm(t *testing.T, settings string) nightFirm {
	t.Helper()
	f := nightFirm{dir: t.TempDir()}
	f.box = startSandbox(t, f.dir)
	f.gate = newGate(t, f.box)
	writeCrashFirm(t, f.dir, box{f.URL}, nightRecords)
	f.edit(t, "mapping: cases.yaml}", `mapping: cases.yaml, when: {cron: "0 2 * * *", zone: UTC}}`)
	f.edit(t, "retry:", settings+"\nledger: docketsync.db\nretry:")
	l := f.ledger(t)
	if err := l.SaveOccurrences(t.Context(), []ledger.Scheduled{{Job: "cases", Schedule: "0 2 * * * UTC", Through: time.Now().Add(-72 * time.Hour)}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f nightFirm) edit(t *testing.T, old, replacement string) {
	t.Helper()
	file := filepath.Join(f.dir, "docketsync.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), old, replacement, 1)
	if changed == string(text) {
		t.Fatalf("the configuration has no %q", old)
	}
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (f nightFirm) ledger(t *testing.T) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Open(t.Context(), filepath.Join(f.dir, "docketsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// dues are what became of the firm's dues, the latest first, by state.
func (f nightFirm) dues(t *testing.T) (list []ledger.Occurrence) {
	t.Helper()
	l := f.ledger(t)
	defer l.Close()
	list, err := l.Occurrences(t.Context(), ledger.OccurrenceFilter{})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// daemon is docketsync schedule as a process.
type scheduler struct {
	cmd    *exec.Cmd
	lines  chan string // of standard error
	events chan event  // of standard output
	ended  chan struct{}
	said   strings.Builder
	pruned int // how often old runs were pruned, as far as the events were looked at
}

// event is a line of standard output.
type event struct {
	Due    *ledger.Occurrence
	Run    *struct{ Verdict string }
	File   *arrivals.Event
	Pruned *struct{}
}

func (f nightFirm) start(t *testing.T) *scheduler {
	t.Helper()
	return f.startWith(t)
}

// startWith is start with more variables in the environment.
func (f nightFirm) startWith(t *testing.T, variables ...string) *scheduler {
	t.Helper()
	d := &scheduler{cmd: exec.Command("docketsync", "schedule", "--json"), lines: make(chan string, 10_000), events: make(chan event, 10_000), ended: make(chan struct{})}
	d.cmd.Dir, d.cmd.Env = f.dir, append(environment(), variables...)
	stdout, err := d.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := d.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var reading sync.WaitGroup
	reading.Go(func() { d.readLines(stderr) })
	reading.Go(func() { d.readEvents(stdout) })
	go func() {
		reading.Wait()
		_ = d.cmd.Wait()
		close(d.ended)
	}()
	t.Cleanup(func() {
		_ = d.cmd.Process.Kill()
		<-d.ended
	})
	return d
}

func (d *scheduler) readLines(from io.Reader) {
	defer close(d.lines)
	for lines := bufio.NewScanner(from); lines.Scan(); {
		d.lines <- lines.Text()
	}
}

func (d *scheduler) readEvents(from io.Reader) {
	defer close(d.events)
	for decoder := json.NewDecoder(from); ; {
		var e event
		if decoder.Decode(&e) != nil {
			return
		}
		d.events <- e
	}
}

// hears waits for a line of standard error that holds the words.
func (d *scheduler) hears(t *testing.T, words string) {
	t.Helper()
	for line := range d.lines {
		d.said.WriteString(line + "\n")
		if strings.Contains(line, words) {
			return
		}
	}
	t.Fatalf("docketsync ended without having said %q:\n%s", words, d.said.String())
}

// sees waits for a due in a state.
func (d *scheduler) sees(t *testing.T, state ledger.OccurrenceState) ledger.Occurrence {
	t.Helper()
	for e := range d.events {
		if e.Pruned != nil {
			d.pruned++
		}
		if e.Due != nil && e.Due.State == state {
			return *e.Due
		}
	}
	for line := range d.lines {
		d.said.WriteString(line + "\n")
	}
	t.Fatalf("docketsync ended without a due that is %s:\n%s", state, d.said.String())
	return ledger.Occurrence{}
}

func (d *scheduler) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := d.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// ends waits for the end of the process.
func (d *scheduler) ends(t *testing.T, status int) {
	t.Helper()
	<-d.ended
	if got := d.cmd.ProcessState.ExitCode(); got != status {
		for line := range d.lines {
			d.said.WriteString(line + "\n")
		}
		t.Fatalf("docketsync ended with %d, want %d:\n%s", got, status, d.said.String())
	}
}

// TestScheduleStopsAndGoesOn stops a schedule in the middle of a run: requests in flight are finished, the rest is held, and the
// next start goes on with the same due. Everything is created once.
func TestScheduleStopsAndGoesOn(t *testing.T) {
	t.Parallel()
	f := newNightFirm(t, "")
	first := f.start(t)
	first.sees(t, ledger.CaughtUp) // two nights ago
	begun := first.sees(t, ledger.Running)
	<-f.held
	second := f.start(t)
	second.hears(t, "another process schedules the jobs of this ledger: process")
	second.ends(t, exit.CouldNotRun)
	first.signal(t, syscall.SIGTERM)
	first.hears(t, "requests in flight are finished, the rest is held")
	f.release()
	first.sees(t, ledger.Interrupted)
	first.ends(t, exit.AllIn)
	if state := f.box.state(t); state.Cases == 0 || state.Cases >= nightRecords {
		t.Errorf("%d cases when it was stopped", state.Cases)
	}
	again := f.start(t)
	again.hears(t, "resuming an interrupted run")
	ran := again.sees(t, ledger.Ran)
	again.signal(t, syscall.SIGTERM)
	again.ends(t, exit.AllIn)
	if ran.Local != begun.Local || ran.Taken != 2 || ran.Run == "" {
		t.Errorf("begun %+v, ran %+v", begun, ran)
	}
	if state := f.box.state(t); state.Cases != nightRecords || len(state.Repeated) > 0 {
		t.Errorf("%d cases, repeated %v", state.Cases, state.Repeated)
	}
	for n, due := range f.dues(t) {
		if want := map[bool]ledger.OccurrenceState{true: ledger.Ran, false: ledger.CaughtUp}[n == 0]; due.State != want {
			t.Errorf("%+v, want %s", due, want)
		}
	}
}

// TestScheduleIsCutOff stops a schedule whose requests are not answered: it ends within the limit all the same, and at most
// what was in flight is in doubt after the next start.
func TestScheduleIsCutOff(t *testing.T) {
	t.Parallel()
	f := newNightFirm(t, "schedule: {stop_within: 50ms}")
	first := f.start(t)
	first.sees(t, ledger.Running)
	<-f.held
	first.signal(t, syscall.SIGTERM)
	first.hears(t, "was cut off; the next start decides what became of requests in flight")
	first.ends(t, exit.Interrupted)
	f.release()
	again := f.start(t)
	ran := again.sees(t, ledger.Ran)
	again.signal(t, syscall.SIGTERM)
	again.ends(t, exit.AllIn)
	l := f.ledger(t)
	defer l.Close()
	counts, err := l.Tally(t.Context(), ran.Run)
	if err != nil {
		t.Fatal(err)
	}
	states := map[ledger.State]int{}
	for _, count := range counts {
		states[count.State] += count.N
	}
	if n := states[ledger.InDoubt]; n == 0 || n > crashConcurrency || states[ledger.Accepted] != nightRecords-n {
		t.Errorf("the run of %s: %v", ran.Local, states)
	}
}

// TestScheduleReloads sends SIGHUP: a configuration with mistakes is refused with all of them and the old one stays, a good
// one is taken.
func TestScheduleReloads(t *testing.T) {
	t.Parallel()
	f := newNightFirm(t, "")
	f.release()
	d := f.start(t)
	d.hears(t, "cases: 0 2 * * * UTC; next run ")
	d.sees(t, ledger.Ran)

	f.edit(t, `cron: "0 2 * * *"`, `cron: "0 2 30 2 *"`)
	d.signal(t, syscall.SIGHUP)
	d.hears(t, "the new configuration has errors; the old one stays in use")
	d.hears(t, "there is no such date")
	f.edit(t, `cron: "0 2 30 2 *"`, `cron: "30 3 * * *"`)

	mappingFile := filepath.Join(f.dir, "cases.yaml")
	good, err := os.ReadFile(mappingFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mappingFile, []byte("operation: create_cas\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.signal(t, syscall.SIGHUP)
	d.hears(t, "the new configuration has errors")
	d.hears(t, "cases.yaml:1:")

	if err := os.WriteFile(mappingFile, good, 0o600); err != nil {
		t.Fatal(err)
	}
	f.edit(t, "ledger: docketsync.db", "ledger: other.db")
	d.signal(t, syscall.SIGHUP)
	d.hears(t, "the ledger has changed")
	f.edit(t, "ledger: other.db", "ledger: docketsync.db")

	d.signal(t, syscall.SIGHUP)
	d.hears(t, "the new configuration is in use")
	d.hears(t, "cases: 30 3 * * * UTC; next run ")
	d.signal(t, syscall.SIGTERM)
	d.ends(t, exit.AllIn)
	l := f.ledger(t)
	defer l.Close()
	jobs, err := l.Scheduled(t.Context())
	if err != nil || len(jobs) != 1 || jobs[0].Schedule != "30 3 * * * UTC" {
		t.Errorf("%v, %v", jobs, err)
	}
}

// A night ends with taking out of the ledger what is no longer kept.
func TestSchedulePrunesAfterARun(t *testing.T) {
	t.Parallel()
	f := newNightFirm(t, "retention: {runs: 400d}")
	f.release()
	d := f.start(t)
	d.sees(t, ledger.Ran)
	d.signal(t, syscall.SIGTERM)
	d.ends(t, exit.AllIn)
	if d.pruned != 1 {
		t.Errorf("old runs were pruned %d times", d.pruned)
	}
}
