package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
)

// guarded is a firm whose marks are exported every night, run with the real command against a sandbox of its own.
type guarded struct {
	t    *testing.T
	dir  string
	box  box
	rows [][]string // the good export, header first
}

// Columns of the export.
const (
	markColumn  = 2
	appColumn   = 3
	filedColumn = 4
	expires     = 5
	notesColumn = 6
)

func newGuarded(t *testing.T, extra string) *guarded {
	t.Helper()
	g := &guarded{t: t, dir: t.TempDir()}
	g.box = startSandbox(t, g.dir)
	g.rows = [][]string{{"Our Ref", "Mark Id", "Mark", "App No", "Filed", "Expires", "Notes"}}
	for n, mark := range sampleMarks(t) {
		day := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 3*n)
		g.rows = append(g.rows, []string{fmt.Sprintf("TM-%04d", n), mark.ID, mark.Text, fmt.Sprintf("%09d", 18_000_000+n),
			day.Format("2006-01-02"), day.AddDate(10, 0, 0).Format("2006-01-02"), fmt.Sprint("renewed by mail, ", strings.Repeat("x", n%5))})
	}
	g.write("marks.yaml", `operation: update_trademark
key: Our Ref
dates: [YYYY-MM-DD]
fields:
  id: Mark Id
  registry_id: {value: `+firstOf(t, "registries")+`}
  mark_text: Mark
  application_number: App No
  application_date: Filed
  expiry_date: Expires
  notes: Notes
  do_not_create_file: {value: true}
`)
	g.write("docketsync.yaml", `service:
  base_url: `+g.box.base+`
  paths: {update_trademark: /v1/firms/trademark}
  subscription_key: {env: NO_KEY, default: key}
  auth_cookie: {env: NO_COOKIE, default: cookie}
`+extra+`
jobs:
  - {name: marks, source: marks.csv, mapping: marks.yaml}
`)
	return g
}

type sampleMark struct {
	ID   string `json:"id"`
	Text string `json:"mark_text"`
}

// sampleMarks are the first hundred marks of the sample firm.
func sampleMarks(t *testing.T) []sampleMark {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "samples", "sandbox.json"))
	if err != nil {
		t.Fatal(err)
	}
	var directory struct{ Trademarks []sampleMark }
	if err := json.Unmarshal(text, &directory); err != nil {
		t.Fatal(err)
	}
	return directory.Trademarks[:100]
}

func (g *guarded) write(name, text string) {
	g.t.Helper()
	if err := os.WriteFile(filepath.Join(g.dir, name), []byte(text), 0o600); err != nil {
		g.t.Fatal(err)
	}
}

// export writes the export, changed.
func (g *guarded) export(change func(rows [][]string) [][]string) {
	rows := make([][]string, len(g.rows))
	for n, row := range g.rows {
		rows[n] = slices.Clone(row)
	}
	var text strings.Builder
	for _, row := range change(rows) {
		text.WriteString(`"` + strings.Join(row, `","`) + "\"\n")
	}
	g.write("marks.csv", text.String())
}

// run carries out a command, which must end with a status, and gives what it said and how many requests it made.
func (g *guarded) run(status int, args ...string) (said string, requests int64) {
	g.t.Helper()
	before := g.box.state(g.t).Requests
	cmd := exec.Command("docketsync", args...)
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = g.dir, environment(), &out, &out
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		g.t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != status {
		g.t.Errorf("docketsync %v ended with %d, want %d:\n%s", args, got, status, &out)
	}
	return out.String(), g.box.state(g.t).Requests - before
}

func good(rows [][]string) [][]string { return rows }

// everyRow changes the rows below the header.
func everyRow(change func(row []string)) func([][]string) [][]string {
	return func(rows [][]string) [][]string {
		for _, row := range rows[1:] {
			change(row)
		}
		return rows
	}
}

