package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"docketsync/cmd/docketsync/internal/exit"
)

// TestRejectsAreCorrectedAndSentAgain is a clerk's morning: a row was rejected, its cell is corrected in rejects.xlsx, and the
// same job reads that file.
func TestRejectsAreCorrectedAndSentAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 2)
	write(t, dir, "cases.csv", "Ref,Title\n0001,One\n0002,\n")
	if code, out := program(t, dir, "run"); code != exit.Rejects {
		t.Fatalf("the run ended with %d:\n%s", code, out)
	}
	found, err := filepath.Glob(filepath.Join(dir, "reports", "*", "rejects.xlsx"))
	if err != nil || len(found) != 1 {
		t.Fatalf("rejects.xlsx is at %v, %v", found, err)
	}
	correct(t, found[0], "Title", "Two")
	code, out := program(t, dir, "run", "cases", "--file", found[0])
	if code != exit.AllIn || !strings.Contains(out, "The only matter was imported") {
		t.Errorf("the corrected rows ended with %d:\n%s", code, out)
	}
	corrected := "\"corrected\":{\"records\":1,\"rows\":1,\"again\":0,"
	if reports := reportsIn(t, dir); len(reports) != 2 || !strings.Contains(reports[1], corrected) ||
		!strings.Contains(reports[1], `"cells":[{"column":"Title","cell":"F2","before":"","now":"Two"}]`) || strings.Contains(reports[0], `"corrected"`) {
		t.Errorf("the second report does not say what was corrected: %.2000s", strings.Join(reports, "\n\n"))
	}
	if reports := reportsIn(t, dir); !strings.Contains(reports[0], `{"field":"name","from":"column","type":"text","columns":[1]}`) {
		t.Errorf("the run does not keep which columns its fields come from: %.600s", reports[0])
	}
	if state := b.state(t); state.Cases != 2 || len(state.Repeated) > 0 {
		t.Errorf("the sandbox holds %d cases, and twice %v", state.Cases, state.Repeated)
	}
	if code, _ := program(t, dir, "run", "--file", found[0]); code != exit.Usage {
		t.Errorf("a file without a job ended with %d", code)
	}
}

// TestRejectsOfColumnsByLetters corrects a row of an export whose titles stand in a column without a name.
func TestRejectsOfColumnsByLetters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 2)
	text, err := os.ReadFile(filepath.Join(dir, "cases.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "cases.yaml", strings.Replace(strings.Replace(string(text), "name: Title", `name: "@B"`, 1), "active: {value: true}", "active: {column: Status, yes: Open, no: Closed}", 1))
	write(t, dir, "cases.csv", "Ref,,Status\n0001,One,Open\n0002,Two,Opne\n")
	if code, out := program(t, dir, "run"); code != exit.Rejects {
		t.Fatalf("the run ended with %d:\n%s", code, out)
	}
	found, err := filepath.Glob(filepath.Join(dir, "reports", "*", "rejects.xlsx"))
	if err != nil || len(found) != 1 {
		t.Fatalf("rejects.xlsx is at %v, %v", found, err)
	}
	correct(t, found[0], "Status", "Open")
	if code, out := program(t, dir, "run", "cases", "--file", found[0]); code != exit.AllIn {
		t.Errorf("the corrected rows ended with %d:\n%s", code, out)
	}
	names := map[string]string{}
	for _, is := range b.snapshot(t).Cases {
		names[is.Number] = is.Name
	}
	if names["0001"] != "One" || names["0002"] != "Two" {
		t.Errorf("the cases are called %v", names)
	}
}

// TestRejectsShowDaysAsTheExportDid corrects a workbook whose dates are shown in the firm's own way.
func TestRejectsShowDaysAsTheExportDid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeCrashFirm(t, dir, startSandbox(t, dir), 2)
	writeDatedCases(t, filepath.Join(dir, "cases.xlsx"))
	if code, out := program(t, dir, "run", "cases", "--file", "cases.xlsx"); code != exit.Rejects {
		t.Fatalf("the run ended with %d:\n%s", code, out)
	}
	found, err := filepath.Glob(filepath.Join(dir, "reports", "*", "rejects.xlsx"))
	if err != nil || len(found) != 1 {
		t.Fatalf("rejects.xlsx is at %v, %v", found, err)
	}
	book, err := excelize.OpenFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	rows, err := book.GetRows("Rejects")
	if err != nil || len(rows) != 2 {
		t.Fatalf("the rejects are %q, %v", rows, err)
	}
	if got := rows[1][len(rows[1])-3:]; !slices.Equal(got, []string{"24.12.2024", "2024-12-25", "2024-12-26 13:30:00"}) {
		t.Errorf("the dates are shown as %q", got)
	}
}

