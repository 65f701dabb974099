package importer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docketsync/apiclient/sandbox"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/report/corrected"
	"docketsync/importer/rows"
	"docketsync/importer/source/sourcetest"
)

// marked returns rows as in a workbook of rejects of a run: the lines, each with the mark of the record in seqs; 0 is a
// cleared cell.
func marked(of ledger.Run, header string, seqs []int64, lines ...string) string {
	text := corrected.Columns[3] + "," + header + "\n"
	for n, line := range lines {
		mark := ""
		if seqs[n] > 0 {
			mark = corrected.NewMark(of.ID, seqs[n]).String()
		}
		text += mark + "," + line + "\n"
	}
	return text
}

func (w *world) correctedRows(name, mapping, text string) importer.Job {
	job := w.job(name, mapping, text)
	job.Partial = true
	return job
}

// reasons returns the codes and arguments of the reasons of a run's records, with their keys.
func (w *world) reasons(run ledger.Run) string {
	var list []string
	for _, r := range w.records(run) {
		for _, why := range r.Reasons {
			list = append(list, fmt.Sprintf("%s: %s %v", r.Key, why.Code, why.Args))
		}
	}
	return strings.Join(list, "; ")
}

// TestKeysThatWereSortedAloneAreRejected swaps the keys of rejected rows while their marks stay, so that each would go
// in as another. A key corrected to one that no row had goes in, and so does a row whose mark was cleared.
func TestKeysThatWereSortedAloneAreRejected(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	const header = "Ref,Title,Status"
	first := w.run(w.job("matters", casesMapping, header+"\nM-1,One,Open\nM-2,,Open\nM-3,,Open\n,Four,Open\n"))
	w.expect(first, "accepted 1, rejected 3")
	rejected := func(run ledger.Run, want string) {
		t.Helper()
		if got := w.reasons(run); got != want {
			t.Errorf("reasons:\n%s\nwant\n%s", got, want)
		}
		w.onceEach()
	}
	sorted := w.run(w.correctedRows("matters", casesMapping, marked(first, header, []int64{2, 3, 4}, "M-3,Two,Open", "M-2,Three,Open", "M-1,Four,Open")))
	w.expect(sorted, "rejected 3")
	rejected(sorted, "M-3: key_of_another [M-3 M-2]; M-2: key_of_another [M-2 M-3]; M-1: key_of_another [M-1 a row without a key]")
	again := w.run(w.correctedRows("matters", casesMapping, marked(sorted, header, []int64{1, 2}, "M-3,Two,Open", "M-3,Three,Open")))
	rejected(again, "M-3: duplicate_key [M-3 rows 2, 3]; M-3: key_of_another [M-3 M-2]")
	w.expect(w.run(w.correctedRows("matters", casesMapping, marked(sorted, header, []int64{1, 0, 3}, "M-2,Two,Open", "M-3,Three,Open", "M-4,Four,Open"))), "accepted 3")

	crowded := w.run(w.job("matters", strings.Replace(casesMapping, "rows:\n", "rows:\n  max_per_record: 1\n", 1), header+"\nF,Five,Open\nF,Six,Open\n"))
	w.expect(crowded, "rejected 2") // the second of no key, which is that of the first
	w.expect(w.run(w.correctedRows("matters", casesMapping, marked(crowded, header, []int64{2}, "F,Six,Open"))), "accepted 1")
}

