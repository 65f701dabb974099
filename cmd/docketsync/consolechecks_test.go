package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// ownChecks are two checks of a firm's own, of which the second keeps nothing back.
const ownChecks = "checks:\n" +
	"  closed before opened: 'date(row[\"Closed\"]) < date(row[\"Opened\"])'\n" +
	"  no shelf: {expr: 'row[\"Shelf\"] == \"\"', level: warn}\n"

const checkedFile = "Ref,Title,Opened,Closed,Shelf\n" +
	"M-1,Smith v Jones,2024-01-13,2024-03-01,12a\n" +
	"M-2,Doe v Roe,2024-03-14,2024-01-05,12a\n" +
	"M-3,Able v Baker,2024-01-15,2024-02-16,\n"

// TestConsoleShowsTheChecksOfAFirm: what a check of the firm's own finds is said while the mapping is made, and on the page of a run.
func TestConsoleShowsTheChecksOfAFirm(t *testing.T) {
	t.Parallel()
	dir := writeEmptyFirm(t, "", "")
	write(t, dir, "cases.csv", checkedFile)
	mapped := "operation: create_case\nkey: Ref\ndates: [YYYY-MM-DD]\n" + ownChecks + "fields:\n  name: Title\n  number: Ref\n  active: {value: true}\n" +
		"  file_template_id: {value: 6f0c2d7e-5b0a-5c39-8a5e-0d1a36a0a001}\n  user_id: {value: 7b4a78ea-edbd-5e59-97ce-fb39c3302daa}\n"
	write(t, dir, "cases.yaml", mapped)
	appendConfig(t, dir, "jobs:\n  - {name: cases, source: cases.csv, mapping: cases.yaml}\n")
	if code, out := program(t, dir, "run", "cases"); !strings.Contains(out, "closed before opened") {
		t.Fatalf("the run ended with %d: %s", code, out)
	}
	c := startConsole(t, dir)
	tab := uploaded(t, c, "cases.csv", checkedFile)
	tab.Fill("textarea.yaml", mapped)
	tab.Press("form[data-text] button")
	settled(tab)
	got := strings.Join(strings.Fields(tab.Text(`[data-part="verdict"]`)), " ")
	for _, want := range []string{"1 checks.closed before opened: closed before opened", "1 checks.no shelf: no shelf imported as is"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page of the mapping does not say %q:\n%s", want, got)
		}
	}
	if dead := tab.Eval(`[...document.querySelectorAll(".troubles a")].filter((a) => !document.getElementById(a.hash.slice(1))).length`); dead != "0" {
		t.Errorf("%s of the links beside the causes lead nowhere", dead)
	}
	tab.Look("import-checks")
	tab.Go(c.base + "/runs")
	tab.Press("tbody a")
	if got := tab.Text(".causes"); !strings.Contains(got, "closed before opened") || !strings.Contains(got, "D3") {
		t.Errorf("the page of the run says %q", got)
	}
	tab.Quiet(c.base)
	if reports, _ := filepath.Glob(filepath.Join(dir, "reports", "cases-*")); len(reports) != 1 {
		t.Errorf("there are %d folders of reports", len(reports))
	}
}
