package report_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/files"
)

func TestExpireRemovesOnlyOurReports(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	b.plan(ledger.Record{Key: "A", State: ledger.Rejected, Action: ledger.None, Rows: []ledger.Row{row(2, "A")}, Reasons: []ledger.Reason{{Code: "c", Message: "m"}}})
	b.end()
	dir := t.TempDir()
	written, err := files.Write(t.Context(), b.led.Reader, b.run.ID, dir)
	b.must(err)
	name := filepath.Base(written.Dir)
	// beside puts a copy of the report's JSON under another name, and a file of somebody's into it.
	beside := func(folder, file string) string {
		text, err := os.ReadFile(written.JSON)
		b.must(err)
		b.must(os.MkdirAll(filepath.Join(dir, folder), 0o700))
		b.must(os.WriteFile(filepath.Join(dir, folder, "report.json"), text, 0o600))
		if file != "" {
			b.must(os.WriteFile(filepath.Join(dir, folder, file), []byte("x"), 0o600))
		}
		return filepath.Join(dir, folder)
	}
	cut := beside("cut-off-2020-01-01-000000-aaaaaa", ".report.html.123")
	gone := beside("gone-2020-01-01-000000-cccccc", "vanished.csv")
	b.must(os.WriteFile(filepath.Join(gone, "report.json"), []byte("{\"form\":\"docketsync-report/1\",\n"), 0o600)) // an older version's
	b.must(os.WriteFile(filepath.Join(gone, "report.csv.gz"), nil, 0o600))
	b.must(os.WriteFile(filepath.Join(gone, "stays.csv"), nil, 0o600))
	b.must(os.WriteFile(filepath.Join(gone, "excelize-123"), nil, 0o600))
	own := beside("matters-2020-01-01-000000-bbbbbb", "rejects corrected.xlsx")
	untouched := []string{
		beside("archive", "report.html"), beside("matters-2020-13-01-000000-aaaaaa", ""), beside("matters-2999-01-01-000000-aaaaaa", ""),
	}
	other := filepath.Join(dir, "letters-2020-01-01-000000-aaaaaa")
	b.must(os.Mkdir(other, 0o700))
	b.must(os.WriteFile(filepath.Join(other, "report.json"), []byte(`{"form":"another's"}`), 0o600))
	untouched = append(untouched, other)

	done, err := files.Expire(dir, b.run.Started)
	b.must(err)
	want := files.Expired{Removed: []string{cut, gone}, Kept: []string{own}}
	if diff := cmp.Diff(want, done); diff != "" {
		t.Errorf("before the report's own time (-want +got)\n%s", diff)
	}
	if left, err := os.ReadDir(own); err != nil || len(left) != 1 {
		t.Errorf("%v %v: only the corrected file is to stay", left, err)
	}
	done, err = files.Expire(dir, b.run.Started.Add(time.Second))
	b.must(err)
	if diff := cmp.Diff(files.Expired{Removed: []string{filepath.Join(dir, name)}, Kept: []string{}}, done); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, path := range untouched {
		if _, err := os.Stat(filepath.Join(path, "report.json")); err != nil {
			t.Error(err)
		}
	}
	if _, err := files.Expire(filepath.Join(dir, "none"), b.run.Started); err != nil {
		t.Error(err)
	}
}

func TestPrunedRunSaysWhatItWas(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	b.send(ledger.Record{Key: "A", Payload: []byte(`{}`), Rows: []ledger.Row{row(2, "A")}}, ledger.Outcome{State: ledger.Accepted, Status: 201})
	b.plan(ledger.Record{Key: "B", State: ledger.Unchanged, Action: ledger.None, Rows: []ledger.Row{row(3)}})
	b.end()
	if _, err := b.led.Prune(t.Context(), b.run.ID); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	_, err := files.Write(t.Context(), b.led.Reader, b.run.ID, dir)
	var pruned *report.PrunedError
	if !errors.As(err, &pruned) || !strings.Contains(err.Error(), "Of its records, 1 created, 1 unchanged.") {
		t.Errorf("%v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v", left)
	}
}
