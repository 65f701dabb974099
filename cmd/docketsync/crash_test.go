package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"docketsync/apiclient/sandbox"
	"docketsync/importer/ledger"
)

// crashConcurrency is how many records are in flight in the crash test, and so how many one kill can leave in doubt.
const crashConcurrency = 6

// TestKilledRunLosesNothing kills docketsync at random instants of a run and starts it again each time until it is done.
// The service must hold each record once, or the ledger must name it as in doubt, and no kill may leave more in doubt than were
// in flight. DOCKETSYNC_CRASH_ROUNDS sets how many runs are tried, DOCKETSYNC_CRASH_SEED the instants.
func TestKilledRunLosesNothing(t *testing.T) {
	t.Parallel()
	rounds, seed := setting(t, "DOCKETSYNC_CRASH_ROUNDS", 2), setting(t, "DOCKETSYNC_CRASH_SEED", 1)
	kills := 0
	for round := range rounds {
		kills += killUntilDone(t, uint64(seed+round))
	}
	t.Logf("%d runs, %d kills", rounds, kills)
	if kills < rounds {
		t.Errorf("only %d kills in %d runs: nothing was tried", kills, rounds)
	}
}

func setting(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s is %q, which is no number", name, text)
	}
	return n
}

// killUntilDone carries one import to its end through as many kills as it takes, and returns how many there were.
func killUntilDone(t *testing.T, seed uint64) (kills int) {
	t.Helper()
	const records = 400
	random := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	box := startSandbox(t, dir)
	writeCrashFirm(t, dir, box, records)
	for done := false; !done; {
		// The longest life grows with the kills, so that a slow machine gets to the end too.
		longest := 400 * (1 + kills/4)
		done = runAndMaybeKill(t, dir, time.Duration(5+random.IntN(longest))*time.Millisecond)
		if !done {
			kills++
		}
		doubts := inDoubt(t, dir)
		if limit := kills * crashConcurrency; doubts > limit {
			t.Fatalf("%d records are in doubt after %d kills with %d in flight", doubts, kills, crashConcurrency)
		}
	}
	state := box.state(t)
	for _, r := range state.Repeated {
		t.Errorf("seed %d: %s %s exists %d times after %d kills", seed, r.Kind, r.Key, r.Count, kills)
	}
	doubts := inDoubt(t, dir)
	if n := int(state.Cases); n > records || n < records-doubts {
		t.Errorf("seed %d: the service holds %d cases of %d, with %d in doubt", seed, n, records, doubts)
	}
	checkAccount(t, dir, records)
	return kills
}

// runAndMaybeKill starts a run and kills it after a while, unless it ends before. done tells that it ended by itself.
func runAndMaybeKill(t *testing.T, dir string, after time.Duration) (done bool) {
	t.Helper()
	cmd := exec.Command("docketsync", "run", "--quiet", "--json")
	cmd.Dir, cmd.Env = dir, environment()
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	killer.Stop()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return true
	case !errors.As(err, &exit):
		t.Fatal(err)
	case exit.ExitCode() == -1:
		return false
	case exit.ExitCode() == exitInDoubt:
		return true
	}
	t.Fatalf("docketsync ended with %v:\n%s", err, output.String())
	return false
}

// inDoubt is how many keys are in doubt, what the last kill left behind included. A run that meets an old doubt lists it
// again, so keys are counted and not records.
func inDoubt(t *testing.T, dir string) int {
	t.Helper()
	book, err := ledger.Open(t.Context(), filepath.Join(dir, "docketsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	runs, err := book.Runs(t.Context(), ledger.RunFilter{})
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for _, run := range runs {
		for record, err := range book.Records(t.Context(), run.ID, ledger.RecordFilter{States: []ledger.State{ledger.InDoubt, ledger.Sending}}) {
			if err != nil {
				t.Fatal(err)
			}
			keys[record.Key] = true
		}
	}
	return len(keys)
}

// checkAccount holds the last run to the promise that its counts add up.
func checkAccount(t *testing.T, dir string, records int) {
	t.Helper()
	book, err := ledger.Open(t.Context(), filepath.Join(dir, "docketsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	runs, err := book.Runs(t.Context(), ledger.RunFilter{Limit: 1})
	if err != nil || len(runs) == 0 {
		t.Fatalf("the ledger has no run: %v", err)
	}
	counts, err := book.Tally(t.Context(), runs[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, count := range counts {
		total += count.N
		if count.State == ledger.Planned || count.State == ledger.Sending {
			t.Errorf("%d records are still %s", count.N, count.State)
		}
	}
	if runs[0].Phase != ledger.Finished || total != records || runs[0].Counts.Read != records {
		t.Errorf("the last run is %s with %d records of %d rows read, want %d", runs[0].Phase, total, runs[0].Counts.Read, records)
	}
}

// box is a sandbox in a process of its own.
type box struct{ base string }

func startSandbox(t *testing.T, dir string, flags ...string) box {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "docketsync", append([]string{"sandbox", "--listen", "127.0.0.1:0", "--data", filepath.Join(dir, "sandbox.db"), "--json"}, flags...)...)
	cmd.Dir, cmd.Env, cmd.Stderr = t.TempDir(), environment(), os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := cmd.Wait(); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("the sandbox ended with %v", err)
		}
	})
	var said map[string]string
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&said); err != nil {
		t.Fatalf("the sandbox did not say where it is: %v", err)
	}
	return box{said["base_url"]}
}

func (b box) state(t *testing.T) sandbox.State {
	t.Helper()
	response, err := http.Get(b.base + "/v1/sandbox/state")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var state sandbox.State
	if err := json.NewDecoder(response.Body).Decode(&state); err != nil {
		t.Fatal(err)
	}
	return state
}

// writeCrashFirm writes a configuration with one job that creates cases.
func writeCrashFirm(t *testing.T, dir string, b box, records int) {
	t.Helper()
	firm := firstOf(t, "templates")
	owner := firstOf(t, "users")
	var rows strings.Builder
	rows.WriteString("Ref,Title\n")
	for n := range records {
		fmt.Fprintf(&rows, "M-%05d,Case %d\n", n, n)
	}
	for name, text := range map[string]string{
		"cases.csv": rows.String(),
		"cases.yaml": `operation: create_case
key: Ref
fields:
  name: Title
  number: Ref
  active: {value: true}
  file_template_id: {value: ` + firm + `}
  user_id: {value: ` + owner + `}
`,
		"docketsync.yaml": `service:
  base_url: ` + b.base + `
  subscription_key: {env: NO_KEY, default: key}
  auth_cookie: {env: NO_COOKIE, default: cookie}
pace: {concurrency: ` + strconv.Itoa(crashConcurrency) + `}
retry: {first_delay: 10ms, max_delay: 100ms}
jobs:
  - {name: cases, source: cases.csv, mapping: cases.yaml}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// firstOf is the id of the first record of a list in the sample firm's directory.
func firstOf(t *testing.T, list string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "samples", "sandbox.json"))
	if err != nil {
		t.Fatal(err)
	}
	var lists map[string][]struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(text, &lists); err != nil {
		t.Fatal(err)
	}
	if len(lists[list]) == 0 {
		t.Fatalf("the sample firm has no %s", list)
	}
	return lists[list][0].ID
}
