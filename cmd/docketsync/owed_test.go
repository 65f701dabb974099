package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fsnotify/fsnotify"

	"docketsync/cmd/docketsync/internal/exit"
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
