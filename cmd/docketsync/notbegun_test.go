package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docketsync/cmd/docketsync/internal/exit"
)

// told is what --json says of jobs.
type told struct {
	Runs []struct {
		Job, State, Reason string
		Run                struct{ Job, ID string }
	}
	Exit int
}

// writeThreeJobs writes a firm of three jobs, of which the third takes ids from the second.
func writeThreeJobs(t *testing.T, dir string, b box, records int) {
	t.Helper()
	writeCrashFirm(t, dir, b, records)
	mapping := string(read(t, filepath.Join(dir, "cases.yaml")))
	write(t, dir, "matters.yaml", "scope: matters\n"+mapping)
	write(t, dir, "marks.yaml", "scope: marks\nlookups: {ids: {ledger: matters}}\n"+strings.Replace(mapping, "fields:\n", "fields:\n  client_id: {column: Ref, lookup: ids}\n", 1))
	settings := string(read(t, filepath.Join(dir, "docketsync.yaml")))
	write(t, dir, "docketsync.yaml", settings+`  - {name: matters, source: cases.csv, mapping: matters.yaml}
  - {name: marks, source: cases.csv, mapping: marks.yaml}
notify: {channels: {other: {webhook: {env: HOOK}}}}
`)
}

// TestJobsBehindAStoppedOne loses the sign-in in the first of three jobs: the text, the JSON and the messages tell of all three.
func TestJobsBehindAStoppedOne(t *testing.T) {
	t.Parallel()
	dir, l := t.TempDir(), newListener(t)
	writeThreeJobs(t, dir, startSandbox(t, t.TempDir(), "--auth-cookie", "another"), 2)
	env := []string{"HOOK=" + l.URL}
	code, out := programWith(t, dir, env, "run", "--quiet")
	for _, line := range []string{
		"matters  not started: job cases was stopped: ", "Run it again: docketsync run cases matters\n",
		"marks  not started: job cases was stopped: ", "Run it again: docketsync run cases matters marks\n",
	} {
		if strings.Count(out, line) != 1 {
			t.Errorf("%q is not said once", line)
		}
	}
	if diff := cmp.Diff([]string{"matters broken could_not_run", "marks broken could_not_run", "cases broken stopped"}, l.heard()); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if code != exit.Stopped || t.Failed() {
		t.Fatalf("exit %d\n%s", code, out)
	}
	said := runThree(t, dir, exit.Stopped, "run", "--quiet", "--json")
	if said.Runs[0].Run.Job != "cases" || said.Runs[0].Run.ID == "" || said.Runs[0].State != "" {
		t.Errorf("of the stopped job: %+v", said.Runs[0])
	}
	for n, job := range []string{"matters", "marks"} {
		if r := said.Runs[n+1]; r.Job != job || r.State != "not_begun" || r.Run.ID != "" || !strings.Contains(r.Reason, "job cases was stopped: ") {
			t.Errorf("of %s: %+v", job, r)
		}
	}
}

// TestJobsThatCouldNotRun has an entry of each job in the JSON: of one without a file, of one that waits for it, and of all when a
// mapping is wrong or the ledger cannot be opened.
func TestJobsThatCouldNotRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeThreeJobs(t, dir, startSandbox(t, t.TempDir()), 2)
	settings := string(read(t, filepath.Join(dir, "docketsync.yaml")))
	states := func(code int, want string) {
		t.Helper()
		var got []string
		for _, r := range runThree(t, dir, code, "run", "--quiet", "--json").Runs {
			got = append(got, r.Job+r.Run.Job+" "+r.State)
		}
		if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	write(t, dir, "docketsync.yaml", strings.Replace(settings, "name: matters, source: cases.csv", "name: matters, source: gone.csv", 1))
	states(exit.CouldNotRun, "cases , mattersmatters could_not_run, marks not_begun")
	write(t, dir, "docketsync.yaml", "ledger: "+filepath.Join(dir, "marks.yaml")+"\n"+settings)
	states(exit.CouldNotRun, "cases could_not_run, matters could_not_run, marks could_not_run")
	write(t, dir, "docketsync.yaml", settings)
	write(t, dir, "marks.yaml", "operation: none\n")
	states(exit.Usage, "cases could_not_run, matters could_not_run, marks could_not_run")
}

