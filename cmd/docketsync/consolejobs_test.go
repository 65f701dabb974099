package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

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
			beside = "cannot read"
		}
		for path, want := range map[string]string{
			"cases.csv": "", "exports/old/a.csv": "", filepath.Join(dir, "exports", "old", "a.csv"): "", filepath.Join(outside, "c.csv"): beside,
			"ping.txt": "the secret notify.ping.url", filepath.Join(dir, "ping.txt"): "the secret notify.ping.url", "inner.csv": "the secret notify.ping.url",
			"docketsync.yaml": "the configuration", "ledger.db": "the ledger", "reports/run/report.csv": "the reports", "notes.env": "not a supported table format",
			"link.csv": "cannot read", filepath.Join(outside, "other", "d.csv"): "cannot read", "../docketsync.yaml": "cannot read",
			"exports": "cannot read", "none.csv": "", "/etc/passwd": "cannot read",
		} {
			if got := wrongFile(path); (got == "") != (want == "") || !strings.Contains(got, want) {
				t.Errorf("firms %v, the file %s: %q\nwant %q", firms, path, got, want)
			}
		}
		for path, want := range map[string]string{
			"inbox/new": "", "arrivals": "", filepath.Join(dir, "arrivals"): "", ".": "below the folder of the configuration", "..": "below the folder of the configuration", "/etc": "below the folder of the configuration",
			outside: "below the folder of the configuration", "away/in": "below the folder of the configuration", "reports": "the reports", "reports/run": "the reports", "uploads/x": "the uploads",
			"jobs.d": "the jobs", "lookups": "the lookups of the job outside",
		} {
			if got := wrongInbox(path); (got == "") != (want == "") || !strings.Contains(got, want) {
				t.Errorf("firms %v, the folder %s: %q\nwant %q", firms, path, got, want)
			}
		}
	}
}

// An export that cannot be read does not take the place of the one that the job reads.
func TestTheNextExportIsReadBeforeItReplacesTheLast(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeCrashFirm(t, dir, startSandbox(t, dir), 2)
	source := "uploads/cases-0123456789ab/cases.csv"
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, source)), 0o700); err != nil {
		t.Fatal(err)
	}
	good := mappingIn(t, dir, "cases.csv")
	write(t, dir, source, good)
	write(t, dir, "docketsync.yaml", strings.Replace(mappingIn(t, dir, "docketsync.yaml"), "source: cases.csv", "source: "+source, 1)+consoleUsers(""))
	book := excelize.NewFile()
	err := errors.Join(book.SetSheetRow("Sheet1", "A1", &[]string{"Ref", "Title"}), book.SetSheetRow("Sheet1", "A2", &[]string{"M-9", "Nine"}))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := book.WriteToBuffer()
	if err := errors.Join(err, book.Close()); err != nil {
		t.Fatal(err)
	}
	v := startConsole(t, dir).visitor("Ines", operatorPassword)
	now := func() string {
		text, _ := os.ReadFile(filepath.Join(dir, source)) // "" is none of both
		return string(text)
	}
	upload := func(name string, content []byte) (int, string) {
		t.Helper()
		_, page := v.get("/jobs/cases")
		after := regexp.MustCompile(`name="after" value="([^"]*)"`).FindStringSubmatch(page)
		if after == nil {
			t.Fatalf("no export can be uploaded:\n%s", page)
		}
		return v.upload("/jobs/cases/upload", name, content, url.Values{"as": {"export"}, "after": {after[1]}})
	}
	for name, content := range map[string][]byte{"cut off.xlsx": whole.Bytes()[:whole.Len()/2], "picture.csv": []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")} {
		status, page := upload(name, content)
		if status != http.StatusUnprocessableEntity || !strings.Contains(page, "has not been replaced") || !strings.Contains(page, strings.ReplaceAll(name, " ", "_")) || strings.Contains(page, ".new-") {
			t.Errorf("%s: %d\n%s", name, status, page)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, filepath.Dir(source), "*")); len(left) != 1 || now() != good {
		t.Errorf("an export that cannot be read left %v", left)
	}
	if status, page := upload("next.xlsx", whole.Bytes()); status != http.StatusOK || now() != whole.String() {
		t.Errorf("a good one: %d\n%s", status, page)
	}
}
