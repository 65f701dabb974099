package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
)

// TestForgedPlanIsRefused changes a plan and seals it again, as somebody could who knows how. What the plan orders is still not
// sent: only what the job makes of its source is, and only if the plan says the same.
func TestForgedPlanIsRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		forge func(lines []string) []string
		says  string
	}{
		{"another body", func(lines []string) []string {
			lines[1] = strings.Replace(lines[1], `"name":"Case 0"`, `"name":"Case X"`, 1)
			return lines
		}, "the ledger has changed since for 1 record: M-00000"},
		{"another payload", func(lines []string) []string {
			lines[1] = strings.Replace(lines[1], `"digest":"`, `"digest":"0`, 1)
			return lines
		}, "the same rows produce a different payload for 1 record"},
		{"a record less", func(lines []string) []string { return append(lines[:2:2], lines[3:]...) }, "changed since for 1 record: M-00001"},
		{"the last record less", func(lines []string) []string { return lines[:3] }, "changed since for 1 record: M-00002"},
		{"a record more", func(lines []string) []string {
			return append(lines, strings.NewReplacer(`"seq":3`, `"seq":4`, "M-00002", "M-00003").Replace(lines[3]))
		}, "changed since for 1 record: M-00003"},
		{"nothing", func(lines []string) []string { return lines }, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			b := startSandbox(t, dir)
			writeCrashFirm(t, dir, b, 3)
			program(t, dir, "plan", "cases", "--out", "plan.jsonl")
			reseal(t, filepath.Join(dir, "plan.jsonl"), test.forge)
			code, out := program(t, dir, "run", "--plan", "plan.jsonl")
			if test.says == "" {
				if code != exit.AllIn || b.state(t).Cases != 3 {
					t.Errorf("a plan that was sealed again as it was ended with %d:\n%s", code, out)
				}
				return
			}
			if code != exit.Stopped || !strings.Contains(out, test.says) || b.state(t).Requests != 0 {
				t.Errorf("the forged plan ended with %d after %d requests:\n%s", code, b.state(t).Requests, out)
			}
		})
	}
}

// reseal changes the lines of a plan, its seal left out, and seals them again.
func reseal(t *testing.T, path string, forge func([]string) []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	forged := strings.Join(forge(lines[:len(lines)-1]), "")
	sum := sha256.Sum256([]byte(forged))
	forged += fmt.Sprintf("{\"seal\":%q}\n", hex.EncodeToString(sum[:]))
	if err := os.WriteFile(path, []byte(forged), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestCommandsForPathsWithBlanks prints commands that a shell takes as they are, of a configuration and files whose paths have blanks.
func TestCommandsForPathsWithBlanks(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a firm")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	b := startSandbox(t, t.TempDir())
	writeCrashFirm(t, dir, b, 1)
	named := "docketsync --config '" + filepath.Join(dir, "docketsync.yaml") + "' "
	config := []string{"--config", filepath.Join(dir, "docketsync.yaml")}
	if _, out := program(t, dir, append(config, "plan", "cases", "--out", "the plan.jsonl")...); !strings.Contains(out, "(1 record to be sent)") || !strings.Contains(out, named+"run --plan 'the plan.jsonl'\n") {
		t.Errorf("the plan says\n%s", out)
	}
	if _, out := program(t, dir, append(config, "resolve", "--worklist", "my doubts.csv")...); !strings.Contains(out, named+"resolve --decisions 'my doubts.csv'\n") {
		t.Errorf("the worklist says\n%s", out)
	}
}
