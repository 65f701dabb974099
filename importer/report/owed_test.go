package report_test

import (
	"os"
	"path/filepath"
	"testing"

	"docketsync/importer/report/files"
)

// TestOwedReportsAreTheirProcessesOwn has a report that is owed by a process that lives, then by none.
func TestOwedReportsAreTheirProcessesOwn(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	b.end()
	dir := t.TempDir()
	orphans := func(want int) []*files.Owed {
		t.Helper()
		list, err := files.Orphans(dir)
		b.must(err)
		if len(list) != want {
			t.Fatalf("%d reports are left to be written, want %d", len(list), want)
		}
		return list
	}
	owed, err := files.Owe(dir, b.run.ID)
	b.must(err)
	orphans(0)
	b.must(owed.Leave())
	left := orphans(1)[0]
	orphans(0) // it is taken

	begun := filepath.Join(dir, files.Folder(b.run), ".vanished.csv.123")
	rows := filepath.Join(filepath.Dir(begun), "excelize-123")
	b.must(os.MkdirAll(filepath.Dir(begun), 0o700))
	own := filepath.Join(filepath.Dir(begun), ".notes")
	for _, path := range []string{begun, rows, own} {
		b.must(os.WriteFile(path, nil, 0o600))
	}
	_, written, err := left.Write(t.Context(), b.led.Reader)
	b.must(err)
	b.must(left.Forget())
	orphans(0)
	if _, err := os.Stat(written.HTML); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(own); err != nil {
		t.Error("a file of somebody else's is gone")
	}
	for _, path := range []string{begun, rows} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	if list, err := files.Orphans(filepath.Join(dir, "none")); err != nil || len(list) > 0 {
		t.Error(list, err)
	}
}
