package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/report"
)

// TestARunSaysHowGoodItsForecastWas forecasts a first run, which nothing is known of, a second one, and one with nothing to send; the report
// of the second one holds what was foretold when it began beside what became of it.
func TestARunSaysHowGoodItsForecastWas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 150)
	refuse(t, dir, exit.Rejects, "no forecast: no earlier run", "forecast", "cases")
	if out := succeed(t, dir, "run"); strings.Contains(out, "Forecast") {
		t.Errorf("a first run was forecast:\n%s", out)
	}
	if out := succeed(t, dir, "forecast", "cases"); !strings.Contains(out, "cases  Nothing to send.\n") || strings.Contains(out, "at least") {
		t.Errorf("with nothing to send the forecast is\n%s", out)
	}
	rows := string(read(t, filepath.Join(dir, "cases.csv")))
	for n := range 150 {
		rows += fmt.Sprintf("M-1%04d,Case %d\n", n, n)
	}
	write(t, dir, "cases.csv", rows)
	if out := succeed(t, dir, "forecast", "cases"); !strings.Contains(out, "150 records to send") || !strings.Contains(out, "by the pace of cases-2: ") {
		t.Errorf("the forecast is\n%s", out)
	}
	refuse(t, dir, exit.Stopped, "150 of 150 records are new or changed", "run")
	out := succeed(t, dir, "run", "cases", "--accept-guard")
	if !strings.Contains(out, "  Forecast: ") || !strings.Contains(out, "; ended ") {
		t.Errorf("the run does not say how good its forecast was:\n%s", out)
	}
	_, out, _ = strings.Cut(out, "  run: ")
	run, _, _ := strings.Cut(out, " ")
	var s struct {
		Summary report.Summary `json:"summary"`
	}
	text := succeed(t, dir, "report", run, "--json")
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	if f := s.Summary.Forecast; f == nil || f.By != "cases-2" || f.ToBeSent != 150 || !f.Begins.Before(f.Ends) || f.Ended.Before(f.Begins) || f.Stopped {
		t.Errorf("the report of %s has %+v\n%.3000s", run, f, text)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "reports", "cases-*", "report.html"))
	if err != nil || len(pages) != 3 {
		t.Fatal(pages, err)
	}
	said := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		said += strings.Count(string(text), ">Forecast: ")
	}
	if said != 1 {
		t.Errorf("%d of 3 pages tell a forecast", said)
	}
}
