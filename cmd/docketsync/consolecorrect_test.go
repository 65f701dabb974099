package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
)

// TestCellsAreCorrectedInPlace corrects a rejected row on its page: the next runs read it as it was corrected and the report names it, the
// source stays as it is, and a row that says something else by then is rejected and says so.
// A cell of several lines that nobody touched stays as it is.
func TestCellsAreCorrectedInPlace(t *testing.T) {
	t.Parallel()
	dir, b := writeConsoleFirm(t, 2)
	export := filepath.Join(dir, "cases.csv")
	rows := func(title string) {
		if err := os.WriteFile(export, []byte("Ref,Title,Note\nM-1,One,\nM-2,"+title+",\"two\nlines\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rows("")
	if code, out := program(t, dir, "run"); code != exit.Rejects || b.state(t).Cases != 1 {
		t.Fatalf("the first run ended with %d:\n%s", code, out)
	}
	c := startConsole(t, dir)
	tab := c.signedIn("Ines", operatorPassword)
	tab.Go(c.base + "/runs/cases-1/rejects")
	tab.Press("tbody a")
	tab.Look("correct")
	tab.Fill("input.mend", "Two by hand")
	tab.Press(".submits button.first")
	if got := tab.Text("main"); !strings.Contains(got, "1 cell corrected") || !strings.Contains(got, "Title: corrected to Two by hand by Ines") {
		t.Errorf("the page says %q", got)
	}
	tab.Eval(`(() => { document.querySelector("[name=seen]").value = ""; return 1; })()`) // as in a page that was loaded before
	tab.Fill("input.mend", "Two by somebody else")
	tab.Press(".submits button.first")
	if got := tab.Text("h1"); !strings.Contains(got, "has been corrected since the page was loaded") {
		t.Errorf("a correction of somebody else is written over: %q", got)
	}
	if code, out := program(t, dir, "run"); code != exit.AllIn || b.state(t).Cases != 2 {
		t.Fatalf("the run of what was corrected ended with %d:\n%s", code, out)
	}
	_, report := program(t, dir, "report", "cases-2", "--json")
	if !strings.Contains(report, `"before":""`) || !strings.Contains(report, `"now":"Two by hand"`) || !strings.Contains(report, `"by":"Ines"`) {
		t.Errorf("the report does not name what was corrected:\n%s", report)
	}
	if text, err := os.ReadFile(export); err != nil || strings.Contains(string(text), "by hand") {
		t.Errorf("the source has changed: %s %v", text, err)
	}
	if code, out := program(t, dir, "run"); code != exit.AllIn || b.state(t).Cases != 2 {
		t.Fatalf("the next night ended with %d:\n%s", code, out)
	}
	rows("Two by the office")
	code, _ := program(t, dir, "run")
	_, report = program(t, dir, "report", "cases-4", "--json")
	if code != exit.Rejects || !strings.Contains(report, `Title was corrected from \"\" to \"Two by hand\" by Ines on `) || !strings.Contains(report, `the cell now has \"Two by the office\"`) {
		t.Errorf("the run of another value ended with %d:\n%s", code, report)
	}
	tab.Go(c.base + "/runs/cases-4/rejects")
	tab.Press("tbody a")
	tab.Fill(`input[aria-label="B3, Title"]`, "")
	tab.Press(".submits button.first")
	rows("")
	if code, _ := program(t, dir, "run"); code != exit.Rejects {
		t.Errorf("what nobody corrected any more ended with %d", code)
	}
	if _, audit := program(t, dir, "audit"); strings.Count(audit, ",correct,cases,done,") != 2 {
		t.Errorf("the audit log has\n%s", audit)
	}
	code, out := program(t, dir, "forget", "--key", "M-2", "--yes")
	left := slices.DeleteFunc(traces(t, dir, "by hand"), func(at string) bool { return strings.Contains(at, "/sandbox.db") }) // which is the service
	if code != 0 || len(left) > 0 {
		t.Errorf("forgetting ended with %d and left %v:\n%s", code, left, out)
	}
}
