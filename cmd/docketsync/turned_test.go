package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"docketsync/cmd/docketsync/internal/exit"
)

// TestTurnedDatesStop imports an export that was opened and saved where the month comes first: what could be a date there is a
// date cell of another day now, the rest is text. One date was typed in afterwards. A column that no date is read from does not
// matter.
func TestTurnedDatesStop(t *testing.T) {
	t.Parallel()
	const stated, proven, unread = "dates: [DD/MM/YYYY]", "dates: proven", "scope: unread"
	for _, c := range []struct {
		name, mapping, field string
		code                 int
		says                 string
	}{
		{"patterns that are stated", stated, "application_date: Filed", exit.Usage, `marks.yaml:13:`},
		{"where they are", stated, "application_date: Filed", exit.Usage,
			"marks.xlsx, sheet Sheet1, column B: all but 1 of its date cells fall on days 1 to 12 of a month, and all of its dates stored as text contain a number above 12, as in row 23"},
		{"how to go on", stated, "application_date: Filed", exit.Usage, "set dates_turned: accept in the mapping"},
		{"patterns that the column has to prove", proven, "application_date: Filed", exit.Usage, `the column "Filed": all but 1 of its date cells fall on days 1 to 12`},
		{"an expression", stated, `application_date: {expr: 'row["Filed"]'}`, exit.Usage, "column B"},
		{"a date in an expression", stated, `notes: {expr: 'date(row["Filed"], "DD/MM/YYYY")'}`, exit.Usage, "column B"},
		{"a date as text", stated, `notes: {column: Filed, date_as: DD/MM/YYYY}`, exit.Usage, "column B"},
		{"dates that are right", stated + "\ndates_turned: accept", "application_date: Filed", exit.AllIn, "All 25 marks would be imported"},
		{"proven dates that are right", proven + "\ndates_turned: accept", "application_date: Filed", exit.AllIn, "All 25 marks would be imported"},
		{"dates of a field that are right", stated, "application_date: {column: Filed, dates_turned: accept}", exit.AllIn, "All 25 marks would be imported"},
		{"a column that is not read", unread, "notes: Mark", exit.AllIn, "All 25 marks would be imported"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeTurned(t, filepath.Join(dir, "marks.xlsx"))
			write(t, dir, "docketsync.yaml", "service: {base_url: sandbox, paths: {update_trademark: /v1/firms/trademark}}\nsandbox: {data: \"\"}\njobs: [{name: marks, source: marks.xlsx, mapping: marks.yaml}]\n")
			write(t, dir, "marks.yaml", "operation: update_trademark\nkey: Ref\n"+c.mapping+`
# The sandbox does not know these marks; nothing is sent here.
fields:
  id: {expr: '"00000000-0000-4000-8000-" + padLeft(row["Ref"], 12, "0")'}
  registry_id: {value: 00000000-0000-4000-8000-000000000002}
  mark_text: Mark
  application_number: Ref
  do_not_create_file: {value: true}

  # The field in question.
  `+c.field+"\n")
			endsBeforeSending(t, dir, c.code, c.says)
		})
	}
}

// TestKeysThatCountTheRowsStop imports what pandas' to_csv writes, by the numbers of its rows.
func TestKeysThatCountTheRowsStop(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, head, key, number string
		code                    int
		says                    string
	}{
		{"as key", ",Name", "'@A'", "Name", exit.Usage, "cases.yaml:2:6: cases.csv, the column @A counts the rows of the export, and the mapping reads it\n"},
		{"as reference", ",Name", "Name", "'@A'", exit.Usage, "cases.yaml:5:11: cases.csv, the column @A counts the rows"},
		{"the numbers of records", "No,Name", "No", "No", exit.AllIn, "All 3 matters would be imported"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "cases.csv", c.head+"\n0,A\n1,B\n2,C\n")
			write(t, dir, "docketsync.yaml", "service: {base_url: sandbox}\nsandbox: {data: \"\"}\njobs: [{name: cases, source: cases.csv, mapping: cases.yaml}]\n")
			write(t, dir, "cases.yaml", "operation: create_case\nkey: "+c.key+"\nfields:\n  name: Name\n  number: "+c.number+`
  active: {value: true}
  file_template_id: {value: 00000000-0000-4000-8000-000000000001}
  user_id: {value: 00000000-0000-4000-8000-000000000002}
  client_id: {value: 00000000-0000-4000-8000-000000000003}
`)
			endsBeforeSending(t, dir, c.code, c.says)
		})
	}
}

