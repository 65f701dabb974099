package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// TestSheetsOfOneKind has a workbook with a sheet for each year: init proposes to read them all as one, a job that names none of them
// is refused, and one that names one is told what it leaves.
func TestSheetsOfOneKind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	book := excelize.NewFile()
	for _, sheet := range []struct {
		name string
		rows [][]any
	}{
		{"Sheet1", [][]any{{"Read me"}, {"Exported for the migration"}}},
		{"Matters 2023", [][]any{{"Our Ref", "Title"}, {"M-1", "Acme v Birch"}, {"M-2", "Cedar lease"}}},
		{"Matters 2024", [][]any{{"Our Ref", "Title"}, {"M-3", "Dogwood"}}},
	} {
		_, err := book.NewSheet(sheet.name)
		for n, row := range sheet.rows {
			err = errors.Join(err, book.SetSheetRow(sheet.name, fmt.Sprintf("A%d", n+1), &row))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := book.SaveAs(filepath.Join(dir, "matters.xlsx")); err != nil {
		t.Fatal(err)
	}
	expect := func(words string, args ...string) {
		t.Helper()
		if _, out := program(t, dir, args...); !strings.Contains(out, words) {
			t.Errorf("%s does not say %q:\n%s", args, words, out)
		}
	}
	expect("Read 3 rows of matters.xlsx, sheets \"Matters 2023\", \"Matters 2024\"", "init", "matters.xlsx", "--operation", "create_case")
	proposed := string(read(t, filepath.Join(dir, "docketsync.yaml")))
	setting := "sheet: 'Matters *'"
	if !strings.Contains(proposed, setting) {
		t.Fatalf("the job does not read both sheets:\n%s", proposed)
	}
	write(t, dir, "docketsync.yaml", strings.Replace(proposed, ", "+setting, "", 1))
	expect(`2 sheets have the same header, and only one of them would be read`, "check")
	expect(`set sheet: "Matters *"`, "run")
	write(t, dir, "docketsync.yaml", strings.Replace(proposed, setting, "sheet: Matters 2024", 1))
	expect(`"Matters 2023": the same header as the sheet "Matters 2024", and not read`, "check")
}