// badExports are what goes wrong with an export in a year.
var badExports = []struct {
	name   string
	change func([][]string) [][]string
	says   []string
}{
	{"an empty file", func([][]string) [][]string { return nil },
		[]string{"marks.csv: the file is empty; the last export had 100 rows", "Check that the export completed"}},
	{"a header and nothing else", func(rows [][]string) [][]string { return rows[:1] },
		[]string{"the export has no rows; the last one had 100"}},
	{"half a file", func(rows [][]string) [][]string { return rows[:51] },
		[]string{"rows fell from 100 to 50 (−50 %), where the limit is 20 %", "50 of the last run's 100 records are no longer in the export (50 %)"}},
	{"columns swapped", everyRow(func(row []string) { row[appColumn], row[expires] = row[expires], row[appColumn] }),
		[]string{`the column "App No" has different values: 100 % dates, in the last run 100 % numbers`}},
	{"columns of the same kind swapped", everyRow(func(row []string) { row[filedColumn], row[expires] = row[expires], row[filedColumn] }),
		[]string{"100 of 100 records would be rejected"}},
	{"columns of words swapped", everyRow(func(row []string) { row[markColumn], row[notesColumn] = row[notesColumn], row[markColumn] }),
		[]string{"100 of 100 records are new or changed (100 %), where the limit is 20 %"}},
	{"one column blank", everyRow(func(row []string) { row[notesColumn] = "" }),
		[]string{`the column "Notes" went blank: 0 of 100 cells are filled, in the last run 100 of 100`}},
	{"all dates a day later", everyRow(func(row []string) { later(row, filedColumn); later(row, expires) }),
		[]string{"all dates of 100 records moved by +1 day (100 % of the records), where the limit is 5 %", "100 of 100 records are new or changed"}},
	{"all dates of a tenth of the rows a day later", func(rows [][]string) [][]string {
		for _, row := range rows[1:11] {
			later(row, filedColumn)
			later(row, expires)
		}
		return rows
	}, []string{"all dates of 10 records moved by +1 day (10 % of the records)"}},
	{"a header renamed that the mapping uses", func(rows [][]string) [][]string { rows[0][filedColumn] = "Date of filing"; return rows },
		[]string{`the header changed: "Filed" is gone, "Date of filing" is new`, "The mapping requires what is missing: have it exported again as before, or change the mapping"}},
	{"the header of a strange file", func(rows [][]string) [][]string {
		for n := range rows[0] {
			rows[0][n] = fmt.Sprint("live-cookie-", n)
		}
		return rows
	}, []string{`the header changed: no column of the last run is present: "Our Ref"`}},
	{"a file of NUL bytes", func(rows [][]string) [][]string { rows[20][notesColumn] = "\x00"; return rows },
		[]string{"the file is damaged", "the last export had 100 rows"}},
	{"a column added", func(rows [][]string) [][]string {
		for n := range rows {
			rows[n] = append(rows[n], "Owner")
		}
		return rows
	}, []string{`the header changed: "Owner" is new`}},
	{"headers in another order than their values", func(rows [][]string) [][]string {
		rows[0][filedColumn], rows[0][expires] = rows[0][expires], rows[0][filedColumn]
		return rows
	}, []string{"the columns are in a different order"}},
	{"another file's references", everyRow(func(row []string) { row[0] = "X" + row[0] }),
		[]string{"100 of 100 records are new or changed", "100 of the last run's 100 records are no longer in the export"}},
	{"dates in a form that is not read", everyRow(func(row []string) { row[filedColumn] = strings.ReplaceAll(row[filedColumn], "-", ".") }),
		[]string{"100 of 100 records would be rejected (100 %, in the last run 0 %), where the limit is 10 % more than before"}},
}

func later(row []string, column int) {
	day, err := time.Parse("2006-01-02", row[column])
	if err != nil {
		panic(err) // the rows are made here
	}
	row[column] = day.AddDate(0, 0, 1).Format("2006-01-02")
}

