package rejects

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/importer/report"
	"docketsync/importer/report/workbook"
)

// Rows that are more than is kept in memory are put beside the report, where the next start finds what a kill leaves.
func TestRowsWaitBesideTheReport(t *testing.T) {
	elsewhere, dir := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", elsewhere)
	out, err := os.Create(filepath.Join(dir, report.RejectsFile))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	r := New(out, &report.Summary{}, dir)
	sheet := r.sheetFor(0, 1)
	for range 600 {
		sheet.Put(0, strings.Repeat("x", workbook.CellLength))
	}
	waiting := func(dir string) int {
		found, err := filepath.Glob(filepath.Join(dir, "*excelize*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	if here, there := waiting(dir), waiting(elsewhere); here != 1 || there != 0 {
		t.Errorf("%d files beside the report, %d in the folder for temporary files", here, there)
	}
	if err := r.End(); err != nil || waiting(dir) != 0 {
		t.Errorf("%v; %d files are left", err, waiting(dir))
	}
}
