package main

import (
	"bytes"
	"encoding/csv"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer/ledger"
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
	if _, out := command(t, dir, "resolve"); listed(out) != 3 || strings.Count(out, ", run cases-1 of ") != 3 {
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

// TestADoubtThatLeftTheExportIsStillSaid leaves records in doubt whose rows are gone from the next export: runs, certificates and the console go on
// saying so until they are settled.
func TestADoubtThatLeftTheExportIsStillSaid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 2)
	command(t, dir, "run")
	b.misbehave(t, "drop_after=1")
	writeCrashFirm(t, dir, b, 4)
	command(t, dir, "run")
	b.behave(t)
	writeCrashFirm(t, dir, b, 3) // M-00002 is in doubt and among the rows, M-00003 is gone
	const said = "1 record of earlier runs is still in doubt"
	code, out := command(t, dir, "run")
	if code != exit.InDoubt || !strings.Contains(out, said) || !strings.Contains(out, "1 is in doubt") {
		t.Fatalf("with one of two ended with %d:\n%s", code, out)
	}
	command(t, dir, "resolve", "cases-2", "M-00002", "exists")
	writeCrashFirm(t, dir, b, 2)
	code, out = command(t, dir, "run")
	if code != exit.InDoubt || !strings.Contains(out, "were already up to date. "+said) || !strings.Contains(out, " resolve\n") {
		t.Errorf("a run without the row ended with %d:\n%s", code, out)
	}
	if code, out := command(t, dir, "plan"); code != exit.InDoubt || !strings.Contains(out, said) {
		t.Errorf("a plan without the row ended with %d:\n%s", code, out)
	}
	if code, out := program(t, dir, "certificate", "cases-4"); code != exit.InDoubt || strings.Count(out, said) != 2 {
		t.Errorf("the certificate ended with %d:\n%s", code, out)
	}
	if code, out := program(t, dir, "certificate", "cases-2", "cases-4"); code != exit.InDoubt || strings.Contains(out, said) {
		t.Errorf("the certificate of both ended with %d:\n%s", code, out)
	}
	appendConfig(t, dir, consoleUsers(""))
	if _, page := startConsole(t, dir).visitor("Ines", operatorPassword).get("/"); !strings.Contains(page, said) {
		t.Errorf("the console does not say it:\n%s", page)
	}
	command(t, dir, "resolve", "cases-2", "M-00003", "exists")
	if code, out := command(t, dir, "run"); code != exit.AllIn || !strings.Contains(out, "nothing has changed") {
		t.Errorf("once it was settled a run ended with %d:\n%s", code, out)
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

// TestALineIsOfItsRecord settles nothing by a list in which something of one record stands beside another, or whose ids are those of others.
func TestALineIsOfItsRecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 1)
	command(t, dir, "run")
	b.misbehave(t, "drop_after=1")
	writeCrashFirm(t, dir, b, 3)
	command(t, dir, "run")
	if code, out := program(t, dir, "resolve", "--worklist", "doubts.xlsx"); code != exit.Usage || !strings.Contains(out, "a name that ends in .csv") {
		t.Errorf("a workbook ended with %d:\n%s", code, out)
	}
	program(t, dir, "resolve", "--worklist", "doubts.csv")
	const free = "7b4a78ea-edbd-5e59-97ce-fb39c3302daa"
	taken := regexp.MustCompile(`"service_id":"([^"]+)"`).FindStringSubmatch(reportsIn(t, dir)[0])[1]
	for name, test := range map[string]struct {
		change func(lines [][]string)
		want   string
	}{
		"keys that were sorted": {func(lines [][]string) { lines[1][1], lines[2][1], lines[1][2] = lines[2][1], lines[1][1], "absent" }, `row 2: the column "what was sent" is not that of "M-00002"`},
		"an id alone":           {func(lines [][]string) { lines[1][3] = free }, `row 2: M-00001: "" is not a decision`},
		"the id of another":     {func(lines [][]string) { lines[1][2], lines[1][3] = "exists", taken }, `M-00001: ` + taken + ` is the id of "M-00000", which was accepted on `},
		"an id twice": {func(lines [][]string) {
			lines[1][2], lines[1][3], lines[2][2], lines[2][3] = "exists", free, "exists", free
		}, `M-00002: ` + free + ` is the id of "M-00001"`},
	} {
		changeWorklist(t, filepath.Join(dir, "doubts.csv"), filepath.Join(dir, "filled.csv"), test.change)
		if code, out := program(t, dir, "resolve", "--decisions", "filled.csv"); code != exit.Usage || !strings.Contains(out, test.want) {
			t.Errorf("%s: ended with %d:\n%s", name, code, out)
		}
	}
	if code, out := command(t, dir, "resolve", "cases-2", "M-00001", "exists", "--id", strings.ToUpper(taken)); code != exit.Usage || !strings.Contains(out, `is the id of "M-00000"`) {
		t.Errorf("one decision ended with %d:\n%s", code, out)
	}
	appendConfig(t, dir, consoleUsers(""))
	run := programJSON[struct{ Runs []ledger.Run }](t, dir, "runs").Runs[0].ID
	form := url.Values{"confirmed": {"yes"}, "doubt-0": {run + " 2 0"}, "key-0": {"M-00001"}, "decision-0": {"exists"}, "id-0": {taken}}
	ines := startConsole(t, dir).visitor("Ines", operatorPassword)
	if status, page := ines.post("/doubts", form); status != http.StatusUnprocessableEntity || !strings.Contains(page, taken+" is the id of") {
		t.Errorf("in the console it is answered %d:\n%s", status, page)
	}
	if _, out := command(t, dir, "resolve"); listed(out) != 2 {
		t.Errorf("something was decided:\n%s", out)
	}

	// Of two decisions the console saves the one that is right, and says so.
	form = url.Values{"confirmed": {"yes"}, "doubt-0": {run + " 3 0"}, "key-0": {"M-00002"}, "decision-0": {"exists"}, "id-0": {free},
		"doubt-1": {run + " 2 0"}, "key-1": {"M-00001"}, "decision-1": {"exists"}, "id-1": {taken}}
	if status, page := ines.post("/doubts", form); status != http.StatusOK || !strings.Contains(page, "1 record settled as in the service. Not saved: M-00001: "+taken+" is the id of") {
		t.Errorf("one of two is answered %d:\n%s", status, page)
	}
	if _, audit := ines.get("/audit"); !strings.Contains(audit, "M-00002: exists "+free+"; M-00001: "+taken) {
		t.Errorf("the audit log does not say what was saved:\n%s", audit)
	}
	if _, out := command(t, dir, "resolve"); listed(out) != 1 {
		t.Errorf("not one of two is left in doubt:\n%s", out)
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
	changeWorklist(t, path, path, func(lines [][]string) {
		for _, line := range lines[1:] {
			line[2] = decisions[line[1]]
		}
	})
}

// changeWorklist writes a worklist anew with a change in its lines.
func changeWorklist(t *testing.T, from, to string, change func(lines [][]string)) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	change(lines)
	var filled strings.Builder
	if err := csv.NewWriter(&filled).WriteAll(lines); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, []byte(filled.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