// The drill: one good night, then every bad export is stopped with nothing sent, and the next good one goes through.
func TestBadExportsAreStoppedWithNothingSent(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, "")
	g.export(good)
	if said, requests := g.run(exit.AllIn, "run"); requests != 100 {
		t.Fatalf("the first night made %d requests, want 100:\n%s", requests, said)
	}
	for _, bad := range badExports {
		g.export(bad.change)
		said, requests := g.run(exit.Stopped, "run", "marks")
		if requests != 0 {
			t.Errorf("%s: %d requests were made", bad.name, requests)
		}
		if strings.Contains(said, "live-cookie") {
			t.Errorf("%s: the file is quoted:\n%s", bad.name, said)
		}
		for _, want := range append(bad.says, "Stopped by a guard: ") {
			if !strings.Contains(said, want) {
				t.Errorf("%s: %q is not said:\n%s", bad.name, want, said)
			}
		}
		planned := !strings.Contains(said, "The export could not be used.")
		if strings.Contains(said, "    docketsync run marks --accept-guard\n") != planned {
			t.Errorf("%s: nobody is told what to do:\n%s", bad.name, said)
		}
		_, path, _ := strings.Cut(said, "report: ")
		path, _, _ = strings.Cut(path, "\n")
		if text, err := os.ReadFile(filepath.Join(g.dir, path)); err != nil || !strings.Contains(string(text), "Stopped by a guard") {
			t.Errorf("%s: no report says it: %v", bad.name, err)
		}
	}
	if listed, _ := g.run(exit.AllIn, "runs"); strings.Count(listed, "stopped (guard)") != len(badExports) {
		t.Errorf("of %d stopped runs the list is\n%s", len(badExports), listed)
	}
	g.export(good)
	if said, requests := g.run(exit.AllIn, "run"); requests != 0 || !strings.Contains(said, "nothing has changed") {
		t.Errorf("the next good night made %d requests:\n%s", requests, said)
	}
}

// What is not the export's fault is no guard's matter, and a run says so all the same: otherwise the newest that anybody sees is
// that of the last good night.
func TestARunThatCouldNotBeMadeIsListedAndReported(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, "")
	g.run(exit.CouldNotRun, "run") // a first night without a file
	g.export(func([][]string) [][]string { return nil })
	g.run(exit.CouldNotRun, "run") // an empty file has no former one to be compared with
	g.export(good)
	g.run(exit.AllIn, "run")
	mapping, err := os.ReadFile(filepath.Join(g.dir, "marks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	g.write("marks.yaml", strings.ReplaceAll(string(mapping), "notes: Notes", "notes: Remarks"))
	said, requests := g.run(exit.Usage, "run") // the mapping asks for what no export has had
	if requests != 0 || !strings.Contains(said, `the file has no column "Remarks"`) {
		t.Errorf("%d requests:\n%s", requests, said)
	}
	_, path, _ := strings.Cut(said, "report: ")
	path, _, _ = strings.Cut(path, "\n")
	if text, err := os.ReadFile(filepath.Join(g.dir, path)); err != nil || !strings.Contains(string(text), "Remarks") {
		t.Errorf("no report says it: %v", err)
	}
	if listed, _ := g.run(exit.AllIn, "runs"); strings.Count(listed, "stopped (input)") != 3 {
		t.Errorf("of three runs that could not be made the list is\n%s", listed)
	}
}

// What somebody has looked at is let through, that and nothing else, and the ledger knows on whose word.
// TestAFileIsNoWayPastAGuard sends the export that guards stopped with --file, which is stopped as well until somebody lets it through.
func TestAFileIsNoWayPastAGuard(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, "")
	g.export(good)
	g.run(exit.AllIn, "run")
	g.export(everyRow(func(row []string) { later(row, filedColumn); later(row, expires) }))
	g.run(exit.Stopped, "run")
	said, requests := g.run(exit.Stopped, "run", "marks", "--file", "marks.csv")
	if requests != 0 || !regexp.MustCompile(`run marks --file \S*marks\.csv --accept-guard`).MatchString(said) {
		t.Errorf("the file made %d requests:\n%s", requests, said)
	}
	if said, requests := g.run(exit.AllIn, "run", "marks", "--file", "marks.csv", "--accept-guard"); requests != 100 {
		t.Errorf("the file that was let through made %d requests, want 100:\n%s", requests, said)
	}
}