// writeDatedCases writes a case without a title, with a day in the firm's own format, one in a format that every program has, and a
// time.
func writeDatedCases(t *testing.T, path string) {
	t.Helper()
	book := excelize.NewFile()
	defer book.Close()
	for column, name := range []string{"Ref", "Title", "Filed", "Due", "Heard"} {
		at, err := excelize.CoordinatesToCellName(column+1, 1)
		if err == nil {
			err = book.SetCellValue("Sheet1", at, name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	days, times := "dd.mm.yyyy", "dd.mm.yyyy hh:mm"
	for at, cell := range map[string]struct {
		serial float64
		style  excelize.Style
	}{"C2": {45650, excelize.Style{CustomNumFmt: &days}}, "D2": {45651, excelize.Style{NumFmt: 14}}, "E2": {45652.5625, excelize.Style{CustomNumFmt: &times}}} {
		style, err := book.NewStyle(&cell.style)
		if err == nil {
			err = errors.Join(book.SetCellValue("Sheet1", at, cell.serial), book.SetCellStyle("Sheet1", at, at, style))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(book.SetCellValue("Sheet1", "A2", "0003"), book.SaveAs(path)); err != nil {
		t.Fatal(err)
	}
}

// reportsIn are the JSON forms of the reports of a folder, the earliest first.
func reportsIn(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "reports", "*", "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	began := map[string]string{}
	var reports []string
	for _, path := range found {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, after, _ := strings.Cut(string(data), `"started":"`)
		began[string(data)], _, _ = strings.Cut(after, `"`)
		reports = append(reports, string(data))
	}
	slices.SortFunc(reports, func(a, b string) int { return strings.Compare(began[a], began[b]) })
	return reports
}

// correct writes a value into the first data row of a workbook, under a header.
func correct(t *testing.T, path, header, value string) {
	t.Helper()
	book, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	const sheet = "Rejects"
	rows, err := book.GetRows(sheet)
	if err != nil {
		t.Fatal(err)
	}
	for n, name := range rows[0] {
		if name != header {
			continue
		}
		cell, err := excelize.CoordinatesToCellName(n+1, 2)
		if err != nil {
			t.Fatal(err)
		}
		if err := book.SetCellValue(sheet, cell, value); err != nil {
			t.Fatal(err)
		}
		if err := book.Save(); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("no column %q in %v", header, rows[0])
}

// TestChangesThatCannotBeSentNeedSomebody changes the row of a case that was created: each night tells of it until somebody has acknowledged it,
// and again when it changes again. Where another job sends the change nobody has to.
func TestChangesThatCannotBeSentNeedSomebody(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 2)
	ends := func(want int, says string, args ...string) {
		t.Helper()
		if code, out := command(t, dir, args...); code != want || !strings.Contains(out, says) {
			t.Errorf("%q ended with %d, want %d with %q:\n%s", args, code, want, says, out)
		}
	}
	retitle := func(title string) { write(t, dir, "cases.csv", "Ref,Title\nM-00000,Case 0\nM-00001,"+title+"\n") }
	const unsent = "1 record, counted above, has a change that cannot be sent"
	ends(exit.AllIn, "All 2 matters were imported.", "run")
	retitle("Case 1 v. All")
	ends(exit.Rejects, unsent, "check")
	ends(exit.Rejects, unsent, "run")
	ends(exit.Rejects, "change them in the service by hand and acknowledge them", "run")
	ends(exit.AllIn, "M-00001  row 3: M-00001 was created on ", "rejects", "cases-3")
	ends(exit.AllIn, "0 records rejected, 1 record differs in the service, 1 of them acknowledged.", "rejects", "cases-3", "M-00001", "--acknowledge", "--note", "done by hand")
	ends(exit.AllIn, "All 2 matters were already up to date", "run")
	ends(exit.AllIn, "All 2 matters were already up to date", "check")
	retitle("Case 1 v. Everybody")
	ends(exit.Rejects, unsent, "run")
	retitle("Case 1 v. All")
	ends(exit.AllIn, "already up to date", "run") // which was acknowledged
	retitle("Case 1")
	for range 2 {
		ends(exit.Rejects, "is gone from the export, which again has what was created", "run")
	}
	ends(exit.AllIn, "1 of them acknowledged.", "rejects", "cases-9", "M-00001", "--acknowledge", "--note", "changed back")
	ends(exit.AllIn, "nothing has changed", "run")
	retitle("Case 1 v. All")
	ends(exit.Rejects, unsent, "run") // by hand it was changed back since
	ends(exit.AllIn, "1 of them acknowledged.", "rejects", "cases-12", "M-00001", "--acknowledge", "--note", "once more")
	ends(exit.AllIn, "already up to date", "run")

	text := string(read(t, filepath.Join(dir, "docketsync.yaml")))
	write(t, dir, "docketsync.yaml", strings.Replace(text, "\njobs:", "\njobs:\n  - {name: updates, source: cases.csv, mapping: updates.yaml}", 1))
	write(t, dir, "updates.yaml", "operation: update_case\nkey: Ref\nlookups: {cases: {ledger: create_case}}\nfields:\n  id: {column: Ref, lookup: cases}\n  name: Title\n  number: Ref\n"+
		"  active: {value: true}\n  file_status_id: {value: "+firstOf(t, "statuses")+"}\n  user_id: {value: "+firstOf(t, "users")+"}\n  file_client_id: null\n  components: {items: {}}\n")
	retitle("Case 1 v. Nobody")
	ends(exit.AllIn, "already up to date", "run", "cases")
	if state := b.state(t); state.Cases != 2 {
		t.Errorf("the sandbox holds %d cases", state.Cases)
	}
}

// What a file cannot say of itself is said beside it: its encoding, or which of several sheets is meant.
func TestANamedFileIsReadAsIsSaid(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, "")
	g.export(good)
	g.run(exit.AllIn, "run")
	row := g.rows[1]
	g.write("fix.csv", strings.Join(g.rows[0], ",")+"\n"+strings.Join(row[:notesColumn], ",")+",M\xfcller\n")
	if said, requests := g.run(exit.CouldNotRun, "run", "marks", "--file", "fix.csv"); requests != 0 || !strings.Contains(said, "with --file: --encoding windows-1252") {
		t.Errorf("%d requests:\n%s", requests, said)
	}
	if said, requests := g.run(exit.AllIn, "run", "marks", "--file", "fix.csv", "--encoding", "windows-1252"); requests != 1 {
		t.Errorf("with its encoding %d requests:\n%s", requests, said)
	}
	book := excelize.NewFile()
	defer book.Close()
	for n, sheet := range []string{"Rejects", "Rejects 2"} {
		if _, err := book.NewSheet(sheet); err != nil {
			t.Fatal(err)
		}
		values := slices.Clone(row)
		values[notesColumn] = sheet
		if err := errors.Join(book.SetSheetRow(sheet, "A1", new(g.rows[0])), book.SetSheetRow(sheet, "A2", &values)); err != nil {
			t.Fatal(n, err)
		}
	}
	if err := book.SaveAs(filepath.Join(g.dir, "fix.xlsx")); err != nil {
		t.Fatal(err)
	}
	if said, requests := g.run(exit.AllIn, "run", "marks", "--file", "fix.xlsx", "--sheet", "Rejects 2"); requests != 1 {
		t.Errorf("with its sheet %d requests:\n%s", requests, said)
	}
	for _, mark := range g.box.snapshot(t).Trademarks {
		if mark.ID == row[1] && !strings.Contains(string(mark.Members), `"notes":"Rejects 2"`) {
			t.Errorf("it is %s", mark.Members)
		}
	}
	g.run(exit.Usage, "run", "marks", "--sheet", "Rejects 2")
}
