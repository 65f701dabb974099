package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestTwoProcesses runs the sample firm against a sandbox in another process and against the one in its own: the
// results are the same.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	apart, together := t.TempDir(), t.TempDir()
	for _, dir := range []string{apart, together} {
		if err := unpackSamples(dir); err != nil {
			t.Fatal(err)
		}
	}
	b := startSandbox(t, t.TempDir(), "--directory", filepath.Join(apart, "sandbox.json"), "--config", filepath.Join(apart, "docketsync.yaml"))
	cmd := exec.Command("docketsync", "run", "--json", "--quiet")
	cmd.Dir, cmd.Env = apart, environment("DOCKETSYNC_BASE_URL="+b.base, "DOCKETSYNC_SUBSCRIPTION_KEY=sandbox-key", "DOCKETSYNC_AUTH_COOKIE=sandbox-cookie")
	out, err := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code != exitRejects {
		t.Fatalf("the run over HTTP ended with %d: %v", code, err)
	}
	var over outcome
	if err := json.Unmarshal(out, &over); err != nil {
		t.Fatal(err)
	}
	within := docketsync(t, together, "run")
	if diff := cmp.Diff(within.outcomes(), over.outcomes()); diff != "" {
		t.Errorf("in one process and in two (-one +two):\n%s", diff)
	}
	if state := b.state(t); state.Cases == 0 || state.Trademarks == 0 || len(state.Repeated) > 0 {
		t.Errorf("the sandbox holds %d cases, %d trademarks, and %v twice", state.Cases, state.Trademarks, state.Repeated)
	}
}

// TestInterrupt sends an interrupt to a run: what is in flight is settled, the rest is held, a report is written, the
// status is 130, and the next start goes on.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	const records = 800 // some seconds, of which the interrupt needs a part
	dir := t.TempDir()
	b := startSandbox(t, dir, "--faults", "slow=50ms")
	writeCrashFirm(t, dir, b, records)
	cmd := exec.Command("docketsync", "run", "--json")
	cmd.Dir, cmd.Env = dir, environment()
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for b.state(t).Cases < 50 {
		// Each question takes the sandbox some milliseconds.
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Fatalf("the interrupted run ended with %d after %s:\n%s", code, time.Since(began), said.String())
	}
	var first outcome
	if err := json.Unmarshal([]byte(said.String()), &first); err != nil {
		t.Fatalf("the interrupted run said no JSON: %v\n%s", err, said.String())
	}
	counts := first.outcomes()
	if counts["held"] == 0 || counts["created"] < 50 || counts["created"]+counts["held"] != records {
		t.Errorf("the interrupted run came to %v", counts)
	}
	b.behave(t)
	if second := docketsync(t, dir, "run").outcomes(); second["created"] != records {
		t.Errorf("the run that went on came to %v", second)
	}
	if state := b.state(t); int(state.Cases) != records || len(state.Repeated) > 0 {
		t.Errorf("the sandbox holds %d cases, and %v twice", state.Cases, state.Repeated)
	}
}
