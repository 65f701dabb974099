package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docketsync/apiclient/sandbox"
	"docketsync/cmd/docketsync/internal/exit"
)

// mainAtHour is docketsync at the hour that DOCKETSYNC_HOUR says, from which on the clock goes.
func mainAtHour() {
	hour, err := time.Parse(time.RFC3339, os.Getenv("DOCKETSYNC_HOUR"))
	if err != nil {
		panic(err)
	}
	began := time.Now()
	os.Exit(mainAt(func() time.Time { return hour.Add(time.Since(began)) }, os.Args[1:], os.Stdout, os.Stderr))
}

// weekend is a firm that moves: cases, and behind them marks, of which the service shows who has changed them.
type weekend struct {
	t    *testing.T
	dir  string
	box  box
	hour string
}

const (
	weekendCases = 60
	weekendMarks = 8
)

// TestWeekend rehearses a migration from the first rehearsal to the signature, as the page weekend of the guide tells it, each command at its
// hour: two rehearsals that are compared, a forecast, the bulk, deltas of which the first is killed, a mark that somebody has changed in the
// service meanwhile, an empty last delta, and a certificate that is signed and verified.
func TestWeekend(t *testing.T) {
	t.Parallel()
	w := newWeekend(t)
	w.cases(0, weekendCases, "")
	w.marks("Lumen")

	w.hour = "2026-11-19T18:00:00Z" // the Thursday of the week before, and the Tuesday
	w.does(exit.AllIn, "cases  All 60 matters were imported", "run", "cases", "--rehearse")
	w.does(exit.AllIn, "", "plan", "marks", "--out", "thursday.plan")
	w.hour = "2026-11-24T18:00:00Z"
	w.marks("Orbit")
	w.does(exit.AllIn, "", "plan", "marks", "--out", "tuesday.plan")
	w.does(exit.AllIn, "1 different; 7 the same", "compare", "thursday.plan", "tuesday.plan")
	w.does(exit.AllIn, "All 60 matters were already up to date", "run", "cases", "--rehearse")
	if n := w.box.state(t).Requests; n != 0 {
		t.Fatalf("the rehearsals sent %d requests to the service", n)
	}

	w.hour = "2026-11-26T18:00:00Z" // Thursday: a part, and how long the rest will take
	w.does(exit.Rejects, "bulk: nothing has been sent yet", "cutover")
	w.does(exit.AllIn, "25 of 60 matters were imported", "run", "cases", "--first", "25")
	w.does(exit.AllIn, "by the pace of cases-", "forecast", "cases", "--start", "2026-11-27 18:00")
	w.does(exit.Rejects, "bulk: 25 of 60 records are in the service", "cutover", "cases")

	w.hour = "2026-11-27T18:00:00Z" // Friday: the bulk
	w.does(exit.CouldNotRun, "it comes after job cases, ", "run", "marks")
	w.does(exit.AllIn, "marks  All 8 marks were imported", "run")
	w.does(exit.Rejects, "deltas: the bulk is in, and no delta has been sent yet", "cutover")

	w.hour = "2026-11-28T20:00:00Z" // Saturday: the first delta, which is killed, and a mark that somebody changes
	w.somebodyChanges()
	w.cases(0, weekendCases+30, "")
	w.marks("Salix")
	w.killedInCases()
	w.does(exit.Rejects, "in doubt", "cutover", "cases")
	w.does(exit.CouldNotRun, "it comes after job cases, whose last run ", "run")
	w.does(exit.AllIn, "", "resolve", "--ask", "--absent") // what the kill left with an intent alone was never sent
	w.does(exit.Rejects, "marks  ", "run")
	w.does(exit.Rejects, "Say whose values stand in 1 record that somebody changed in the service", "cutover")
	w.settle("theirs")

	w.hour = "2026-11-29T08:00:00Z" // Sunday: the old system is frozen
	w.does(exit.AllIn, "", "run")
	w.does(exit.AllIn, "", "run")
	w.does(exit.AllIn, "The last delta of each job was empty: you can cut over", "cutover")
	w.holds(weekendCases + 30)
	w.certified()
}

func newWeekend(t *testing.T) *weekend {
	t.Helper()
	w := &weekend{t: t, dir: t.TempDir()}
	d := stormFirm{size: 2 * weekendMarks}.directory()
	d.Users = append(d.Users, sandbox.User{ID: stormID(900), FirstName: "Ben", LastName: "Osei", UserName: "ben", Password: "storm"})
	directory, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	write(t, w.dir, "directory.json", string(directory))
	w.box = startSandbox(t, w.dir, "--directory", filepath.Join(w.dir, "directory.json"))
	write(t, w.dir, "cases.yaml", "operation: create_case\nkey: Ref\nfields:\n  name: Title\n  number: Ref\n  active: {value: true}\n"+
		"  file_template_id: {value: "+stormID(stormTemplate)+"}\n  user_id: {value: "+stormID(stormUser)+"}\n")
	write(t, w.dir, "marks.yaml", "operation: update_trademark\nkey: Id\nfields:\n  id: Id\n  registry_id: {value: "+stormID(stormRegistry)+"}\n"+
		"  mark_text: Mark\n  application_number: Id\n  do_not_create_file: {value: true}\n")
	write(t, w.dir, "docketsync.yaml", w.settings("ada")+`jobs:
  - {name: marks, source: marks.csv, mapping: marks.yaml, after: [cases]}
  - {name: cases, source: cases.csv, mapping: cases.yaml}
certificate: {private_key: {file: signing.key}}
`)
	w.hour = "2026-11-19T17:00:00Z"
	w.does(exit.AllIn, "", "certificate", "new-key", "signing.key")
	return w
}

