package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/browsertest"
)

// morningFirm is a firm on the morning after a bad night: of its matters, rows were rejected for three causes and two are in
// doubt, one of which is there and one is not; and its marks were stopped by a guard.
func morningFirm(t *testing.T) (dir string, b box) {
	t.Helper()
	g := newGuarded(t, consoleUsers(""))
	dir, b = g.dir, g.box
	g.write("cases.yaml", `operation: create_case
key: Ref
fields:
  name: Title
  number: Ref
  active: {column: Status, values: {Open: true, Closed: false}}
  file_template_id: {value: `+firstOf(t, "templates")+`}
  user_id: {column: Owner, lookup: owners}
lookups:
  owners: {inline: {Ann: `+firstOf(t, "users")+`}}
`)
	appendConfig(t, dir, "  - {name: cases, source: cases.csv, mapping: cases.yaml}\n")
	const header = "Ref,Title,Status,Owner\n"
	g.write("cases.csv", header+"M-00001,There after all,Open,Ann\n")
	b.misbehave(t, "drop_after=1")
	g.run(exit.InDoubt, "run", "cases")
	g.write("cases.csv", header+"M-00001,There after all,Open,Ann\nM-00002,Never came,Open,Ann\n")
	b.misbehave(t, "drop_before=1")
	g.run(exit.InDoubt, "run", "cases")
	b.behave(t)
	g.write("cases.csv", header+morningRows("", "Opne", "Anna"))
	g.export(good)
	g.run(exit.InDoubt, "run", "marks", "cases")
	g.export(everyRow(func(row []string) { row[markColumn] += " II" }))
	g.run(exit.Stopped, "run", "marks")
	return dir, b
}

// morningRows are the matters of the firm, three of which have the given title, status and owner.
func morningRows(title, status, owner string) string {
	return `M-00001,There after all,Open,Ann
M-00002,Never came,Open,Ann
M-00003,Good one,Open,Ann
M-00004,` + title + `,Open,Ann
M-00005,Wrong status,` + status + `,Ann
M-00006,Wrong owner,Open,` + owner + `
M-00007,Good too,Closed,Ann
`
}

