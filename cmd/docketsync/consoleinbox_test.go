package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/ledger"
)

// What arrived in an inbox and was stopped by its guards is let through on the pages as any export is, and archived.
func TestConsoleLetsThroughWhatAnInboxTook(t *testing.T) {
	t.Parallel()
	g := newInboxFirm(t, "")
	appendConfig(t, g.dir, consoleUsers(""))
	g.deliver(good)
	g.run(exit.AllIn, "inbox")
	g.deliver(everyRow(func(row []string) { row[markColumn] += " II" }))
	g.run(exit.Stopped, "inbox")
	c := startConsole(t, g.dir)
	tab := c.signedIn("Ines", operatorPassword)
	requests := g.box.state(t).Requests
	tab.Go(c.base + "/jobs/marks")
	if got := tab.Count(`form[action$="/run"], form[action$="/plan"]`); got != "0" {
		t.Errorf("the job offers %s ways to run what has not arrived", got)
	}
	tab.Press(`a.way`)
	tab.Eval(`document.querySelector("input[name=confirmed]").click()`)
	tab.Press("form.decision button")
	atRest(tab)
	if got := tab.Text("h1"); !strings.Contains(got, "No problems") {
		t.Errorf("what was let through: %q\n%s", got, tab.Text("main"))
	}
	if made := g.box.state(t).Requests - requests; made != 100 {
		t.Errorf("%d requests were made", made)
	}
	if left := g.files("rejected/*"); len(left) > 0 || len(g.files("archive/*/*/*-marks.csv")) != 2 {
		t.Errorf("rejected %v, archived %v", left, g.files("archive/*/*/*"))
	}
	last := programJSON[struct{ Runs []ledger.Run }](t, g.dir, "runs", "--limit", "1").Runs[0]
	if last.Passed == nil || last.Passed.By != "Ines" {
		t.Errorf("who let it through is kept as %+v", last.Passed)
	}
	// A file that somebody has taken away from among the rejected cannot be let through, and the page says what to do.
	g.deliver(everyRow(func(row []string) { row[markColumn] += " III" }))
	g.run(exit.Stopped, "inbox")
	tab.Go(c.base + "/jobs/marks")
	tab.Press(`a.way`)
	if err := os.Remove(filepath.Join(g.dir, "in", "rejected", "marks.csv")); err != nil {
		t.Fatal(err)
	}
	tab.Eval(`document.querySelector("input[name=confirmed]").click()`)
	tab.Press("form.decision button")
	atRest(tab)
	if got := tab.Text(".wrong"); !strings.Contains(got, "is no longer in") || !strings.Contains(got, "Put it into the inbox") {
		t.Errorf("what is no longer there is answered with %q", got)
	}
	tab.Quiet(c.base)
}

// A file that is uploaded is looked at first: its dry run sends nothing, and is sent as it was shown when somebody says so.
func TestConsoleAsksBeforeAnUploadIsSent(t *testing.T) {
	t.Parallel()
	dir, b := writeConsoleFirm(t, 3)
	c := startConsole(t, dir)
	tab := c.signedIn("Ines", operatorPassword)
	file := filepath.Join(t.TempDir(), "corrected.csv")
	if err := os.WriteFile(file, []byte("Ref,Title\nM-00077,Corrected\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tab.Go(c.base + "/jobs/cases")
	tab.Upload(`input[type=file]`, file)
	tab.Press(`#upload button`)
	atRest(tab)
	tab.Press(`#plan ~ p a`)
	if got := tab.Text("main"); !strings.Contains(got, "Send 1 create to 127.0.0.1:") || !strings.Contains(got, "M-00077") || strings.Contains(got, "run --plan") {
		t.Errorf("the dry run shows\n%s", got)
	}
	if got := b.state(t).Cases; got != 0 {
		t.Errorf("the sandbox holds %d cases after a dry run", got)
	}
	tab.Press(`form[action$="/carry-out"] button`)
	atRest(tab)
	if _, out := program(t, dir, "runs", "--limit", "1", "--json", "--quiet"); b.state(t).Cases != 1 || !strings.Contains(out, "corrected.csv") {
		t.Errorf("the sandbox holds %d cases after the run of the upload:\n%s", b.state(t).Cases, out)
	}
	tab.Quiet(c.base)
}