// TestCellsThatASpreadsheetChangedAreNotSent imports rejects in which a spreadsheet turned text into numbers, and
// rejects of which one column was sorted on its own: neither is a correction. Restored zeros, two swapped values and
// rows without marks go in.
func TestCellsThatASpreadsheetChangedAreNotSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	const header = "Ref,Title,Status"
	first := w.run(w.job("matters", casesMapping, header+"\n002,0012,Gone\n003,Three,Gone\n1E5,Four,Gone\n5,12345678901234567,Gone\n"))
	w.expect(first, "rejected 4")
	numbers := w.run(w.correctedRows("matters", casesMapping, marked(first, header, []int64{1, 2, 3, 4}, "2,12,Open", "003,Three,Open", "100000,Four,Open", "005,12345678901234600,Open")))
	w.expect(numbers, "accepted 1, rejected 3")
	if got, want := w.reasons(numbers), "2: digits_lost [002]; 2: digits_lost [0012]; 100000: digits_lost [1E5]; 005: digits_lost [12345678901234567]"; got != want {
		t.Errorf("reasons:\n%s\nwant\n%s", got, want)
	}
	w.expect(w.run(w.correctedRows("matters", casesMapping, marked(first, header, []int64{1, 0, 4}, "002,0012,Open", "100000,Four,Open", "005,12345678901234567,Open"))), "accepted 3")

	// What the row was rejected for is corrected as the person says.
	const numbered = "operation: create_case\nkey: Ref\nfields: {name: Title, number: {column: Status, pattern: '[1-9][0-9]*'}, active: {value: true}, file_template_id: {value: " + template + "}, user_id: {value: " + user + "}}\n"
	padded := w.run(w.job("numbered", numbered, header+"\nN-1,Nine,007\n"))
	w.expect(padded, "rejected 1")
	w.expect(w.run(w.correctedRows("numbered", numbered, marked(padded, header, []int64{1}, "N-1,Nine,7"))), "accepted 1")

	values := w.run(w.job("matters", casesMapping, header+"\nA,Red,Gone\nB,Blue,Gone\nC,Sea,Gone\n"))
	w.expect(values, "rejected 3")
	sorted := w.correctedRows("matters", casesMapping, marked(values, header, []int64{1, 2, 3}, "A,Sea,Open", "B,Red,Open", "C,Blue,Open"))
	if _, err := w.importer().Run(t.Context(), sorted); err == nil || !strings.Contains(err.Error(), `3 cells of the column "Title"`) {
		t.Errorf("a column that was sorted alone: %v", err)
	}
	w.expect(w.run(w.correctedRows("matters", casesMapping, marked(values, header, []int64{1, 2, 0}, "A,Blue,Open", "B,Red,Open", "C,Sea,Open"))), "accepted 3")
	w.onceEach()
}

// TestAnOldRejectDoesNotTakeNewerValuesBack imports an old reject whose record was corrected at its source and sent
// since.
func TestAnOldRejectDoesNotTakeNewerValuesBack(t *testing.T) {
	t.Parallel()
	for name, clock := range map[string]time.Duration{"one clock": 0, "a clock that is behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			oldRejects(t, clock)
		})
	}
}

// oldRejects imports them on a machine whose clock differs by that much from the one on which they were rejected.
func oldRejects(t *testing.T, clock time.Duration) {
	w := newWorld(t, sandbox.Faults{})
	const header = "Ref,Id,Mark,App"
	night := func(text string) ledger.Run {
		t.Helper()
		return w.run(w.job("marks", marksMapping, header+"\nT1,"+mark1+","+text+",018\n"))
	}
	w.expect(night("A"), "accepted 1")
	rejected := night("")
	w.expect(rejected, "rejected 1")
	old := func(of ledger.Run, seq int64, line string) ledger.Run {
		t.Helper()
		i := w.importer()
		i.Now = func() time.Time { return time.Now().Add(clock) }
		run, err := i.Run(t.Context(), w.correctedRows("marks", marksMapping, marked(of, header, []int64{seq}, line)))
		w.must(err)
		return run
	}
	w.expect(old(rejected, 1, "T1,"+mark1+",B,018"), "accepted 1")
	w.expect(old(rejected, 1, "T1,"+mark1+",B,018"), "unchanged 1")
	stale := old(rejected, 1, "T1,"+mark1+",C,018")
	if got := w.reasons(stale); !strings.HasPrefix(got, "T1: sent_since [T1 ") {
		t.Errorf("reasons: %s", got)
	}
	if got := w.reasons(old(stale, 1, "T1,"+mark1+",C,018")); !strings.HasPrefix(got, "T1: sent_since [T1 ") {
		t.Errorf("rejected once more: %s", got)
	}
	if got := w.reasons(old(rejected, 1, "T9,"+mark1+",C,018")); !strings.HasPrefix(got, "T9: sent_since [T1 ") {
		t.Errorf("under another key: %s", got)
	}
	w.expect(old(rejected, 0, "T1,"+mark1+",C,018"), "accepted 1")
}

