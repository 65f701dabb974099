package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
)

// TestAWrongPathIsNoticed sends to a path that the service does not have: a few requests go out, the setting is named, nothing
// counts as a row to be corrected, and with the setting corrected everything goes in, once.
func TestAWrongPathIsNoticed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 200)
	right := string(read(t, filepath.Join(dir, "docketsync.yaml")))
	write(t, dir, "docketsync.yaml", strings.Replace(right, "service:\n", "service:\n  paths: {create_case: /v1/firm/file}\n", 1))
	code, out := command(t, dir, "run")
	for _, want := range []string{"(status 404 Not Found), so a setting is probably wrong: service.paths.create_case or service.base_url", "200 are held", "stop_after: {same_refusal: 0}"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not said", want)
		}
	}
	if code != exit.Stopped || strings.Contains(out, "correcting") || t.Failed() {
		t.Fatalf("the wrong path ended with %d:\n%s", code, out)
	}
	if requests := b.state(t).Requests; requests > 5+crashConcurrency {
		t.Errorf("%d requests went out", requests)
	}
	write(t, dir, "docketsync.yaml", right)
	if code, out := command(t, dir, "run"); code != exit.AllIn || b.state(t).Cases != 200 {
		t.Errorf("the right path ended with %d:\n%s", code, out)
	}
}

// TestAFewRefusedRecordsStopNothing shows that a small job is refused as before, and that one refusal among others is.
func TestAFewRefusedRecordsStopNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeCrashFirm(t, dir, startSandbox(t, dir), 19)
	text := string(read(t, filepath.Join(dir, "cases.yaml")))
	write(t, dir, "cases.yaml", strings.Replace(text, firstOf(t, "users"), "0b7f1f1e-0000-4000-8000-00000000bbbb", 1))
	if code, out := command(t, dir, "run"); code != exit.Rejects || !strings.Contains(out, "19 rejected") {
		t.Errorf("19 records of an unknown user ended with %d:\n%s", code, out)
	}
	dir = t.TempDir()
	writeCrashFirm(t, dir, startSandbox(t, dir), 100)
	write(t, dir, "cases.yaml", strings.Replace(text, firstOf(t, "users"), "0b7f1f1e-0000-4000-8000-00000000bbbb", 1))
	code, out := command(t, dir, "run")
	if code != exit.Stopped || !strings.Contains(out, "so a setting is probably wrong: a value shared by all records (a template") || !strings.Contains(out, "100 are held") {
		t.Errorf("100 records of an unknown user ended with %d:\n%s", code, out)
	}
}

// TestTooMuchDoubtStops counts doubts over all starts of a run: the second one sends nothing until some are settled, or the limit is lifted.
func TestTooMuchDoubtStops(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir, "--faults", "500_after=1")
	writeCrashFirm(t, dir, b, 24)
	addSettings(t, dir, "stop_after: {in_doubt: 6}\n")
	code, out := command(t, dir, "run")
	if code != exit.Stopped || !strings.Contains(out, "the limit is 6 (stop_after.in_doubt); settle them with 'docketsync resolve ") {
		t.Fatalf("a service that always fails ended with %d:\n%s", code, out)
	}
	sent := b.state(t).Cases
	if sent > 6+crashConcurrency {
		t.Errorf("%d were sent", sent)
	}
	if code, out := command(t, dir, "run"); code != exit.Stopped || b.state(t).Cases != sent || !strings.Contains(out, "stop_after.in_doubt") {
		t.Errorf("the second start ended with %d:\n%s", code, out)
	}
	text := string(read(t, filepath.Join(dir, "docketsync.yaml")))
	write(t, dir, "docketsync.yaml", strings.Replace(text, "in_doubt: 6", "in_doubt: 0", 1))
	if code, out := command(t, dir, "run"); code != exit.InDoubt || b.state(t).Cases != 24 {
		t.Errorf("without a limit it ended with %d:\n%s", code, out)
	}
}

// TestTooManyRejectionsStop lets every second record be refused with words of its own.
func TestTooManyRejectionsStop(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := asked.Add(1)
		if n%4 == 1 {
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintf(w, `{"id":"0b7f1f1e-0000-4000-8000-%012d"}`, n)
			return
		}
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"message":"no %d"}`, n)
	}))
	t.Cleanup(service.Close)
	dir := t.TempDir()
	writeCrashFirm(t, dir, box{service.URL}, 400)
	code, out := command(t, dir, "run")
	if code != exit.Stopped || !strings.Contains(out, "the limit is 50 % (stop_after.rejected)") || asked.Load() > leastAnswersAndFlight {
		t.Errorf("three of four refused ended with %d after %d requests:\n%s", code, asked.Load(), out)
	}
}

const leastAnswersAndFlight = 100 + crashConcurrency
