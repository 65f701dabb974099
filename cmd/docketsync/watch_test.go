package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/console/pagetest"
	"docketsync/importer/ledger"
)

// listener is a web server that keeps what it is sent: the events of messages, and the paths of pings.
type listener struct {
	*httptest.Server
	mu     sync.Mutex
	events []string
	bodies []string
}

func newListener(t *testing.T) *listener {
	t.Helper()
	l := &listener{}
	l.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m struct{ Event, Cause, Job string }
		l.mu.Lock()
		defer l.mu.Unlock()
		l.bodies = append(l.bodies, string(body))
		switch {
		case r.Method == http.MethodGet:
			l.events = append(l.events, "ping "+r.URL.Path)
		case json.Unmarshal(body, &m) == nil:
			l.events = append(l.events, strings.TrimSpace(m.Job+" "+m.Event+" "+m.Cause))
		}
	}))
	t.Cleanup(l.Close)
	return l
}

// received is all that was sent so far, as it was.
func (l *listener) received() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.bodies)
}

// heard is what was sent since it was last asked, pings first: they go out at the same time as messages.
func (l *listener) heard() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	events := l.events
	l.events = nil
	slices.SortStableFunc(events, func(a, b string) int { return strings.Compare(b[:4], a[:4]) })
	return events
}

// addSettings puts settings in front of a configuration.
func addSettings(t *testing.T, dir, text string) {
	t.Helper()
	path := filepath.Join(dir, "docketsync.yaml")
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append([]byte(text), old...), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRunsAreWatched(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, t.TempDir())
	writeCrashFirm(t, dir, b, 3)
	l, collector := newListener(t), newListener(t)
	addSettings(t, dir, `notify:
  channels: {other: {webhook: {env: HOOK}}}
  ping: {url: {env: PING}, start_and_fail: true}
metrics: {textfile: out.prom, traces: `+collector.URL+`}
`)
	env := []string{"HOOK=" + l.URL + "/hook-s3cr3t", "PING=" + l.URL + "/{job}"}
	step := func(what string, code int, want []string, numbers ...string) {
		t.Helper()
		got, out := programWith(t, dir, env, "run")
		if got != code {
			t.Errorf("%s: exit %d, want %d\n%s", what, got, code, out)
		}
		if strings.Contains(out, "s3cr3t") {
			t.Errorf("%s: a secret is shown:\n%s", what, out)
		}
		if diff := cmp.Diff(want, l.heard()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
		text, err := os.ReadFile(filepath.Join(dir, "out.prom"))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range numbers {
			if !strings.Contains(string(text), line+"\n") {
				t.Errorf("%s: no line %s", what, line)
			}
		}
	}
	step("all in", exit.AllIn, []string{"ping /cases/start", "ping /cases"}, `docketsync_last_run_records{job="cases",outcome="created"} 3`, `docketsync_last_run_result{job="cases",result="ok"} 1`)
	cases := filepath.Join(dir, "cases.csv")
	if err := os.Rename(cases, cases+".away"); err != nil {
		t.Fatal(err)
	}
	broke := []string{"ping /cases/start", "ping /cases/fail", "cases broken could_not_run"}
	step("the file is missing", exit.CouldNotRun, broke, `docketsync_last_run_result{job="cases",result="could_not_run"} 1`)
	step("it is still missing", exit.CouldNotRun, []string{"ping /cases/start", "ping /cases/fail"})
	if err := os.Rename(cases+".away", cases); err != nil {
		t.Fatal(err)
	}
	if code, out := programWith(t, dir, env, "run", "cases", "--file", "cases.csv"); code != exit.AllIn || len(l.heard()) > 0 {
		t.Errorf("a file that a person runs is told of: %d\n%s", code, out)
	}
	step("it is back", exit.AllIn, []string{"ping /cases/start", "ping /cases", "cases recovered"}, `docketsync_last_run_records{job="cases",outcome="unchanged"} 3`)
	if traces := collector.received(); len(traces) != 2 || !strings.Contains(traces[0], `"resourceSpans"`) {
		t.Errorf("the collector got %q, want a trace of each of the two runs", traces)
	}
}

func TestNotifyTest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeCrashFirm(t, dir, box{"http://127.0.0.1:1"}, 1)
	if code, out := program(t, dir, "notify", "test"); code != exit.Usage || !strings.Contains(out, "the configuration has no channels") {
		t.Errorf("without channels: %d %s", code, out)
	}
	addSettings(t, dir, "notify: {channels: {good: {webhook: {env: HOOK}, on: success}, gone: {slack: {env: GONE}}}, ping: {url: {env: HOOK}}}\n")
	l := newListener(t)
	code, out := programWith(t, dir, []string{"HOOK=" + l.URL, "GONE=http://127.0.0.1:1/s3cr3t"}, "notify", "test")
	if code != exit.CouldNotRun || !strings.Contains(out, "good: sent\n") || !strings.Contains(out, "gone: dial tcp 127.0.0.1:1") || strings.Contains(out, "s3cr3t") {
		t.Errorf("%d %s", code, out)
	}
	if diff := cmp.Diff([]string{"test"}, l.heard()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if code, out := program(t, dir, "notify", "test"); code != exit.Usage || !strings.Contains(out, "HOOK is not set") {
		t.Errorf("without the secrets: %d %s", code, out)
	}
}

// A channel without its secret keeps all jobs from running. The others are told that once, whatever is run how often, without a line of
// the configuration; and once that it is mended.
func TestAChannelWithoutItsSecretIsToldToTheOthersOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeCrashFirm(t, dir, startSandbox(t, t.TempDir()), 3)
	l := newListener(t)
	addSettings(t, dir, "notify: {channels: {other: {webhook: {env: HOOK}}, gone: {slack: {env: GONE}}}}\n")
	env := []string{"HOOK=" + l.URL}
	for range 2 {
		if code, out := programWith(t, dir, env, "run"); code != exit.Usage || !strings.Contains(out, "GONE is not set") {
			t.Fatalf("%d %s", code, out)
		}
	}
	if diff := cmp.Diff([]string{"broken no_channel"}, l.heard()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	message := l.received()[0]
	for _, wrong := range []string{"^", "env: GONE", dir} {
		if strings.Contains(message, wrong) {
			t.Errorf("the message quotes the configuration (%s): %s", wrong, message)
		}
	}
	if !strings.Contains(message, `No job runs: a notification channel has no secret: `) || !strings.Contains(message, "docketsync doctor") {
		t.Errorf("the message is %s", message)
	}
	if code, out := programWith(t, dir, append(env, "GONE="+l.URL), "run"); code != exit.AllIn {
		t.Fatalf("%d %s", code, out)
	}
	if diff := cmp.Diff([]string{"recovered"}, l.heard()); diff != "" {
		t.Errorf("when it is mended (-want +got):\n%s", diff)
	}
}

// Every line that is logged while a run is under way, by whatever part, names the run and the job.
func TestLogLinesNameTheirRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, t.TempDir())
	writeCrashFirm(t, dir, b, 3)
	addSettings(t, dir, "log: {level: debug, format: json}\n")
	cmd := exec.Command("docketsync", "run", "--json")
	cmd.Dir, cmd.Env = dir, environment()
	var logged strings.Builder
	cmd.Stderr = &logged
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	within, requests := "", 0
	for line := range strings.Lines(logged.String()) {
		if !strings.HasPrefix(line, "{") {
			continue // progress
		}
		var said struct{ Msg, Run, Job string }
		if err := json.Unmarshal([]byte(line), &said); err != nil {
			t.Fatal(err)
		}
		if said.Msg == "run began" {
			within = said.Run
		}
		if within != "" && (said.Run != within || said.Job != "cases") || strings.Count(line, `"run":`) > 1 {
			t.Errorf("not of run %s: %s", within, line)
		}
		if said.Msg == "request" {
			requests++
		}
		if said.Msg == "run ended" {
			within = ""
		}
	}
	if requests != 3 {
		t.Errorf("%d requests logged:\n%s", requests, logged.String())
	}
}