// TestJobsBehindAnInterruptedOne interrupts the first of three jobs: the JSON has all three, and nobody gets a message.
func TestJobsBehindAnInterruptedOne(t *testing.T) {
	t.Parallel()
	dir, l := t.TempDir(), newListener(t)
	b := startSandbox(t, t.TempDir(), "--faults", "slow=100ms")
	writeThreeJobs(t, dir, b, 400)
	cmd := exec.Command("docketsync", "run", "--quiet", "--json")
	var out, answer bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, environment("HOOK="+l.URL), &out, &answer
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for b.state(t).Requests == 0 && t.Context().Err() == nil {
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	var said told
	if json.Unmarshal(out.Bytes(), &said) != nil || cmd.ProcessState.ExitCode() != exit.Interrupted || len(said.Runs) != 3 {
		t.Fatalf("it ended with %v:\n%s", err, &out)
	}
	if !strings.HasPrefix(answer.String(), "docketsync: interrupted; nothing more is sent. Waiting for the answer to ") {
		t.Errorf("the interrupt is answered with %q", &answer)
	}
	for _, r := range said.Runs[1:] {
		if r.State != "not_begun" || !strings.HasPrefix(r.Reason, "docketsync was interrupted in job cases. Run it again: docketsync run cases matters") {
			t.Errorf("%+v", r)
		}
	}
	if heard := l.heard(); len(heard) > 0 {
		t.Errorf("messages: %q", heard)
	}
}

// runThree runs all three jobs and reads what is said of them.
func runThree(t *testing.T, dir string, want int, args ...string) (said told) {
	t.Helper()
	code, out := programWith(t, dir, []string{"HOOK=http://127.0.0.1:1"}, args...)
	if err := json.NewDecoder(strings.NewReader(out[max(0, strings.Index(out, "{\n")):])).Decode(&said); err != nil || code != want || said.Exit != want || len(said.Runs) != 3 {
		t.Fatalf("exit %d, want %d and three jobs (%v):\n%s", code, want, err, out)
	}
	return said
}

// TestJobsInTheOrderOfAfter runs a job behind the one that it comes after, whatever the order of the configuration, and not at all while that
// one cannot be run: also what comes after it stays unsent.
func TestJobsInTheOrderOfAfter(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeCrashFirm(t, dir, startSandbox(t, t.TempDir()), 2)
	mapping := string(read(t, filepath.Join(dir, "cases.yaml")))
	write(t, dir, "matters.yaml", "scope: matters\n"+mapping)
	write(t, dir, "marks.yaml", "scope: marks\n"+mapping)
	head, _, _ := strings.Cut(string(read(t, filepath.Join(dir, "docketsync.yaml"))), "jobs:")
	settings := head + `guards: {scope: ignore} # the same cases, three times
jobs:
  - {name: marks, source: cases.csv, mapping: marks.yaml, after: [matters]}
  - {name: matters, source: cases.csv, mapping: matters.yaml, after: [cases]}
  - {name: cases, source: cases.csv, mapping: cases.yaml}
`
	write(t, dir, "docketsync.yaml", settings)
	if code, out := program(t, dir, "run", "--quiet", "marks"); code != exit.CouldNotRun || !strings.Contains(out, "docketsync: job marks: it comes after job matters, which has never been run as a whole; nothing was sent") ||
		!strings.Contains(out, "Run both: docketsync run matters marks\n") {
		t.Errorf("marks alone ended with %d:\n%s", code, out)
	}
	order := func(code int, want string) {
		t.Helper()
		var got []string
		for _, r := range runThree(t, dir, code, "run", "--quiet", "--json").Runs {
			got = append(got, r.Job+r.Run.Job+" "+r.State)
		}
		if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	order(exit.AllIn, "cases , matters , marks ")
	write(t, dir, "docketsync.yaml", strings.Replace(settings, "name: cases, source: cases.csv", "name: cases, source: gone.csv", 1))
	order(exit.CouldNotRun, "casescases could_not_run, matters not_begun, marks not_begun")
	if code, out := program(t, dir, "plan", "--quiet", "matters"); code != exit.AllIn {
		t.Errorf("a plan is refused with %d:\n%s", code, out)
	}
	if code, out := program(t, dir, "run", "--quiet", "marks"); code != exit.CouldNotRun || !strings.Contains(out, "it comes after job cases, whose last run ") {
		t.Errorf("what comes after a job that waits is not refused, %d:\n%s", code, out)
	}
}