// settings are those of a firm without its jobs, signed in as somebody.
func (w *weekend) settings(user string) string {
	return `service:
  base_url: ` + w.box.base + `
  paths: {update_trademark: /v1/firms/trademark}
  subscription_key: {env: NO_KEY, default: key}
  sign_in: {path: /v1/login, user: ` + user + `, password: {env: NO_PASSWORD, default: storm}}
  lists: {settle_after: 0s, cases: {path: /v1/lists/files}, trademarks: {path: /v1/lists/trademarks, name: mark_text, changed: {by: updated_by, us: "` + stormID(stormUser) + `"}}}
pace: {concurrency: ` + fmt.Sprint(crashConcurrency) + `}
guards: {changes: off}
retry: {first_delay: 10ms, max_delay: 100ms}
`
}

func (w *weekend) cases(from, to int, title string) {
	w.t.Helper()
	text := "Ref,Title\n"
	for n := from; n < to; n++ {
		text += fmt.Sprintf("M-%04d,Case %d%s\n", n, n, title)
	}
	write(w.t, w.dir, "cases.csv", text)
}

// marks writes the export of marks, the first of which has a name.
func (w *weekend) marks(first string) {
	w.t.Helper()
	text := "Id,Mark\n" + stormID(stormMarks) + "," + first + "\n"
	for n := 1; n < weekendMarks; n++ {
		text += fmt.Sprintf("%s,Mark %d\n", stormID(stormMarks+n), n)
	}
	write(w.t, w.dir, "marks.csv", text)
}

// does runs a command at the hour, which must end with a status and say something.
func (w *weekend) does(want int, says string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command("docketsync-at", append(args, "--quiet")...)
	cmd.Dir, cmd.Env = w.dir, environment("DOCKETSYNC_HOUR="+w.hour, "TZ=UTC")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		w.t.Fatal(err)
	}
	if code := cmd.ProcessState.ExitCode(); code != want || !strings.Contains(string(out), says) {
		w.t.Fatalf("%s: docketsync %s ended with %d, want %d and %q:\n%s", w.hour, strings.Join(args, " "), code, want, says, out)
	}
	return string(out)
}

// killedInCases kills a run when it has sent some of the new cases. The service acts on what it was sent, and answers nobody.
func (w *weekend) killedInCases() {
	w.t.Helper()
	before := len(w.box.snapshot(w.t).Cases)
	w.box.misbehave(w.t, sandbox.Faults{SlowAfter: sandbox.Delay{Wait: 100 * time.Millisecond, Probability: 1}}.String())
	cmd := exec.Command("docketsync-at", "run", "--quiet")
	cmd.Dir, cmd.Env = w.dir, environment("DOCKETSYNC_HOUR="+w.hour, "TZ=UTC")
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	for len(w.box.snapshot(w.t).Cases) < before+crashConcurrency && w.t.Context().Err() == nil {
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	w.box.behave(w.t)
}

// somebodyChanges has another user of the service change the first mark.
func (w *weekend) somebodyChanges() {
	w.t.Helper()
	dir := w.t.TempDir()
	write(w.t, dir, "docketsync.yaml", w.settings("ben")+"jobs: [{name: marks, source: marks.csv, mapping: "+filepath.Join(w.dir, "marks.yaml")+"}]\n")
	write(w.t, dir, "marks.csv", "Id,Mark\n"+stormID(stormMarks)+",Ben's own words\n")
	succeed(w.t, dir, "run")
}

// settle says whose values stand in the mark that somebody changed.
func (w *weekend) settle(side string) {
	w.t.Helper()
	var said struct {
		Changed []struct {
			Run string `json:"run_name"`
			Key string
		}
	}
	if err := json.Unmarshal([]byte(w.does(exit.AllIn, "", "resolve", "--json")), &said); err != nil || len(said.Changed) != 1 {
		w.t.Fatalf("%v: %+v are held", err, said)
	}
	w.does(exit.AllIn, "", "resolve", said.Changed[0].Run, said.Changed[0].Key, side)
}

// holds checks what the service has in the end: each case once, and the mark as its user left it.
func (w *weekend) holds(cases int) {
	w.t.Helper()
	if repeated := w.box.state(w.t).Repeated; len(repeated) > 0 {
		w.t.Errorf("there twice: %+v", repeated)
	}
	held := w.box.snapshot(w.t)
	if len(held.Cases) != cases {
		w.t.Errorf("the service holds %d cases, want %d", len(held.Cases), cases)
	}
	for _, m := range held.Trademarks {
		if m.ID == stormID(stormMarks) && m.MarkText != "Ben's own words" {
			w.t.Errorf("the mark that somebody changed is %q", m.MarkText)
		}
	}
}

// certified makes a certificate of all runs, and verifies it by the public key and the ledger.
func (w *weekend) certified() {
	w.t.Helper()
	var listed struct{ Runs []struct{ Name string } }
	if err := json.Unmarshal([]byte(w.does(exit.AllIn, "", "runs", "--json")), &listed); err != nil {
		w.t.Fatal(err)
	}
	args := []string{"certificate", "--out", "signed"}
	for _, run := range listed.Runs {
		args = append(args, run.Name)
	}
	w.does(exit.AllIn, "certificate.sig", args...)
	w.does(exit.AllIn, "matches its evidence", "verify", filepath.Join("signed", "certificate.html"), "--key", "signing.key.pub", "--ledger")
}