// What is served tells of runs before this process, of the ledger, and of what else keeps the process from its work.
func TestPagesForWhoWatches(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, t.TempDir())
	writeCrashFirm(t, dir, b, 3)
	addSettings(t, dir, "metrics: {listen: 127.0.0.1:0}\n")
	if code, out := program(t, dir, "run"); code != exit.AllIn {
		t.Fatalf("%d %s", code, out)
	}
	a := quietApp(func(string) (string, bool) { return "", false }, filepath.Join(dir, "docketsync.yaml"))
	in, err := a.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := in.ObserveRuns(t.Context()); err != nil {
		t.Fatal(err)
	}
	var idle error
	address, err := in.ServeProbes(t.Context(), in.Book.Writable, func(context.Context) error { return idle })
	if err != nil {
		t.Fatal(err)
	}
	page := func(path string) (int, string) {
		answer, err := http.Get("http://" + address + path)
		text := pagetest.Text(t, answer, err)
		return answer.StatusCode, text
	}
	if code, text := page("/metrics"); code != 200 || !strings.Contains(text, `docketsync_last_run_records{job="cases",outcome="created"} 3`) || !strings.Contains(text, "docketsync_ledger_up 1") {
		t.Errorf("/metrics: %d %s", code, text)
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if code, text := page(path); code != 200 {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
	idle = errors.New("the schedule is not running")
	if code, text := page("/readyz"); code != 503 || text != "the schedule is not running\n" {
		t.Errorf("/readyz without a schedule: %d %s", code, text)
	}
	if err := in.Book.Close(); err != nil {
		t.Fatal(err)
	}
	if code, text := page("/healthz"); code != 503 || !strings.Contains(text, "ledger") {
		t.Errorf("/healthz without a ledger: %d %s", code, text)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
}

// What says nothing about how a job fares is told to nobody.
func TestWhatIsNoNews(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, t.TempDir())
	writeCrashFirm(t, dir, b, 1)
	addSettings(t, dir, "notify: {channels: {other: {webhook: {env: HOOK}}}}\n")
	l := newListener(t)
	env := []string{"HOOK=" + l.URL}
	if code, out := programWith(t, dir, env, "run", "casses"); code != exit.Usage || len(l.heard()) > 0 {
		t.Errorf("a slip of the hand: %d %s", code, out)
	}
	book, err := ledger.Open(t.Context(), filepath.Join(dir, "docketsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	release, err := book.Lock(t.Context(), "create_case")
	if err != nil {
		t.Fatal(err)
	}
	if code, out := programWith(t, dir, env, "run"); code != exit.CouldNotRun || len(l.heard()) > 0 {
		t.Errorf("another run is under way: %d %s", code, out)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	// A ledger that cannot be opened is news, and cannot remember that it was told.
	if err := os.WriteFile(filepath.Join(dir, "broken.db"), bytes.Repeat([]byte("no ledger "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	addSettings(t, dir, "ledger: broken.db\n")
	code, out := programWith(t, dir, env, "run")
	if diff := cmp.Diff([]string{"cases broken could_not_run"}, l.heard()); diff != "" || code != exit.CouldNotRun {
		t.Errorf("exit %d (-want +got):\n%s\n%s", code, diff, out)
	}
}
