package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/importer/console/wizard"
)

// A job's folder is beside the configuration, where other folders are already.
func TestJobsAreNotKeptAmongOtherThings(t *testing.T) {
	t.Parallel()
	work, _, dir, _ := openWork(t, 1, "console: {uploads: Kept/Uploads}\n")
	if err := os.MkdirAll(filepath.Join(dir, "arrivals"), 0o750); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "docketsync.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.Replace(string(text), "jobs:\n", "jobs:\n  - {name: nightly, mapping: mapping.yaml, source: {inbox: arrivals}}\n", 1))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"reports": "the reports", "arrivals": "the files that arrive for nightly", "kept": "", "uploads": ""} {
		planned, err := work.PlaceOf(wizard.NewJob{Name: name, Mapping: "x", Source: filepath.Join(dir, "cases.csv")})
		if err != nil || strings.Contains(planned.Wrong, "would be saved among") != (want != "") || !strings.Contains(planned.Wrong, want) {
			t.Errorf("%s: %q, %v", name, planned.Wrong, err)
		}
	}
	text = []byte(strings.Replace(string(text), "Kept/Uploads", "Uploads", 1))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if planned, err := work.PlaceOf(wizard.NewJob{Name: "uploads", Mapping: "x"}); err != nil || !strings.Contains(planned.Wrong, "among the uploads") {
		t.Errorf("uploads: %q, %v", planned.Wrong, err)
	}
}

// placedBeside has the console of a firm say what is wrong with a path for the next file of a job, or with a folder for it.
func placedBeside(t *testing.T, more string) (dir string, wrongFile, wrongInbox func(path string) string) {
	t.Helper()
	work, _, dir, _ := openWork(t, 1, more)
	wrong := func(change func(job *wizard.NewJob)) string {
		job := wizard.NewJob{Name: "new", Mapping: "x", Source: filepath.Join(dir, "cases.csv")}
		change(&job)
		planned, err := work.PlaceOf(job)
		if err != nil {
			t.Fatal(err)
		}
		return planned.Wrong
	}
	return dir, func(path string) string { return wrong(func(job *wizard.NewJob) { job.Next.File = path }) },
		func(path string) string { return wrong(func(job *wizard.NewJob) { job.Next.Inbox = path }) }
}

// A path that somebody enters in the console leads to an export of this installation, and to nothing else.
func TestPathsOfTheConsoleLeadToExports(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	const job = "jobs:\n  - {name: outside, mapping: mapping.yaml, source: %s}\n"
	for _, firms := range []bool{false, true} {
		more := "notify: {ping: {url: {file: ping.txt}}}\n"
		if firms {
			more += "console: {sign_in: firms, users: [{name: ines, role: operator}]}\n"
		}
		dir, wrongFile, wrongInbox := placedBeside(t, more)
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, "exports", "old"), 0o750), os.MkdirAll(filepath.Join(dir, "reports", "run"), 0o750),
			os.MkdirAll(filepath.Join(outside, "other"), 0o750)); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"exports/old/a.csv", "reports/run/report.csv", "notes.env"} {
			write(t, dir, name, "Ref,Title\n1,One\n")
		}
		write(t, dir, "ping.txt", "https://ping.example/secret/{job}")
		for _, name := range []string{"b.csv", "c.csv", "other/d.csv"} {
			write(t, outside, name, "Ref,Title\n1,One\n")
		}
		if err := errors.Join(os.Symlink(filepath.Join(outside, "other", "d.csv"), filepath.Join(dir, "link.csv")), os.Symlink("ping.txt", filepath.Join(dir, "inner.csv")),
			os.Symlink(outside, filepath.Join(dir, "away"))); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "docketsync.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, "docketsync.yaml", strings.Replace(string(text), "jobs:\n", fmt.Sprintf(job, filepath.Join(outside, "b.csv")), 1))
		beside := ""
		if firms {
			beside = "where a job may read"
		}
		for path, want := range map[string]string{
			"cases.csv": "", "exports/old/a.csv": "", filepath.Join(dir, "exports", "old", "a.csv"): "", filepath.Join(outside, "c.csv"): beside,
			"ping.txt": "the secret notify.ping.url", filepath.Join(dir, "ping.txt"): "the secret notify.ping.url", "inner.csv": "the secret notify.ping.url",
			"docketsync.yaml": "the configuration", "ledger.db": "the ledger", "reports/run/report.csv": "the reports", "notes.env": "not that of a table",
			"link.csv": "where a job may read", filepath.Join(outside, "other", "d.csv"): "where a job may read", "../docketsync.yaml": "where a job may read",
			"exports": "where a job may read", "none.csv": "where a job may read", "/etc/passwd": "where a job may read",
		} {
			if got := wrongFile(path); (got == "") != (want == "") || !strings.Contains(got, want) {
				t.Errorf("firms %v, the file %s: %q\nwant %q", firms, path, got, want)
			}
		}
		for path, want := range map[string]string{
			"inbox/new": "", "arrivals": "", filepath.Join(dir, "arrivals"): "", ".": "below that of the configuration", "..": "below that of the configuration", "/etc": "below that of the configuration",
			outside: "below that of the configuration", "away/in": "below that of the configuration", "reports": "the reports", "reports/run": "the reports", "uploads/x": "the uploads",
			"jobs.d": "the jobs", "lookups": "the lookups of the job outside",
		} {
			if got := wrongInbox(path); (got == "") != (want == "") || !strings.Contains(got, want) {
				t.Errorf("firms %v, the folder %s: %q\nwant %q", firms, path, got, want)
			}
		}
	}
}
