package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/proposing"
)

var updateProposals = flag.Bool("update-proposals", false, "write what init proposes for the real exports over the proposals in testdata")

// TestProposals takes exports nobody wrote a mapping for through init and check, with nothing done in between but an id for each
// name of the lookups. What is rejected then is what the file does not hold. The proposals stand in testdata, without their
// comments, which quote the exports.
func TestProposals(t *testing.T) {
	t.Parallel()
	data := exports(t)
	for _, test := range []struct {
		name, file                 string
		records, rejected, leftOut int
		why                        string // some are rejected
	}{
		{"actionstep", "matters/synthetic/actionstep_matters.xlsx", 60, 21, 0, "a filter hides 21 matters"},
		{"clio", "matters/synthetic/clio_matters_template.csv", 40, 0, 0, ""},
		{"matters-1904", "matters/synthetic/matters_1904.xlsx", 20, 0, 1, "the totals are left out"},
		{"ip-docket", "trademarks/synthetic/ip_docket_semicolon_repeated_headers.csv", 30, 0, 0, ""},
		{"ukipo", "trademarks/synthetic/ukipo_OpenDataDomestic_like.txt", 25, 1, 0, "1 mark has no words"},
		{"uspto-cases", "trademarks/synthetic/uspto_case_file_like.csv", 40, 5, 0, "5 marks have no words"},
		{"verification-list", "trademarks/synthetic/verification_list.xlsx", 14, 3, 0, "3 pairs of rows disagree on the next renewal; the headings of the marks are no rows"},
		{"uspto-watch", "trademarks/uspto-watch/trademarks.csv", 90, 0, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(data, filepath.FromSlash(test.file))
			if _, err := os.Stat(file); err != nil {
				t.Fatal(err)
			}
			said := proposeIn(t, dir, file)
			sameAsProposed(t, test.name, said.Mapping)
			if r := said.Records; r == nil || r.Total != test.records || r.Waiting+r.Rejected > r.Total {
				t.Errorf("init says %+v, want %d records; %s", r, test.records, said.Uncounted)
			}
			fillLookups(t, dir)
			checked := docketsync(t, dir, "check")
			got := checked.outcomes()
			if got["rejected"] != test.rejected || got["rejected"]+got["planned"] != test.records {
				t.Errorf("check comes to %v, want %d records with %d rejected (%s)\n%s", got, test.records, test.rejected, test.why, checked.causes())
			}
			if said.Skipped != test.leftOut {
				t.Errorf("init leaves out %d rows, want %d (%s)", said.Skipped, test.leftOut, test.why)
			}
		})
	}
}

// TestProposalOfNumbersWithoutTheirZeros takes an export of matters 3.0030 and 3.0031 that were numbers in a spreadsheet once: nothing of it goes in
// until somebody says that 3.003 is a whole number.
func TestProposalOfNumbersWithoutTheirZeros(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	said := proposeIn(t, dir, filepath.Join(exports(t), "matters", "synthetic", "numeric_matter_ids.csv"))
	sameAsProposed(t, "numeric-ids", said.Mapping)
	fillLookups(t, dir)
	if code, out := program(t, dir, "check"); code != exit.Usage || strings.Count(out, "zeros at their ends may have been lost") != 2 || !strings.Contains(out, "set rounded: keep for number.") {
		t.Errorf("check ended with %d:\n%s", code, out)
	}
	write(t, dir, filepath.Base(said.Written[0]), strings.NewReplacer("key: Client Id", "key: {column: Client Id, rounded: keep}",
		"number: Client Id", "number: {column: Client Id, rounded: keep}").Replace(said.Mapping))
	checked := docketsync(t, dir, "check")
	if diff := cmp.Diff(map[string]int{"planned": 108, "rejected": 15}, checked.outcomes()); diff != "" { // 15 matters have no name
		t.Errorf("check comes to (-want +got):\n%s\n%s", diff, checked.causes())
	}
}

// initJSON is as much of the JSON of init as the tests look at.
type initJSON struct {
	Job       string             `json:"job"`
	Mapping   string             `json:"mapping"`
	Skipped   int                `json:"skipped"`
	Written   []string           `json:"written"`
	Records   *proposing.Records `json:"records"`
	Uncounted string             `json:"uncounted"`
}

func proposeIn(t *testing.T, dir, file string, flags ...string) initJSON {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "docketsync", append([]string{"init", "--json", file}, flags...)...)
	cmd.Dir, cmd.Env = dir, environment()
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("docketsync init: %v\n%s", err, problems.String())
	}
	var said initJSON
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatalf("docketsync init said no JSON: %v\n%s", err, out)
	}
	return said
}

// sameAsProposed compares a proposal with the one in testdata.
func sameAsProposed(t *testing.T, name, mapping string) {
	t.Helper()
	golden := filepath.Join("testdata", "proposals", name+".yaml")
	got := withoutComments(mapping)
	if *updateProposals {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the proposal changed (-want +got); -update-proposals accepts it:\n%s", diff)
	}
}

// withoutComments drops comments: lines of their own, and what stands behind two blanks and a #.
func withoutComments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimRight(line, "\n"), "  # ")
		if trimmed := strings.TrimSpace(line); trimmed != "" && trimmed[0] != '#' {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// fillLookups gives each name of the lookups an id, as a person would.
func fillLookups(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "lookups", "*.csv"))
	if err != nil || len(files) == 0 {
		t.Fatalf("init wrote no lookups: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var filled strings.Builder
		w := csv.NewWriter(&filled)
		for i, row := range rows {
			if i > 0 {
				row[2] = uuid.NewSHA1(uuid.NameSpaceOID, []byte(file+row[0])).String()
			}
			w.Write(row)
		}
		if w.Flush(); w.Error() != nil {
			t.Fatal(w.Error())
		}
		if err := os.WriteFile(file, []byte(filled.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