// TestAFolderIsCreatedOfAllRowsThatWereRejected deletes rows from the rejects of a folder. A folder is created once and
// cannot get them later.
func TestAFolderIsCreatedOfAllRowsThatWereRejected(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	line := func(folder, matter, number string) string {
		return folder + "," + folder + "," + company + "," + matter + "," + number
	}
	head := strings.TrimSpace(foldersHead)
	first := w.run(w.job("folders", foldersMapping, strings.Join([]string{head, line("F", "a", "1"), line("F", "b", "x"), line("F", "c", "3"),
		line("G", "d", "4"), line("G", "e", "4"), line("H", "f", "y"), line("H", "g", "7")}, "\n")+"\n"))
	w.expect(first, "rejected 3")
	again := func(of ledger.Run, seqs []int64, lines ...string) ledger.Run {
		t.Helper()
		return w.run(w.correctedRows("folders", foldersMapping, marked(of, head, seqs, lines...)))
	}
	expect := func(run ledger.Run, want string) {
		t.Helper()
		if got := w.reasons(run); got != want {
			t.Errorf("reasons:\n%s\nwant\n%s", got, want)
		}
		w.onceEach()
	}
	part := again(first, []int64{1, 2}, line("F", "b", "2"), line("G", "d", "4"))
	w.expect(part, "accepted 1, rejected 1") // of two files with one number, one may go
	expect(part, "F: rows_missing [1 3 F]")
	expect(again(part, []int64{1}, line("F", "b", "2")), "F: rows_missing [1 3 F]")
	expect(again(first, []int64{1, 1}, line("F", "a", "1"), line("F", "b", "2")), "F: rows_missing [2 3 F]")
	copied := marked(first, corrected.Columns[1]+","+head, []int64{1, 1, 1}, "row 2,"+line("F", "a", "1"), "row 3,"+line("F", "b", "2"), "row 3,"+line("F", "b", "3"))
	expect(w.run(w.correctedRows("folders", foldersMapping, copied)), "F: rows_missing [2 3 F]")
	moved := again(first, []int64{1, 1, 1, 0}, line("F", "a", "1"), line("I", "b", "2"), line("F", "c", "3"), line("H", "f", "6"))
	w.expect(moved, "accepted 3")
	w.expect(again(first, []int64{3, 3}, line("H", "f", "6"), line("H", "g", "7")), "unchanged 1")
	w.onceEach()

	// Rows of files of one name have one place.
	job := w.job("two", foldersMapping, "")
	job.Inputs = nil
	for _, text := range []string{line("K", "a", "11"), line("K", "b", "x")} {
		dir := t.TempDir()
		path := filepath.Join(dir, "two.csv")
		w.must(os.WriteFile(path, []byte(head+"\n"+text+"\n"), 0o600))
		job.Inputs = append(job.Inputs, rows.Input{Path: path})
	}
	two := w.run(job)
	w.expect(two, "rejected 1")
	place := corrected.Place(two, w.records(two)[0].Rows[1])
	both := marked(two, corrected.Columns[1]+","+head, []int64{1, 1}, place+","+line("K", "a", "11"), place+","+line("K", "b", "12"))
	w.expect(w.run(w.correctedRows("two", foldersMapping, both)), "accepted 1")
}

// TestRejectsAreOfTheirJob imports the rejects of one job with a job of another scope, which would create the record
// again.
func TestRejectsAreOfTheirJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	first := w.run(w.job("matters", casesMapping, "Ref,Title,Status\nM-1,,Open\n"))
	rows := marked(first, "Ref,Title,Status", []int64{1}, "M-1,One,Open")
	_, err := w.importer().Run(t.Context(), w.correctedRows("others", "scope: others\n"+casesMapping, rows))
	if err == nil || !strings.Contains(err.Error(), "row 2 of others.csv was rejected in run matters-1, which is of the job matters") {
		t.Errorf("it is imported: %v", err)
	}
	w.expect(w.run(w.correctedRows("matters", casesMapping, rows)), "accepted 1")
}

