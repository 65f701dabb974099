package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fsnotify/fsnotify"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/importer"
	"docketsync/importer/ledger"
)

// TestAKillDuringTheReportLeavesOne kills docketsync while it writes the report of a run that has ended. The next start writes
// that report, says so once, and leaves nothing of what was begun; nothing is sent again.
func TestAKillDuringTheReportLeavesOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 20)
	var untitled strings.Builder // rejects: nothing is sent of them, and the report takes long
	untitled.Write(read(t, filepath.Join(dir, "cases.csv")))
	for n := range 8000 {
		fmt.Fprintf(&untitled, "N-%05d,\n", n)
	}
	write(t, dir, "cases.csv", untitled.String())
	killAtReport(t, dir)
	first := reportFolders(t, dir)
	if len(first) != 1 || len(leftovers(t, dir)) < 2 {
		t.Fatalf("the kill came too early or too late: %v, %v", first, leftovers(t, dir))
	}
	const said = "was missing and has now been written: "
	code, out := program(t, dir, "run")
	if code != exit.Rejects || strings.Count(out, said) != 1 || !strings.Contains(out, "docketsync: the report of cases-1 "+said) {
		t.Errorf("the next start ended with %d:\n%s", code, out)
	}
	for _, name := range []string{"report.html", "report.json", "report.csv", "rejects.xlsx"} {
		if _, err := os.Stat(filepath.Join(first[0], name)); err != nil {
			t.Error(err)
		}
	}
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	if _, out := program(t, dir, "run"); strings.Contains(out, said) {
		t.Errorf("it is said again:\n%s", out)
	}
	if state := b.state(t); state.Cases != 20 || state.Requests != 20 {
		t.Errorf("%d cases by %d requests, want 20 each", state.Cases, state.Requests)
	}
}

// TestAReportThatCannotBeWrittenIsTold shows that a run whose report cannot be written says so with its exit status, and is
// otherwise what it was; the next start writes the report. A file in place of the folder stands for a disk that is full when
// the run has ended.
func TestAReportThatCannotBeWrittenIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 3)
	appendConfig(t, dir, "ledger: ledger.db\nreports: reports\n")
	a := quietApp(os.LookupEnv, filepath.Join(dir, "docketsync.yaml"))
	in, err := runner.Open(t.Context(), &a.Setup, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	results, code, err := runner.Jobs(t.Context(), in, nil, "", func(ctx context.Context, i *importer.Importer, job importer.Job) (ledger.Run, error) {
		run, err := i.Run(ctx, job)
		in.Config.Reports = filepath.Join(dir, "cases.csv")
		return run, err
	})
	if err = in.End(err); err != nil || len(results) != 1 {
		t.Fatalf("%v: %v", results, err)
	}
	if r := results[0]; code != exit.CouldNotRun || !strings.Contains(r.ReportError, in.Config.Reports) || r.Run.Phase != ledger.Finished || r.Reports.HTML != "" {
		t.Errorf("it ended with %d: %s, %s", code, r.Run.Phase, r.ReportError)
	}
	if out := succeed(t, dir, "run"); !strings.Contains(out, "the report of cases-1 was missing and has now been written") || len(reportFolders(t, dir)) != 2 || b.state(t).Cases != 3 {
		t.Errorf("the next run says:\n%s", out)
	}
}

// killAtReport starts a run and kills it as soon as a file of its report has been begun.
func killAtReport(t *testing.T, dir string) {
	t.Helper()
	reports := filepath.Join(dir, "reports")
	watcher, err := fsnotify.NewWatcher()
	if err := errors.Join(err, os.MkdirAll(reports, 0o750)); err != nil {
		t.Fatal(err)
	}
	defer watcher.Close()
	if err := watcher.Add(reports); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("docketsync", "run", "--quiet")
	cmd.Dir, cmd.Env = dir, environment()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			t.Fatalf("the run ended before its report was seen: %v", err)
		case event := <-watcher.Events:
			if strings.HasPrefix(filepath.Base(event.Name), "cases-") && event.Has(fsnotify.Create) {
				_ = watcher.Add(event.Name) // what is in it already is found below
			}
		}
		if begun, _ := filepath.Glob(filepath.Join(reports, "cases-*", ".report.json.*")); len(begun) > 0 {
			_ = cmd.Process.Kill()
			<-ended
			return
		}
	}
}

// leftovers are the marks in the folder of reports, and the files that were begun in the folders below.
func leftovers(t *testing.T, dir string) (list []string) {
	t.Helper()
	for _, pattern := range []string{".*.owed", "*/.*"} {
		found, err := filepath.Glob(filepath.Join(dir, "reports", pattern))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, found...)
	}
	return list
}
