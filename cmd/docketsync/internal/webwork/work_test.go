package webwork_test

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fsnotify/fsnotify"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/cmd/docketsync/internal/webwork"
	"docketsync/importer/console/queue"
	"docketsync/importer/console/setup"
	"docketsync/importer/ledger"
)

// TestNothingIsSentThatNobodyApproved has an order to send refused that names neither a plan nor what a guard stopped.
func TestNothingIsSentThatNobodyApproved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "docketsync.yaml")
	if err := os.WriteFile(path, []byte(setup.Sandbox().Text()), 0o600); err != nil {
		t.Fatal(err)
	}
	made := &installation.Setup{Screen: &terminal.Screen{Out: io.Discard, Err: io.Discard}, ConfigFile: path, Env: func(string) (string, bool) { return "", false }}
	in, err := made.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := in.ObserveRuns(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"", path} {
		_, err := webwork.New(made, in).Run(t.Context(), queue.Order{Job: "cases", Kind: ledger.Push, File: file, Who: "Ines"}, queue.Tell{})
		if err == nil || !strings.Contains(err.Error(), "nobody has approved") {
			t.Errorf("an order to send %q ends with %v", file, err)
		}
	}
}

// jobOfCases is an installation with one job that reads a source of these settings, and files beside it.
func jobOfCases(t *testing.T, source string, files map[string]string) (made *installation.Setup, in *installation.Installation, dir string) {
	t.Helper()
	dir = t.TempDir()
	all := map[string]string{
		"docketsync.yaml": setup.Sandbox().Text() + "jobs: [{name: cases, source: " + source + ", mapping: cases.yaml}]\n",
		"cases.yaml": "operation: create_case\nkey: Ref\nfields:\n  name: Title\n  number: Ref\n  active: {value: true}\n" +
			"  user_id: {value: 5b6d7e0a-0d6e-4a70-a5cf-2f1f0ab1b2a1}\n  file_template_id: {value: 5b6d7e0a-0d6e-4a70-a5cf-2f1f0ab1b2a2}\n",
	}
	maps.Copy(all, files)
	for name, text := range all {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	made = &installation.Setup{Screen: &terminal.Screen{Out: io.Discard, Err: io.Discard, Quiet: true}, ConfigFile: filepath.Join(dir, "docketsync.yaml"), Env: func(string) (string, bool) { return "", false }}
	in, err := made.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	if err := in.ObserveRuns(t.Context()); err != nil {
		t.Fatal(err)
	}
	return made, in, dir
}

// TestAFirstExportIsReadAsTheJobReads reads an upload in place of what arrives in an inbox: as the configuration says, and as all that the
// source holds; rows that were corrected are read as they come, and are a part.
func TestAFirstExportIsReadAsTheJobReads(t *testing.T) {
	t.Parallel()
	made, in, dir := jobOfCases(t, "{inbox: in, header: 3}", map[string]string{"first.csv": "Ref,Title\n0,Not a header\nRef,Title\n1,One\n2,Two\n"})
	for export, want := range map[bool]int{true: 2, false: 4} {
		run, err := webwork.New(made, in).Run(t.Context(), queue.Order{Job: "cases", Kind: ledger.Check, File: filepath.Join(dir, "first.csv"), Export: export}, queue.Tell{})
		if err != nil || run.Counts.Read != want || (run.Export != nil) != export {
			t.Errorf("as an export %v: %d rows read, %+v, %v", export, run.Counts.Read, run.Export, err)
		}
	}
}

// TestAPlanIsThereWholeOrNotAtAll has the system tell what becomes of the plan of a dry run: under its own name nothing is ever written to it.
func TestAPlanIsThereWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	made, in, _ := jobOfCases(t, "cases.csv", map[string]string{"cases.csv": "Ref,Title\n1,One\n"})
	plans := filepath.Join(in.Config.Reports, "plans")
	if err := os.MkdirAll(plans, 0o750); err != nil {
		t.Fatal(err)
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Close()
	if err := watcher.Add(plans); err != nil {
		t.Fatal(err)
	}
	work := webwork.New(made, in)
	run, err := work.Run(t.Context(), queue.Order{Job: "cases", Kind: ledger.Plan}, queue.Tell{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := work.Sealed(run.ID)
	if err != nil || p.Seal == "" {
		t.Errorf("the plan is %+v, %v", p, err)
	}
	last := filepath.Join(plans, "last")
	if err := os.WriteFile(last, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for written := false; ; {
		switch event := <-watcher.Events; {
		case event.Name == last:
			if !written {
				t.Error("nobody was told that a plan was written")
			}
			return
		case event.Has(fsnotify.Write) && event.Name == p.Path:
			t.Fatalf("the plan is written to where pages look for it: %v", event)
		case event.Has(fsnotify.Write):
			written = true
		}
	}
}