// TestAFileIsGuardedAsItsJob sends rows of no whole export with --file: the guards that need none to compare with stop them, until somebody lets them through.
func TestAFileIsGuardedAsItsJob(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, "")
	g.export(func(rows [][]string) [][]string {
		for n, row := range rows[1:] { // days that could be months
			row[filedColumn], row[expires] = fmt.Sprintf("2020-%02d-%02d", n%5+1, n%5+6), ""
		}
		return rows
	})
	g.write("docketsync.yaml", strings.Replace(g.read("docketsync.yaml"), "mapping: marks.yaml}", "mapping: marks.yaml, guards: {days_swapped: 4}}", 1))
	g.run(exit.AllIn, "run")
	whole := g.read("marks.csv")
	some := func(change func(n int, row []string)) {
		t.Helper()
		lines := strings.Split(whole, "\n")[:6]
		for n, line := range lines[1:] {
			row := strings.Split(strings.Trim(line, `"`), `","`)
			change(n, row)
			lines[n+1] = `"` + strings.Join(row, `","`) + `"`
		}
		g.write("some.csv", strings.Join(lines, "\n")+"\n")
	}
	stopped := func(why string) {
		t.Helper()
		if said, requests := g.run(exit.Stopped, "run", "marks", "--file", "some.csv"); requests != 0 || !strings.Contains(said, why) {
			t.Errorf("%d requests, not for %q:\n%s", requests, why, said)
		}
	}
	ids := []string{g.rows[2][1], g.rows[1][1]}
	some(func(n int, row []string) {
		if n < 2 {
			row[1] = ids[n]
		}
	})
	stopped("2 records have another id in the service")
	some(func(n int, row []string) { row[filedColumn] = fmt.Sprintf("2020-%02d-%02d", n%5+6, n%5+1) })
	stopped("in 5 records only dates changed, with day and month swapped, where the limit is 4")
	some(func(int, []string) {})
	g.write("marks.yaml", "scope: matters\n"+g.read("marks.yaml"))
	stopped(`the scope of the mapping is "matters", and was "update_trademark" in the last run`)
	if said, requests := g.run(exit.AllIn, "run", "marks", "--file", "some.csv", "--accept-guard"); requests != 5 {
		t.Errorf("what was let through made %d requests:\n%s", requests, said)
	}
	if said, requests := g.run(exit.Stopped, "run"); requests != 0 || !strings.Contains(said, "the scope of the mapping") {
		t.Errorf("the export under another scope than the last one made %d requests:\n%s", requests, said)
	}
}

func TestAcceptGuardLetsThroughWhatWasSeen(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, "")
	g.export(good)
	g.run(exit.AllIn, "run")
	shifted := everyRow(func(row []string) { later(row, filedColumn); later(row, expires) })

	g.export(shifted)
	if said, requests := g.run(exit.Stopped, "run", "marks", "--accept-guard"); requests != 0 {
		t.Errorf("what nobody has seen was let through:\n%s", said)
	}
	g.export(func(rows [][]string) [][]string { return shifted(rows)[:61] })
	if said, requests := g.run(exit.Stopped, "run", "marks", "--accept-guard"); requests != 0 || !strings.Contains(said, "this is not what stopped the job before") {
		t.Errorf("another export than the one that was seen made %d requests:\n%s", requests, said)
	}
	g.export(shifted)
	g.run(exit.Stopped, "run")
	said, requests := g.run(exit.AllIn, "run", "marks", "--accept-guard", "--json")
	if requests != 100 {
		t.Errorf("the export that was let through made %d requests, want 100:\n%s", requests, said)
	}
	var answer struct {
		Runs []struct {
			Run struct {
				Guards []struct{ Name string }
				Passed struct {
					By, Run string
					At      time.Time
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(said[strings.Index(said, "{"):]), &answer); err != nil || len(answer.Runs) != 1 {
		t.Fatalf("%v:\n%s", err, said)
	}
	run := answer.Runs[0].Run
	if run.Passed.By == "" || run.Passed.Run == "" || run.Passed.At.IsZero() || len(run.Guards) != 2 {
		t.Errorf("the run does not say who let it through:\n%s", said)
	}
	if said, requests := g.run(exit.AllIn, "run"); requests != 0 {
		t.Errorf("the night after made %d requests:\n%s", requests, said)
	}
	if said, _ := g.run(exit.Usage, "run", "--accept-guard"); !strings.Contains(said, "--accept-guard needs the names of the jobs") {
		t.Error(said)
	}
}

// plan and check tell which guards would fire; corrected rejects are no export.
func TestPlanAndCheckTellOfGuardsAndFilesAreNoExports(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, "")
	g.export(good)
	g.run(exit.AllIn, "run")
	g.export(func(rows [][]string) [][]string { return rows[:51] })
	for _, command := range []string{"plan", "check"} {
		said, requests := g.run(exit.AllIn, command, "marks")
		if requests != 0 || !strings.Contains(said, "guards would stop a run: rows fell from 100 to 50") {
			t.Errorf("%s does not tell of the guard:\n%s", command, said)
		}
		if !strings.Contains(said, "vanished: 50 records of the last run are no longer in the export") {
			t.Errorf("%s does not tell what vanished:\n%s", command, said)
		}
	}
	few := filepath.Join(g.dir, "few.csv")
	g.export(func(rows [][]string) [][]string {
		for _, row := range rows[1:4] {
			row[notesColumn] = "corrected"
		}
		return rows[:4]
	})
	if err := os.Rename(filepath.Join(g.dir, "marks.csv"), few); err != nil {
		t.Fatal(err)
	}
	if said, requests := g.run(exit.AllIn, "run", "marks", "--file", few); requests != 3 || strings.Contains(said, "vanished") {
		t.Errorf("three corrected rows made %d requests:\n%s", requests, said)
	}
	g.export(func(rows [][]string) [][]string { return rows[:51] })
	if said, requests := g.run(exit.Stopped, "run"); requests != 0 || !strings.Contains(said, "rows fell from 100 to 50") {
		t.Errorf("three corrected rows count as an export:\n%s", said)
	}
}

func TestGuardsAreSwitchedOffByConfiguration(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, "guards: {rows_fell: off, vanished: 60%}")
	g.export(good)
	g.run(exit.AllIn, "run")
	g.export(func(rows [][]string) [][]string { return rows[:51] })
	said, requests := g.run(exit.AllIn, "run")
	if requests != 0 || !strings.Contains(said, "no longer in the export: ") {
		t.Errorf("%d requests:\n%s", requests, said)
	}
	lists, err := filepath.Glob(filepath.Join(g.dir, "reports", "*", "vanished.csv"))
	if err != nil || len(lists) != 1 {
		t.Fatalf("lists of what vanished: %v %v", lists, err)
	}
	text, err := os.ReadFile(lists[0])
	if err != nil || strings.Count(string(text), "TM-") != 50 || !strings.Contains(string(text), "TM-0099") {
		t.Errorf("%v: the list is\n%s", err, text)
	}
}

