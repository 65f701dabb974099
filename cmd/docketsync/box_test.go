package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"docketsync/apiclient/sandbox"
)

// crashConcurrency is how many records of the small firm are in flight.
const crashConcurrency = 6

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

func (b box) state(t *testing.T) (state sandbox.State) {
	t.Helper()
	b.ask(t, "/v1/sandbox/state", &state)
	return state
}

func (b box) snapshot(t *testing.T) (held sandbox.Snapshot) {
	t.Helper()
	b.ask(t, "/v1/sandbox/snapshot", &held)
	return held
}

func (b box) ask(t *testing.T, path string, answer any) {
	t.Helper()
	response, err := http.Get(b.base + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		t.Fatal(err)
	}
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