// TestARejectThatWasSavedAsCSVKeepsItsValues saves rejects from a workbook as CSV, where days and numbers are text in a
// country's format. A cell that reads as another value is not a correction, unless it is the cell that had to be
// corrected.
func TestARejectThatWasSavedAsCSVKeepsItsValues(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	const header = "Ref,Id,Mark,App,Expires,Seen"
	text := func(s string) string {
		return `<table:table-cell office:value-type="string"><text:p>` + s + `</text:p></table:table-cell>`
	}
	day := func(s string) string {
		return `<table:table-cell office:value-type="date" office:date-value="` + s + `"/>`
	}
	row := func(cells ...string) string {
		return `<table:table-row>` + strings.Join(cells, "") + `</table:table-row>`
	}
	var titles []string
	for _, title := range strings.Split(header, ",") {
		titles = append(titles, text(title))
	}
	const number = `<table:table-cell office:value-type="float" office:value="1.234"/>`
	job := w.job("marks", "dates: [DD/MM/YYYY]\n"+strings.TrimPrefix(marksMapping, "\n")+"  expiry_date: Expires\n", "")
	job.Inputs[0].Path = w.write("marks.ods", string(sourcetest.ODS(t, sourcetest.ODSTable("Marks", row(titles...)+
		row(text("T1"), text("x"), text("A"), number, day("2024-04-03"), day("2024-04-03"))))))
	first := w.run(job)
	w.expect(first, "rejected 1")
	saved := func(line string) ledger.Run {
		t.Helper()
		job := job
		job.Partial, job.Inputs = true, []rows.Input{{Path: w.write("rejects.csv", marked(first, header, []int64{1}, line))}}
		return w.run(job)
	}
	altered := saved("T1," + mark1 + `,A,"1,234",04/03/2024,04/03/2024`)
	if got, want := w.reasons(altered), `T1: reads_otherwise [number 1.234 1,234 "1,234"]; T1: reads_otherwise [date 2024-04-03 04/03/2024 "2024-03-04T00:00:00Z"]`; got != want {
		t.Errorf("reasons:\n%s\nwant\n%s", got, want)
	}
	w.expect(saved("T1,"+mark1+",A,1.234,03/04/2024,04/03/2024"), "accepted 1") // a column that nothing is made of may say what it likes
	w.onceEach()
}

// TestTextsThatASpreadsheetConvertedAreNotSent imports rejects in which a spreadsheet made a date of a text, with the
// month for the day, and a number of a reference, as happens when they are saved as CSV and opened again. A date that is
// read alike, and one that somebody entered, go in.
func TestTextsThatASpreadsheetConvertedAreNotSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sandbox.Faults{})
	const header = "Ref,Id,Mark,App,Expires"
	job := w.job("marks", "dates: [DD/MM/YY, DD/MM/YYYY]\npivot: 50\n"+strings.TrimPrefix(marksMapping, "\n")+"  expiry_date: Expires\n",
		header+"\nT1,x,A,018,03/07/2031\nT2,x,B,\"97,061\",4/07/31\n")
	first := w.run(job)
	w.expect(first, "rejected 2")
	cell := func(s string) string {
		return `<table:table-cell office:value-type="string"><text:p>` + s + `</text:p></table:table-cell>`
	}
	opened := func(number string, days ...string) ledger.Run {
		t.Helper()
		var lines strings.Builder
		for n, line := range strings.Split(marked(first, header, []int64{1, 2}, "T1,"+mark1+",A,018,", "T2,"+mark2+",B,number,"), "\n")[:3] {
			lines.WriteString("<table:table-row>")
			for _, text := range strings.Split(strings.TrimSuffix(line, ","), ",") {
				lines.WriteString(strings.ReplaceAll(cell(text), cell("number"), number))
			}
			if n > 0 {
				lines.WriteString(`<table:table-cell office:value-type="date" office:date-value="` + days[n-1] + `"/>`)
			}
			lines.WriteString("</table:table-row>")
		}
		job := job
		job.Partial, job.Inputs = true, []rows.Input{{Path: w.write("rejects.ods", string(sourcetest.ODS(t, sourcetest.ODSTable("Rejects", lines.String()))))}}
		return w.run(job)
	}
	turned := opened(`<table:table-cell office:value-type="float" office:value="97061"/>`, "2031-03-07", "2031-04-07")
	w.expect(turned, "rejected 2")
	if got, want := w.reasons(turned), "T1: reads_otherwise [03/07/2031 2031-03-07]; T2: digits_lost [97,061]; T2: reads_otherwise [4/07/31 2031-04-07]"; got != want {
		t.Errorf("reasons:\n%s\nwant\n%s", got, want)
	}
	w.expect(opened(cell("97,061"), "2031-07-03", "2032-01-01"), "accepted 2")
}