// TestConsoleIsAllAnOperatorNeedsInTheMorning is an operator's morning: after a bad night, by the pages of the console and a
// spreadsheet alone, everything goes in, and nothing twice.
func TestConsoleIsAllAnOperatorNeedsInTheMorning(t *testing.T) {
	t.Parallel()
	dir, b := morningFirm(t)
	acted := b.state(t)
	if acted.Cases != 3 {
		t.Fatalf("after the night, %d cases are there", acted.Cases)
	}
	c := startConsole(t, dir)
	tab := c.signedIn("Ines", operatorPassword)
	if got := tab.Text("h1"); !strings.HasPrefix(got, "marks needs attention: stopped by a guard: ") || !strings.HasSuffix(got, "; 1 other job does too.") {
		t.Errorf("the morning begins with %q", got)
	}
	if got := tab.Eval(`[...new Set([...document.querySelectorAll(".job.person")].map(e => getComputedStyle(e).display))]`); got != "list-item" {
		t.Errorf("the jobs that need a person are laid out as %q, not below one another", got)
	}
	tab.Look("morning")

	// What needs correcting.
	tab.Go(c.base + "/jobs/cases")
	tab.Press(`a.way`)
	if got := tab.Count(".causes li"); got != "3" && got != "4" { // what is in doubt is a cause, too
		t.Errorf("the run shows %s causes:\n%s", got, tab.Text("main"))
	}
	tab.Look("morning-run")
	rejects := correctRows(t, download(t, tab, `a[href$="/rejects.xlsx"]`), map[string]map[string]string{
		"M-00004": {"Title": "Now it has one"}, "M-00005": {"Status": "Open"}, "M-00006": {"Owner": "Ann"},
	})
	tab.Press(`a.way[href$="#upload"]`)
	tab.Upload(`input[type=file]`, rejects)
	tab.Press(`#upload button`)
	atRest(tab)
	tab.Press(`form[action$="/carry-out"] button`)
	atRest(tab)
	if got := tab.Text("h1"); !strings.Contains(got, "2 records of earlier runs are still in doubt.") {
		t.Errorf("after the upload, the job says %q", got)
	}

	// What is in doubt: the operator looks it up in the service.
	tab.Go(c.base + "/doubts")
	if got := tab.Text("h1"); got != "2 records in doubt." {
		t.Errorf("the page says %q", got)
	}
	for n := range 2 {
		key := tab.Eval(fmt.Sprintf(`document.querySelector("input[name=key-%d]").value`, n))
		decision, id := "absent", ""
		for _, held := range b.snapshot(t).Cases {
			if held.Number == key {
				decision, id = "exists", held.ID
			}
		}
		tab.Eval(fmt.Sprintf(`document.querySelector("input[name=decision-%d][value=%s]").click()`, n, decision))
		tab.Fill(fmt.Sprintf(`input[name="id-%d"]`, n), id)
	}
	tab.Press(".submit button")
	tab.Eval(`document.querySelector("input[name=confirmed]").click()`)
	tab.Press("form.decision button")
	if got := tab.Text("h1"); got != "Nothing is in doubt." {
		t.Errorf("after the decisions, the page says %q", got)
	}

	// What a guard stopped.
	tab.Go(c.base + "/jobs/marks")
	tab.Press(`a.way`)
	tab.Eval(`document.querySelector("input[name=confirmed]").click()`)
	tab.Press("form.decision button")
	atRest(tab)
	if got := tab.Text("h1"); !strings.Contains(got, "No problems") {
		t.Errorf("what was let through: %q", got)
	}

	// The three rows have been corrected where they come from, too, and the job is run once more for what was not there.
	if err := os.WriteFile(filepath.Join(dir, "cases.csv"), []byte("Ref,Title,Status,Owner\n"+morningRows("Now it has one", "Open", "Ann")), 0o600); err != nil {
		t.Fatal(err)
	}
	tab.Go(c.base + "/jobs/cases")
	planAndSend(tab)
	atRest(tab)
	tab.Go(c.base + "/")
	if got := tab.Text("h1"); got != "Nothing needs attention." {
		t.Errorf("the morning ends with %q:\n%s", got, tab.Text("main"))
	}
	tab.Look("morning-after")

	// The sandbox's own books.
	s := b.state(t)
	if s.Cases != 7 || len(s.Repeated) > 0 || s.Trademarks != 100 {
		t.Errorf("the sandbox holds %d cases and %d marks, and twice %v", s.Cases, s.Trademarks, s.Repeated)
	}
	var held []string
	for _, one := range b.snapshot(t).Cases {
		held = append(held, one.Number+" "+one.Name)
	}
	slices.Sort(held)
	want := "M-00001 There after all, M-00002 Never came, M-00003 Good one, M-00004 Now it has one, M-00005 Wrong status, M-00006 Wrong owner, M-00007 Good too"
	if got := strings.Join(held, ", "); got != want {
		t.Errorf("the sandbox holds\n%s\nwant\n%s", got, want)
	}
	updated := 0
	for _, mark := range b.snapshot(t).Trademarks {
		if mark.Updates == 0 {
			continue // of the sample firm, and not in the export
		}
		updated++
		// The first good night, and what was let through.
		if mark.Updates != 2 || !strings.HasSuffix(mark.MarkText, " II") {
			t.Errorf("a mark was not updated twice to what was let through: %+v", mark)
		}
	}
	if updated != 100 {
		t.Errorf("%d marks were updated, and the export has 100", updated)
	}
	tab.Go(c.base + "/audit")
	audit := tab.Text("main")
	for _, deed := range []string{"run file", "resolve", "accept guard", "run", "sign in"} {
		if !strings.Contains(audit, deed) {
			t.Errorf("the audit does not say %q:\n%s", deed, audit)
		}
	}
	tab.Quiet(c.base)
}

// download is what a link leads to, as the browser gets it.
func download(t *testing.T, tab *browsertest.Tab, selector string) []byte {
	t.Helper()
	text := tab.Eval(fmt.Sprintf(`fetch(document.querySelector(%q).href).then(a => a.arrayBuffer()).then(b => btoa(Array.from(new Uint8Array(b), x => String.fromCharCode(x)).join("")))`, selector))
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// correctRows writes into the rows of a rejects.xlsx, by their Ref and the names of columns, and gives the path of the new file.
func correctRows(t *testing.T, workbook []byte, corrections map[string]map[string]string) string {
	t.Helper()
	book, err := excelize.OpenReader(bytes.NewReader(workbook))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	left := map[string]bool{}
	for ref := range corrections {
		left[ref] = true
	}
	for _, sheet := range book.GetSheetList() {
		rows, err := book.GetRows(sheet)
		if err != nil {
			t.Fatal(err)
		}
		header := map[string]int{}
		for n, row := range rows {
			if at := slices.Index(row, "Ref"); at >= 0 && len(header) == 0 {
				for column, name := range row {
					header[name] = column + 1
				}
				continue
			}
			at, named := header["Ref"]
			if !named || len(row) < at || corrections[row[at-1]] == nil {
				continue
			}
			delete(left, row[at-1])
			for name, value := range corrections[row[at-1]] {
				cell, err := excelize.CoordinatesToCellName(header[name], n+1)
				if err == nil {
					err = book.SetCellStr(sheet, cell, value)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if len(left) > 0 {
		t.Fatalf("rejects.xlsx lacks %v", left)
	}
	path := filepath.Join(t.TempDir(), "rejects.xlsx")
	if err := book.SaveAs(path); err != nil {
		t.Fatal(err)
	}
	return path
}
