package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/source"
)

// TestRealExports takes exports as firms and offices make them through check and run, with a mapping written for each.
// The files are found in the folder that DOCKETSYNC_TEST_DATA names, else in shared/data beside the checkout.
func TestRealExports(t *testing.T) {
	t.Parallel()
	data := exports(t)
	for _, test := range []struct {
		name    string
		file    string
		options string // of the source
		ids     string // the column of the trademarks' own numbers, which get ids for the test
		want    map[string]int
		skipped int
	}{
		{name: "clio", file: "matters/synthetic/clio_matters_template.csv", want: map[string]int{"created": 40, "rejected": 0}},
		{name: "actionstep", file: "matters/synthetic/actionstep_matters.xlsx", options: "sheet: Matters, hidden: keep", want: map[string]int{"created": 60, "rejected": 0}},
		{name: "actionstep", file: "matters/synthetic/actionstep_matters.xlsx", options: "sheet: Matters", want: map[string]int{"created": 39, "rejected": 21}}, // as a filter hides them
		{name: "uspto-cases", file: "trademarks/synthetic/uspto_case_file_like.csv", ids: "serial_no", want: map[string]int{"updated": 40, "rejected": 0}},
		{name: "uspto-watch", file: "trademarks/uspto-watch/trademarks.csv", options: "no_header: true", ids: "A", want: map[string]int{"updated": 90, "rejected": 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(data, filepath.FromSlash(test.file))
			writeExportFirm(t, dir, test.name, file, test.options, test.ids)
			checked := docketsync(t, dir, "check")
			ran := docketsync(t, dir, "run")
			if diff := cmp.Diff(test.want, ran.outcomes()); diff != "" {
				t.Errorf("the run came to (-want +got):\n%s\n%s", diff, ran.causes())
			}
			if got := checked.outcomes()["rejected"]; got != test.want["rejected"] {
				t.Errorf("check expects %d rejects, run has %d", got, test.want["rejected"])
			}
			again := docketsync(t, dir, "run").outcomes()
			if again["created"]+again["updated"] > 0 {
				t.Errorf("the second run sent something: %v", again)
			}
		})
	}
}

// exports is the folder of real exports. Where it is missing the test is skipped, unless DOCKETSYNC_REQUIRE asks for it.
func exports(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("DOCKETSYNC_TEST_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(dir, "MANIFEST.tsv")); err != nil {
		if strings.Contains(os.Getenv("DOCKETSYNC_REQUIRE"), "data") {
			t.Fatalf("the folder of real exports is required and missing: %v", err)
		}
		t.Skip("no folder of real exports here; DOCKETSYNC_TEST_DATA names it")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// writeExportFirm writes a configuration for one export, and where the export is of trademarks a sandbox directory that knows
// them all.
func writeExportFirm(t *testing.T, dir, name, file, options, ids string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "exports", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf(`service:
  base_url: sandbox
  paths: {update_case: /v1/firms/file, update_trademark: /v1/firms/trademark}
sandbox: {data: sandbox.db%s}
jobs:
  - name: export
    source: {file: %q%s}
    mapping: mapping.yaml
`, preceded(", directory: ", directoryFor(t, dir, file, options, ids)), file, preceded(", ", options))
	write(t, dir, "mapping.yaml", strings.ReplaceAll(string(text), "REGISTRY", firstOf(t, "registries")))
	write(t, dir, "docketsync.yaml", config)
}

func preceded(by, text string) string {
	if text == "" {
		return ""
	}
	return by + text
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// directoryFor writes a sandbox directory and a lookup with an id for every trademark of the export.
func directoryFor(t *testing.T, dir, file, options, ids string) string {
	t.Helper()
	if ids == "" {
		return ""
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "samples", "sandbox.json"))
	if err != nil {
		t.Fatal(err)
	}
	var directory map[string]any
	if err := json.Unmarshal(text, &directory); err != nil {
		t.Fatal(err)
	}
	var marks []any
	var lookup strings.Builder
	lookup.WriteString("name,id\n")
	for _, number := range columnOf(t, file, options, ids) {
		id := uuid.NewSHA1(uuid.NameSpaceOID, []byte(number)).String()
		marks = append(marks, map[string]string{"id": id, "mark_text": "", "registry_id": firstOf(t, "registries")})
		fmt.Fprintf(&lookup, "%s,%s\n", number, id)
	}
	directory["trademarks"] = marks
	made, err := json.Marshal(directory)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "directory.json", string(made))
	write(t, dir, "marks.csv", lookup.String())
	return "directory.json"
}

// columnOf reads the values of one column, each once.
func columnOf(t *testing.T, file, options, name string) []string {
	t.Helper()
	table, err := source.Open(t.Context(), file, source.Options{NoHeader: strings.Contains(options, "no_header")})
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	column := -1
	for n, header := range table.Header().Names {
		if header == name {
			column = n
		}
	}
	var values []string
	seen := map[string]bool{"": true}
	for row, err := range table.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if value := row.Cell(column).Text; !seen[value] {
			seen[value] = true
			values = append(values, value)
		}
	}
	return values
}

// ending is as much of the JSON of check and run as the test looks at.
type ending struct {
	Runs   []summaryJSON `json:"runs"`
	Checks []summaryJSON `json:"checks"`
}

type summaryJSON struct {
	Records struct {
		ByOutcome []struct {
			Outcome string `json:"outcome"`
			Records int    `json:"records"`
		} `json:"by_outcome"`
	} `json:"records"`
	AddsUp bool            `json:"adds_up"`
	Causes json.RawMessage `json:"causes"`
}

func (o ending) outcomes() map[string]int {
	counts := map[string]int{}
	for _, s := range append(o.Runs, o.Checks...) {
		for _, c := range s.Records.ByOutcome {
			if c.Records > 0 || c.Outcome == "rejected" {
				counts[c.Outcome] += c.Records
			}
		}
	}
	return counts
}

func (o ending) causes() string {
	var b strings.Builder
	for _, s := range append(o.Runs, o.Checks...) {
		b.Write(s.Causes)
	}
	return b.String()
}

// docketsync runs the program in a folder and reads what it says.
func docketsync(t *testing.T, dir, command string, flags ...string) ending {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "docketsync", append([]string{command, "--json"}, flags...)...)
	cmd.Dir, cmd.Env = dir, environment()
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && (!errors.As(err, &ended) || ended.ExitCode() != exit.Rejects) {
		t.Fatalf("docketsync %s: %v\n%s", command, err, problems.String())
	}
	var said ending
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatalf("docketsync %s said no JSON: %v\n%s", command, err, out)
	}
	for _, s := range append(said.Runs, said.Checks...) {
		if !s.AddsUp {
			t.Errorf("the counts of %s do not add up", command)
		}
	}
	return said
}