// TestNumbersWithoutTheirZerosStop imports references of four decimals of which one has three. What is not found by them may have fewer, and whole numbers
// among them may be whole.
func TestNumbersWithoutTheirZerosStop(t *testing.T) {
	t.Parallel()
	const kept = "{column: Ref, rounded: keep}"
	for _, c := range []struct {
		name, key, number, ref string // the last one
		code                   int
		says                   string
	}{
		{"a reference", "Ref", "Ref", "3.003", exit.Usage, "cases.yaml:2:6: cases.csv, column A: most numbers have 4 decimals, and these have fewer: zeros at their ends may have been lost; the numbers stand in row 14"},
		{"in a field alone", "Name", "Ref", "3.003", exit.Usage, "cases.yaml:5:"},
		{"in an expression", "Name", `{expr: 'row["Ref"] + "/1"'}`, "3.003", exit.Usage, "set rounded: keep for number"},
		{"digits that became zeros", "Ref", "Name", "1234567890123450,A\n1234567890123460,B\n1234567890123470", exit.Usage, "column A: all numbers of more than 15 digits have zeros behind these"},
		{"that is whole", kept, kept, "3.003", exit.AllIn, "All 13 matters would be imported"},
		{"that nothing is found by", "Name", "Name", "3.003", exit.AllIn, "All 13 matters would be imported"},
		{"a whole number", "Ref", "Ref", "3", exit.AllIn, "All 13 matters would be imported"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			text := "Ref,Name\n"
			for n := range 12 {
				text += fmt.Sprintf("3.%04d,Matter %d\n", 11+n*10, n)
			}
			write(t, dir, "cases.csv", text+c.ref+",Last\n")
			write(t, dir, "docketsync.yaml", "service: {base_url: sandbox}\nsandbox: {data: \"\"}\njobs: [{name: cases, source: cases.csv, mapping: cases.yaml}]\n")
			write(t, dir, "cases.yaml", "operation: create_case\nkey: "+c.key+"\nfields:\n  name: Name\n  number: "+c.number+`
  active: {value: true}
  file_template_id: {value: 00000000-0000-4000-8000-000000000001}
  user_id: {value: 00000000-0000-4000-8000-000000000002}
  client_id: {value: 00000000-0000-4000-8000-000000000003}
`)
			for _, name := range []string{"check", "plan"} {
				if code, out := command(t, dir, name); code != c.code || !strings.Contains(out, c.says) {
					t.Errorf("%s ended with %d:\n%s", name, code, out)
				}
			}
		})
	}
}

// endsBeforeSending makes a check and a plan, and a run where that has to stop too.
func endsBeforeSending(t *testing.T, dir string, want int, says string) {
	t.Helper()
	names := []string{"check", "plan"}
	if want == exit.Usage {
		names = append(names, "run")
	}
	for _, name := range names {
		if code, out := command(t, dir, name); code != want || !strings.Contains(out, says) {
			t.Errorf("%s ended with %d:\n%s", name, code, out)
		}
	}
}

// writeTurned writes 20 date cells of days up to 12, one of a later day, and four texts.
func writeTurned(t *testing.T, path string) {
	t.Helper()
	book := excelize.NewFile()
	defer book.Close()
	rows := [][]any{{"Ref", "Filed", "Mark"}}
	for n := range 21 {
		day := n%11 + 2 // of the first of a month excelize shows the month alone
		if n == 20 {
			day = 28
		}
		rows = append(rows, []any{fmt.Sprint(n + 1), time.Date(2020, time.Month(n%12+1), day, 0, 0, 0, 0, time.UTC), "SOL"})
	}
	for n := range 4 {
		rows = append(rows, []any{fmt.Sprint(n + 22), fmt.Sprintf("%d/03/2021", n+13), "SOL"})
	}
	for n, row := range rows {
		if err := book.SetSheetRow("Sheet1", fmt.Sprintf("A%d", n+1), &row); err != nil {
			t.Fatal(err)
		}
	}
	if err := book.SaveAs(path); err != nil {
		t.Fatal(err)
	}
}

