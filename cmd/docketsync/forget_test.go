package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"docketsync/cmd/docketsync/internal/exit"
)

// TestForgetWritesReportsOfOthersAgain deletes a client after a run that has none of its records, whose report has one of its keys by chance.
func TestForgetWritesReportsOfOthersAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, t.TempDir())
	client := writeTwoClients(t, dir, b)
	write(t, dir, "more.csv", "Ref,Title,Client,Open\nOT-8000,See ZQ-0003,Orlando,open\n")
	for _, args := range [][]string{{"run"}, {"run", "cases", "--file", "more.csv"}} {
		if code, out := program(t, dir, args...); code != exit.Rejects && code != exit.AllIn {
			t.Fatalf("%v ended with %d:\n%s", args, code, out)
		}
	}
	if code, out := program(t, dir, "forget", client, "--yes"); code != 0 || !strings.Contains(out, ": removed\n") {
		t.Fatalf("forget ended with %d:\n%s", code, out)
	}
	if found := reportsIn(t, dir); len(found) != 2 {
		t.Errorf("%d of 2 reports are left", len(found))
	}
}

// clientsOf are the ids of the first two clients of the sample firm.
func clientsOf(t *testing.T) (one, two string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "samples", "sandbox.json"))
	var lists struct{ Companies []struct{ ID string } }
	if err == nil {
		err = json.Unmarshal(text, &lists)
	}
	if err != nil || len(lists.Companies) < 2 {
		t.Fatal(err, lists)
	}
	return lists.Companies[0].ID, lists.Companies[1].ID
}