// What the service refused at an address that was a mistake is sent again as soon as that is corrected. Of a few records nothing stops the run.
func TestWhatAWrongPathRefusedIsSentWhenThePathIsCorrected(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, "")
	g.export(func(rows [][]string) [][]string { return rows[:3] })
	right := g.read("docketsync.yaml")
	wrong := strings.Replace(right, "/v1/firms/trademark", "/v1/firms/marks", 1)
	g.write("docketsync.yaml", wrong)
	g.run(exit.Rejects, "run")
	if said, requests := g.run(exit.Rejects, "run"); requests != 0 || !strings.Contains(said, "--retry-refused") {
		t.Errorf("at the wrong path %d requests were made again:\n%s", requests, said)
	}
	g.write("docketsync.yaml", right)
	if said, requests := g.run(exit.AllIn, "run"); requests != 2 {
		t.Errorf("at the right path %d requests were made:\n%s", requests, said)
	}
}

// Rows that waited for an id go in with the next run, as the run says, however many they are.
func TestRowsThatWaitedForAnIDAreNoChangeOfTheExport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeCrashFirm(t, dir, startSandbox(t, dir), 0)
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	owner, rows := firstOf(t, "users"), "Ref,Title,Owner\n"
	for n := range 40 {
		rows += fmt.Sprintf("M-%05d,Case %d,%s\n", n, n, []string{"AB", "CD", "AB"}[n%3])
	}
	write("cases.csv", rows)
	write("cases.yaml", `operation: create_case
key: Ref
fields:
  name: Title
  number: Ref
  active: {value: true}
  file_template_id: {value: `+firstOf(t, "templates")+`}
  user_id: {column: Owner, lookup: owners}
lookups: {owners: owners.csv}
`)
	write("owners.csv", "Name,Id\nAB,"+owner+"\n")
	if code, out := command(t, dir, "run"); code != exit.Rejects || !strings.Contains(out, "The next run sends the rows") {
		t.Fatalf("the first run ended with %d:\n%s", code, out)
	}
	write("owners.csv", "Name,Id\nAB,"+owner+"\nCD,"+owner+"\n")
	if code, out := command(t, dir, "run"); code != exit.AllIn {
		t.Errorf("the next run ended with %d:\n%s", code, out)
	}
}
