package basechange

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/importer/ledger"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestAFirmIsAppliedWholeOrNot has one of a firm's two mappings change after it was signed off.
func TestAFirmIsAppliedWholeOrNot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const base = "operation: create_case\nkey: Ref\nfields: {name: Title, number: Ref, active: {value: true}, user_id: {value: 7b4a78ea-edbd-5e59-97ce-fb39c3302daa}, file_template_id: {value: 5f880ee9-416f-5091-9333-62a8c050b228}}\n"
	write(t, filepath.Join(dir, "_base", "cases.yaml"), base)
	write(t, filepath.Join(dir, "new", "cases.yaml"), strings.Replace(base, "true", "false", 1))
	firm := filepath.Join(dir, "acme")
	write(t, filepath.Join(firm, "cases.csv"), "Ref,Title\n001,One\n")
	first, second := filepath.Join(firm, "one.yaml"), filepath.Join(firm, "two.yaml")
	write(t, first, "extends: ../_base/cases.yaml\n")
	write(t, second, "extends: ../_base/cases.yaml\nscope: two\n")
	write(t, filepath.Join(firm, "docketsync.yaml"), "service: {base_url: sandbox}\njobs:\n  - {name: one, source: cases.csv, mapping: one.yaml}\n  - {name: two, source: cases.csv, mapping: two.yaml}\n")
	setup := &installation.Setup{Screen: &terminal.Screen{Out: io.Discard, Err: io.Discard, Quiet: true}, ConfigFile: filepath.Join(firm, "docketsync.yaml"), Firm: "acme",
		Env: func(string) (string, bool) { return "", false }}
	change, err := New(filepath.Join(dir, "new", "cases.yaml"), "", []*installation.Setup{setup})
	if err != nil {
		t.Fatal(err)
	}
	f, _ := change.Find(t.Context(), setup)
	t.Cleanup(func() { _ = f.Close() })
	if f.Trouble != "" {
		t.Fatal(f.Trouble)
	}
	write(t, second, "extends: ../_base/cases.yaml\nscope: three\n")
	if err := change.Apply(t.Context(), &f, f.Seal); err == nil || !strings.Contains(err.Error(), "two.yaml has changed meanwhile") {
		t.Errorf("the firm was applied: %v", err)
	}
	if text, _ := os.ReadFile(first); string(text) != "extends: ../_base/cases.yaml\n" {
		t.Errorf("half of the firm was applied: %s", text)
	}
	entries, err := f.in.Book.AuditEntries(t.Context(), ledger.AuditFilter{})
	if err != nil || len(entries) > 0 {
		t.Errorf("the trail says what was not done: %v, %v", entries, err)
	}
}

// TestAMappingSavedOnWindowsIsMoved keeps the ends of lines, what stands before the first and a remark.
func TestAMappingSavedOnWindowsIsMoved(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"extends: old.yaml\r\nscope: a\r\n":         "extends: 'new.yaml'\r\nscope: a\r\n",
		"scope: a\r\nextends: old.yaml # ours\r\n":  "scope: a\r\nextends: 'new.yaml' # ours\r\n",
		"\ufeffextends: 'old.yaml'\r\nscope: a\r\n": "\ufeffextends: 'new.yaml'\r\nscope: a\r\n",
		"extends: old.yaml\nscope: a\n":             "extends: 'new.yaml'\nscope: a\n",
	} {
		got, err := extending("m.yaml", []byte(text), "new.yaml")
		if err != nil || string(got) != want {
			t.Errorf("%q became %q, %v", text, got, err)
		}
	}
}