// writeTwoClients writes a firm with matters of two clients, of which one row each is rejected. What the firm owns is in a folder of its own.
func writeTwoClients(t *testing.T, dir string, b box) (client string) {
	t.Helper()
	writeCrashFirm(t, dir, b, 0)
	client, other := clientsOf(t)
	if err := os.Mkdir(filepath.Join(dir, "firm"), 0o700); err != nil {
		t.Fatal(err)
	}
	rows := "Ref,Title,Client,Open\n"
	for n := range 20 {
		rows += fmt.Sprintf("ZQ-%04d,Zephyr matter %d,Zephyr & Söhne,open\nOT-%04d,Other matter %d,Orlando,open\n", n, n, n, n)
	}
	rows += "ZQ-9000,Zephyr unclosed,Zephyr & Söhne,zephyrsday\nOT-9000,Other unclosed,Orlando,someday\n,Zephyr keyless,Zephyr & Söhne,open\n"
	for name, text := range map[string]string{
		"firm/cases.csv":   rows,
		"firm/clients.csv": "name,id\nZephyr & Söhne," + client + "\nOrlando," + other + "\n",
		"firm/cases.yaml": `operation: create_case
key: Ref
fields:
  name: Title
  number: Ref
  active: {column: Open, yes: [open]}
  file_template_id: {value: ` + firstOf(t, "templates") + `}
  user_id: {value: ` + firstOf(t, "users") + `}
  client_id: {column: Client, lookup: clients}
lookups: {clients: clients.csv}
`,
	} {
		write(t, dir, name, text)
	}
	settings, err := os.ReadFile(filepath.Join(dir, "docketsync.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "docketsync.yaml", strings.ReplaceAll(string(settings), "source: cases.csv, mapping: cases.yaml", "source: firm/cases.csv, mapping: firm/cases.yaml"))
	for _, name := range []string{"cases.csv", "cases.yaml"} {
		_ = os.Remove(filepath.Join(dir, name))
	}
	return client
}

// traces are the places below a folder, but for the firm's own files, where a word stands, in whatever it is compressed or encoded.
func traces(t *testing.T, dir string, words ...string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == "firm" {
				return fs.SkipDir
			}
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if info, err := d.Info(); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o007 != 0 {
			t.Errorf("%s can be read by everybody: %v, %v", path, info.Mode(), err)
		}
		members := map[string]string{}
		unzip(t, path, data, members)
		if packed, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
			text, _ := io.ReadAll(packed)
			members[path+" unpacked"] = string(text)
		}
		for name, text := range members {
			lower := strings.ToLower(text)
			for _, word := range words {
				wide := make([]byte, 0, 2*len(word))
				for _, unit := range utf16.Encode([]rune(word)) {
					wide = append(wide, byte(unit), byte(unit>>8))
				}
				at := max(spelledIn(lower, strings.ToLower(word)), strings.Index(text, string(wide)))
				if at >= 0 {
					found = append(found, fmt.Sprintf("%s: %q: …%.80q…", name, word, text[max(0, min(at, len(text)-1)-30):]))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestForgottenClientIsNowhereAndNeverSentAgain deletes one of two clients after two runs, a rehearsal and an upload, and then imports the same file
// again.
func TestForgottenClientIsNowhereAndNeverSentAgain(t *testing.T) {
	t.Parallel()
	dir, service := t.TempDir(), t.TempDir()
	b := startSandbox(t, service)
	client := writeTwoClients(t, dir, b)
	words := []string{"zephyr", "ZQ-0", "ZQ-9", "söhne", client, strings.ReplaceAll(client, "-", "")}
	for _, args := range [][]string{{"run"}, {"run"}, {"run", "--rehearse"}} {
		if code, out := program(t, dir, args...); code != exit.Rejects {
			t.Fatalf("%v ended with %d:\n%s", args, code, out)
		}
	}
	for name, text := range map[string]string{"uploads/a1/rows.csv": "Ref\nZQ-0003\n", "uploads/b2/rows.csv": "Ref\nOT-0003\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, dir, name, text)
	}
	made := b.state(t).Cases
	if found := traces(t, dir, words...); len(found) < 10 || made != 40 {
		t.Fatalf("%d cases; the client is in %d places", made, len(found))
	}
	code, out := program(t, dir, "forget", client)
	if code != 0 || !strings.Contains(out, "Nothing was deleted.") || len(traces(t, dir, words...)) < 10 || !strings.Contains(out, "clients.csv names the client") {
		t.Fatalf("the dry run ended with %d:\n%s", code, out)
	}
	// A call that was killed has removed reports already.
	reports := reportsIn(t, dir)
	if lost, err := filepath.Glob(filepath.Join(dir, "reports", "cases-*")); err != nil || len(lost) != len(reports) || os.RemoveAll(lost[0]) != nil {
		t.Fatal(err, lost)
	}
	if code, out = program(t, dir, "forget", client, "--yes"); code != 0 {
		t.Fatalf("forget ended with %d:\n%s", code, out)
	}
	if again := reportsIn(t, dir); len(again) != len(reports) {
		t.Errorf("%d of %d reports were written again", len(again), len(reports))
	}
	if found := traces(t, dir, words...); len(found) > 0 {
		t.Errorf("it is still in\n%s\nafter\n%s", strings.Join(found, "\n"), out)
	}
	if len(traces(t, dir, "OT-0003")) < 3 {
		t.Error("the other client is gone too")
	}
	for _, text := range reportsIn(t, dir) {
		if !strings.Contains(text, `"adds_up":true`) {
			t.Errorf("a report that was written again does not add up: %.600s", text)
		}
	}
	if code, out := program(t, dir, "verify", "--ledger"); code != 0 {
		t.Errorf("the ledger does not fit its evidence: %s", out)
	}
	if _, out := program(t, dir, "audit", "--json"); !strings.Contains(out, `"action":"forget","result":"done"`) {
		t.Errorf("the audit trail does not say so: %s", out)
	}
	for range 2 {
		code, out = program(t, dir, "run")
		if state := b.state(t); state.Cases != made || len(state.Repeated) > 0 || code != exit.Rejects {
			t.Fatalf("a later import ended with %d: %d cases instead of %d, twice %v:\n%s", code, state.Cases, made, state.Repeated, out)
		}
	}
	last := programJSON[struct {
		Runs []struct {
			Counts struct {
				Skipped map[string]int
				Read    int
			}
		}
	}](t, dir, "runs", "--limit", "1").Runs[0].Counts
	if last.Skipped["forgotten"] != 21 || last.Read != 43 {
		t.Errorf("the last run counts %+v", last)
	}
	if code, out := program(t, dir, "preview", "cases", "--key", "ZQ-0003"); code != 0 || !strings.Contains(out, "forgotten") {
		t.Errorf("the preview ended with %d:\n%s", code, out)
	}
	if found := traces(t, dir, "ZQ-0", "zephyr matter"); len(found) > 0 {
		t.Errorf("the later import keeps what was forgotten:\n%s", strings.Join(found, "\n"))
	}
}

// TestForgottenKeySpelledOtherwiseIsNotCreatedAgain imports the keys of a client that was forgotten as a spreadsheet and a hand spell them.
func TestForgottenKeySpelledOtherwiseIsNotCreatedAgain(t *testing.T) {
	t.Parallel()
	dir, service := t.TempDir(), t.TempDir()
	b := startSandbox(t, service)
	client := writeTwoClients(t, dir, b)
	if code, out := program(t, dir, "run"); code != exit.Rejects {
		t.Fatalf("%d:\n%s", code, out)
	}
	made := b.state(t).Cases
	if code, out := program(t, dir, "forget", client, "--yes"); code != 0 {
		t.Fatalf("%d:\n%s", code, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "firm", "cases.csv"))
	if err != nil {
		t.Fatal(err)
	}
	spelled := strings.NewReplacer("ZQ-0003", "zq 3", "ZQ-0004", "ZQ-4", "OT-0003", "OT-3").Replace(string(text))
	write(t, dir, "firm/cases.csv", spelled)
	for range 2 {
		code, out := program(t, dir, "run")
		if state := b.state(t); code != exit.Rejects || state.Cases != made {
			t.Fatalf("the import ended with %d: %d cases instead of %d:\n%s", code, state.Cases, made, out)
		}
	}
	last := programJSON[struct{ Runs []struct{ ID string } }](t, dir, "runs", "--limit", "1").Runs[0].ID
	_, all := program(t, dir, "report", last, "--json", "--all")
	if strings.Count(all, "deleted with 'docketsync forget'") != 2 || !strings.Contains(all, "remove the row at its source") {
		t.Errorf("the report says\n%s", all)
	}
	if code, out := program(t, dir, "preview", "cases", "--key", "zq 3"); !strings.Contains(out, "deleted with 'docketsync forget'") {
		t.Errorf("the preview ended with %d:\n%s", code, out)
	}
}