// TestTurnedDatesInTextStop imports such an export that was saved as CSV: the turned dates have the form of the spreadsheet program,
// the others that of the export. Where an older part of the rows has another form, both have days up to 12.
func TestTurnedDatesInTextStop(t *testing.T) {
	t.Parallel()
	const stops = `"%s" (row 2 of marks.csv) fall on days 1 to 12 of a month, and all of those like "%s" (row 14 of marks.csv) contain a number above 12`
	const iso, slashed, dotted, american = "2006-01-02", "02/01/2006", "02.01.2006", "01/02/2006"
	for _, c := range []struct {
		name, early, late, more string // layouts of days up to 12, which are the turned ones, and of others; and more dates
		field                   string
		code                    int
		says                    string
	}{
		{"patterns that are stated", iso, slashed, "", "{column: Filed, dates: [YYYY-MM-DD, DD/MM/YYYY]}", exit.Usage, "marks.yaml:10:21: the column \"Filed\": all of its dates written like " + fmt.Sprintf(stops, "2015-01-01", "13/01/2015")},
		{"patterns that the column has to prove", iso, slashed, "", "{column: Filed, dates: proven}", exit.Usage, fmt.Sprintf(stops, "2015-01-01", "13/01/2015")},
		{"the month first, opened where the day is", dotted, american, "", "{column: Filed, dates: [DD.MM.YYYY, MM/DD/YYYY]}", exit.Usage, fmt.Sprintf(stops, "01.01.2015", "01/13/2015")},
		{"the others in the wrong order", iso, slashed, "", "{column: Filed, dates: [YYYY-MM-DD, MM/DD/YYYY]}", exit.Usage, fmt.Sprintf(stops, "2015-01-01", "13/01/2015")},
		{"the others not read", iso, slashed, "", "Filed", exit.Usage, fmt.Sprintf(stops, "2015-01-01", "13/01/2015")},
		{"an expression", iso, slashed, "", `{expr: 'date(row["Filed"], "YYYY-MM-DD", "DD/MM/YYYY")'}`, exit.Usage, "what date() reads in this expression: all of its dates"},
		{"how to go on", iso, slashed, "", "{column: Filed, dates: proven}", exit.Usage, "set dates_turned: accept in the mapping"},
		{"one later day among few", iso, slashed, " 2015-01-20", "{column: Filed, dates: proven}", exit.AllIn, "marks would be imported"},
		{"accepted", iso, slashed, "", "{column: Filed, dates: proven, dates_turned: accept}", exit.AllIn, "All 25 marks would be imported"},
		{"two forms that are right", iso, slashed, " 04/01/2009 2015-01-20", "{column: Filed, dates: proven}", exit.AllIn, "All 27 marks would be imported"},
		{"few dates of the later form are before the 13th", iso, slashed, " 04/01/2009 05/02/2009", "{column: Filed, dates: proven}", exit.AllIn, "All 27 marks would be imported"},
		{"names of months beside numbers", iso, "2 Jan 2006", "", "{column: Filed, dates: [YYYY-MM-DD, D MMM YYYY]}", exit.AllIn, "All 25 marks would be imported"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			rows := "Ref,Filed\n"
			for n := range 25 {
				layout := c.early
				if n >= 12 {
					layout = c.late
				}
				rows += fmt.Sprintf("%d,%s\n", n+1, time.Date(2015, 1, n+1, 0, 0, 0, 0, time.UTC).Format(layout))
			}
			for n, date := range strings.Fields(c.more) {
				rows += fmt.Sprintf("%d,%s\n", n+26, date)
			}
			writeMarks(t, dir, rows, c.field)
			endsBeforeSending(t, dir, c.code, c.says)
		})
	}
}

