package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
)

// TestDoubtIsAWorklist leaves records in doubt, settles them from a filled-in list, and shows what later runs send.
func TestDoubtIsAWorklist(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir, "--faults", "drop_after=1")
	writeCrashFirm(t, dir, b, 3)
	if code, _ := command(t, dir, "run"); code != exit.InDoubt {
		t.Fatalf("a run whose answers were all lost ended with %d", code)
	}
	b.behave(t)
	if code, out := command(t, dir, "run"); code != exit.InDoubt || b.state(t).Cases != 3 {
		t.Fatalf("a later run ended with %d and left %d cases:\n%s", code, b.state(t).Cases, out)
	}
	if _, out := command(t, dir, "resolve"); listed(out) != 3 {
		t.Fatalf("the list of doubts is:\n%s", out)
	}
	program(t, dir, "resolve", "--worklist", "doubts.csv")
	fillIn(t, filepath.Join(dir, "doubts.csv"), map[string]string{"M-00000": "exists", "M-00001": "absent", "M-00002": "leave"})
	if code, out := program(t, dir, "resolve", "--decisions", "doubts.csv"); code != exit.AllIn || !strings.Contains(out, "Exists: 1; absent, may be sent by the next run: 1; left in doubt: 1.") {
		t.Fatalf("the decisions were not taken:\n%s", out)
	}
	// A person has ordered M-00001 to be sent again; it was there after all, and now stands there twice.
	if code, out := command(t, dir, "run"); code != exit.InDoubt {
		t.Fatalf("the run after the decisions ended with %d:\n%s", code, out)
	}
	if state := b.state(t); state.Cases != 4 || len(state.Repeated) != 1 || state.Repeated[0].Key != "M-00001" {
		t.Errorf("the sandbox holds %d cases, and twice %v", state.Cases, state.Repeated)
	}
	if _, out := command(t, dir, "resolve"); listed(out) != 1 || !strings.Contains(out, "M-00002") {
		t.Errorf("what is left in doubt is:\n%s", out)
	}
}

// TestDecisionsAreCheckedAsAWhole shows that a list with a mistake decides nothing.
func TestDecisionsAreCheckedAsAWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir, "--faults", "drop_after=1")
	writeCrashFirm(t, dir, b, 2)
	command(t, dir, "run")
	program(t, dir, "resolve", "--worklist", "doubts.csv")
	fillIn(t, filepath.Join(dir, "doubts.csv"), map[string]string{"M-00000": "exists", "M-00001": "perhaps"})
	code, out := program(t, dir, "resolve", "--decisions", "doubts.csv")
	if code != exit.Usage || !strings.Contains(out, `doubts.csv, row 3: M-00001: "perhaps" is not a decision`) {
		t.Errorf("ended with %d:\n%s", code, out)
	}
	if _, out := command(t, dir, "resolve"); listed(out) != 2 {
		t.Errorf("something was decided:\n%s", out)
	}
}

// listed counts the records that a list of doubts begins a paragraph with.
func listed(out string) int { return strings.Count("\n"+out, "\nM-0000") }

// program runs docketsync and returns its status and all it says.
func program(t *testing.T, dir string, args ...string) (code int, out string) {
	t.Helper()
	return programWith(t, dir, nil, args...)
}

// command is program in this process, for a test that has many of them. Its configuration is that of a folder, but files that it
// names are not looked for there.
func command(t *testing.T, dir string, args ...string) (code int, out string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Main(append(args, "--config", filepath.Join(dir, installation.DefaultConfig)), &stdout, &stderr)
	return code, stdout.String() + stderr.String()
}

// programWith is program with more environment.
func programWith(t *testing.T, dir string, env []string, args ...string) (code int, out string) {
	t.Helper()
	cmd := exec.Command("docketsync", args...)
	cmd.Dir, cmd.Env = dir, environment(env...)
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

// behave ends the faults of a sandbox.
func (b box) behave(t *testing.T) {
	t.Helper()
	b.misbehave(t, "")
}

// fillIn writes decisions into a worklist, by key.
func fillIn(t *testing.T, path string, decisions map[string]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		line[2] = decisions[line[1]]
	}
	var filled strings.Builder
	if err := csv.NewWriter(&filled).WriteAll(lines); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(filled.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