// TestDatesOfAnotherOrderStop imports a file in which the month comes first by a mapping that says the day does, and one whose dates are as
// declared but for a few: 03/04/2017 must not become another day while 08/24/2017 is only rejected.
func TestDatesOfAnotherOrderStop(t *testing.T) {
	t.Parallel()
	const stops = "seems to have day and month the other way round: "
	for _, c := range []struct {
		name, field, dates string
		code               int
		says               string
	}{
		{"the month first", "{column: Filed, dates: DD/MM/YYYY}", "08/24/2017 03/04/2017", exit.Usage,
			"marks.yaml:10:21: the column \"Filed\" " + stops + "1 of its dates can only be read that way, such as \"08/24/2017\" in row 2 of marks.csv, and 0 only as declared; 1 can be read both ways, as different dates"},
		{"the day first", "{column: Filed, dates: MM/DD/YYYY}", "24/08/2017 03/04/2017", exit.Usage, stops},
		{"with a time, and years of two digits", "{column: Filed, dates: DD.MM.YY hh:mm, pivot: 50, zone: UTC}", "08.24.17|10:15 03.04.17|10:15", exit.Usage, stops},
		{"nothing that both orders read", "{column: Filed, dates: DD/MM/YYYY}", "08/24/2017 03/03/2017", exit.Rejects, "1 row needs correcting"},
		{"one in twenty", "{column: Filed, dates: DD/MM/YYYY}", strings.Repeat("24/08/2017 ", 20) + "08/24/2017 03/04/2017", exit.Rejects, "1 row needs correcting"},
		{"one in nineteen", "{column: Filed, dates: DD/MM/YYYY}", strings.Repeat("24/08/2017 ", 19) + "08/24/2017 03/04/2017", exit.Usage, stops},
		{"days that are none", "{column: Filed, dates: DD/MM/YYYY}", "31/02/2017 00/00/0000 03/04/2017", exit.Rejects, "2 rows need correcting"},
		{"names of months prove nothing of the others", "{column: Filed, dates: [DD/MM/YYYY, D MMM YYYY]}", strings.Repeat("24|Aug|2017 ", 30) + "08/24/2017 03/04/2017", exit.Usage, stops},
		{"dates behind a year prove nothing of the others", "{column: Filed, dates: [DD/MM/YYYY, YYYY-MM-DD]}", strings.Repeat("2017-08-24 ", 30) + "08/24/2017 03/04/2017", exit.Usage, stops},
		{"a sheet of rejects", "{column: Filed, dates: DD/MM/YYYY}", "08/24/2017 03/04/2017", exit.Rejects, "1 row needs correcting"},
		{"read by an expression", `{expr: 'date(row["Filed"], "DD/MM/YYYY")'}`, "08/24/2017 03/04/2017", exit.Usage,
			"marks.yaml:10:21: what date() reads in this expression " + stops + "1 of its dates can only be read that way, such as \"08/24/2017\" in row 2 of marks.csv"},
		{"read by an expression, and accepted", `{expr: 'date(row["Filed"], "DD/MM/YYYY")', dates_turned: accept}`, "08/24/2017 03/04/2017", exit.Rejects, "1 row needs correcting"},
		{"read by a filter", "Filed\nrows:\n  skip: 'date(row[\"Filed\"], \"DD/MM/YYYY\") < \"2017-04-01\"'\ndates: DD/MM/YYYY", "08/24/2017 03/04/2017", exit.Usage, "what date() reads"},
		{"accepted", "{column: Filed, dates: DD/MM/YYYY, dates_turned: accept}", "08/24/2017 03/04/2017", exit.Rejects, "1 row needs correcting"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			rows := "Ref,Filed\n"
			for n, date := range strings.Fields(c.dates) {
				rows += fmt.Sprintf("%d,%s\n", n+1, strings.ReplaceAll(date, "|", " "))
			}
			if c.name == "a sheet of rejects" {
				rows = "docketsync: reasons,docketsync: row,docketsync: cells,docketsync: record," + strings.ReplaceAll(rows, "\n", "\n,,,,")
				rows = strings.TrimSuffix(rows, ",,,,")
			}
			writeMarks(t, dir, rows, c.field)
			endsBeforeSending(t, dir, c.code, c.says)
		})
	}
}

// writeMarks sets up a job that updates marks. field is what its mapping says of the date.
func writeMarks(t *testing.T, dir, rows, field string) {
	t.Helper()
	write(t, dir, "marks.csv", rows)
	write(t, dir, "docketsync.yaml", "service: {base_url: sandbox, paths: {update_trademark: /v1/firms/trademark}}\nsandbox: {data: \"\"}\njobs: [{name: marks, source: marks.csv, mapping: marks.yaml}]\n")
	write(t, dir, "marks.yaml", `operation: update_trademark
key: Ref

fields:
  id: {expr: '"00000000-0000-4000-8000-" + padLeft(row["Ref"], 12, "0")'}
  registry_id: {value: 00000000-0000-4000-8000-000000000002}
  mark_text: {value: SOL}
  application_number: Ref
  do_not_create_file: {value: true}
  application_date: `+field+"\n")
}
