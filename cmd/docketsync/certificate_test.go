package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/certificate"
)

// TestAMigrationIsSignedOff sends a small firm in two goes: what was rejected the first time, for want of a title and for want of
// a key, is corrected in the workbook of rejects; the certificate of both runs says that everything is in.
func TestAMigrationIsSignedOff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 3)
	write(t, dir, "cases.csv", "Ref,Title\n0001,One\n0002,\n,Three\n")
	if code, out := program(t, dir, "run"); code != exit.Rejects {
		t.Fatalf("the run ended with %d:\n%s", code, out)
	}
	found, err := filepath.Glob(filepath.Join(dir, "reports", "*", "rejects.xlsx"))
	if err != nil || len(found) != 1 {
		t.Fatalf("rejects.xlsx is at %v, %v", found, err)
	}
	fillRejects(t, found[0])
	if code, out := program(t, dir, "run", "cases", "--file", found[0]); code != exit.AllIn {
		t.Fatalf("the corrected rows ended with %d:\n%s", code, out)
	}
	ids := runIDs(t, dir)
	code, out := program(t, dir, "certificate", ids[1], ids[0], "--out", "signed")
	if code != exit.AllIn || !strings.Contains(out, "All 3 records were imported.") {
		t.Fatalf("the certificate of both runs ended with %d:\n%s", code, out)
	}
	cert := readCertificate(t, filepath.Join(dir, "signed", "certificate.json"))
	if a := cert.Overall; a.Planned != 5 || a.Superseded != 1 || a.Corrected != 1 || a.In != 3 || a.Created != 3 || !cert.Complete {
		t.Errorf("the account is %+v", a)
	}
	if len(cert.Sample) != 3 || cert.Sample[0].Lines[0].Cells[0].Text != "One" {
		t.Errorf("the sample is %+v", cert.Sample)
	}
	if code, again := program(t, dir, "certificate", ids[1], ids[0], "--json"); code != exit.AllIn || again != string(read(t, filepath.Join(dir, "signed", "certificate.json"))) {
		t.Errorf("--json says something else (%d):\n%s", code, again)
	}
	if code, out := program(t, dir, "certificate", ids[1]); code != exit.Rejects || !strings.Contains(out, "1 of 3 records was imported; 2 were rejected.") {
		t.Errorf("the first run alone ended with %d:\n%s", code, out)
	}
	if beside, _ := filepath.Glob(filepath.Join(dir, "reports", "certificate-*", "certificate.html")); len(beside) != 1 {
		t.Errorf("beside the reports there is %v", beside)
	}
}

// TestWhatCannotBeCertifiedIsRefused names a run that is unknown, a plan, and the configuration of another service.
func TestWhatCannotBeCertifiedIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 2)
	program(t, dir, "run")
	program(t, dir, "plan", "cases")
	_, out := program(t, dir, "runs", "--all", "--json")
	var listed struct{ Runs []struct{ ID, Kind string } }
	if err := json.Unmarshal([]byte(out), &listed); err != nil || len(listed.Runs) != 2 {
		t.Fatalf("%v: %s", err, out)
	}
	plan, sent := listed.Runs[0].ID, listed.Runs[1].ID
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "requires at least 1 arg"},
		{[]string{"ffff"}, "run ffff is not in this ledger\nList the runs with 'docketsync runs'"},
		{[]string{sent, plan}, "is a plan: it sent nothing"},
		{[]string{sent, "--sample", "-1"}, "--sample is a number of records"},
	} {
		if code, out := program(t, dir, append([]string{"certificate"}, test.args...)...); code != exit.Usage || !strings.Contains(out, test.want) {
			t.Errorf("certificate %q ended with %d:\n%s", test.args, code, out)
		}
	}
	path := filepath.Join(dir, "docketsync.yaml")
	write(t, dir, "docketsync.yaml", strings.ReplaceAll(string(read(t, path)), b.base, "https://cases.example.com"))
	if code, out := programWith(t, dir, []string{"NO_KEY=another-key", "NO_COOKIE=another-cookie"}, "certificate", sent); code != exit.Usage || !strings.Contains(out, "belongs to the service http://127.0.0.1:") {
		t.Errorf("another service ended with %d:\n%s", code, out)
	}
}

// fillRejects gives the first reject a title and the second one a key.
func fillRejects(t *testing.T, path string) {
	t.Helper()
	correct(t, path, "Title", "Two")
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := f.GetRows(f.GetSheetName(1))
	if err != nil {
		t.Fatal(err)
	}
	for n, name := range rows[0] {
		cell, err := excelize.CoordinatesToCellName(n+1, 3)
		if err != nil {
			t.Fatal(err)
		}
		if name == "Ref" {
			if err := f.SetCellValue(f.GetSheetName(1), cell, "0003"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
}

// runIDs are the ids of all runs, newest first.
func runIDs(t *testing.T, dir string) (ids []string) {
	t.Helper()
	_, out := program(t, dir, "runs", "--json")
	var listed struct{ Runs []struct{ ID string } }
	if err := json.Unmarshal([]byte(out), &listed); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, run := range listed.Runs {
		ids = append(ids, run.ID)
	}
	return ids
}

func readCertificate(t *testing.T, path string) (cert certificate.Certificate) {
	t.Helper()
	if err := json.Unmarshal(read(t, path), &cert); err != nil {
		t.Fatal(err)
	}
	return cert
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestASignedCertificateIsVerified signs a certificate, verifies it without the installation and with its ledger, and sees what was changed
// in any of the files, in the signature and in the ledger, and what was cut off.
func TestASignedCertificateIsVerified(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 3)
	if code, out := program(t, dir, "certificate", "new-key", "signing.key"); code != exit.AllIn {
		t.Fatalf("making a key ended with %d:\n%s", code, out)
	}
	if code, out := program(t, dir, "certificate", "new-key", "signing.key"); code != exit.CouldNotRun || !strings.Contains(out, "already exists") {
		t.Fatalf("making it again ended with %d:\n%s", code, out)
	}
	settings := filepath.Join(dir, "docketsync.yaml")
	write(t, dir, "docketsync.yaml", string(read(t, settings))+"\ncertificate:\n  private_key: {file: signing.key}\n")
	program(t, dir, "run")
	if code, out := program(t, dir, "certificate", runIDs(t, dir)[0], "--out", "signed"); code != exit.AllIn || !strings.Contains(out, "certificate.sig") {
		t.Fatalf("the certificate ended with %d:\n%s", code, out)
	}
	program(t, dir, "certificate", "new-key", "other.key")
	elsewhere := t.TempDir()
	if err := os.CopyFS(elsewhere, os.DirFS(filepath.Join(dir, "signed"))); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(dir, "signing.key.pub")
	verify := func(where string, want int, words string, args ...string) {
		t.Helper()
		if code, out := program(t, where, append([]string{"verify"}, args...)...); code != want || !strings.Contains(out, words) {
			t.Errorf("verify %q ended with %d:\n%s", args, code, out)
		}
	}
	verify(elsewhere, exit.Usage, "--any-key", "certificate.html")
	verify(elsewhere, exit.AllIn, "is unchanged since it was signed", "certificate.html", "--key", key)
	verify(elsewhere, exit.AllIn, "Whose key that is was not verified", "certificate.json", "--any-key")
	verify(elsewhere, exit.CouldNotRun, "it was made with the key", "certificate.sig", "--key", filepath.Join(dir, "other.key.pub"))
	for _, name := range []string{"certificate.html", "certificate.xlsx", "certificate.json", "certificate.sig"} {
		content := read(t, filepath.Join(elsewhere, name))
		changed := append([]byte{}, content...)
		changed[len(changed)/2] ^= 1
		write(t, elsewhere, name, string(changed))
		verify(elsewhere, exit.CouldNotRun, name, "certificate.html", "--key", key)
		write(t, elsewhere, name, string(content))
	}
	signed := filepath.Join(dir, "signed", "certificate.html")
	verify(dir, exit.AllIn, "matches its evidence", signed, "--key", key, "--ledger")
	verify(dir, exit.AllIn, "matches its evidence")
	_, lines := program(t, dir, "ledger", "evidence")
	write(t, dir, "evidence.jsonl", lines)
	verify(dir, exit.AllIn, "matches its evidence", signed, "--key", key, "--evidence", "evidence.jsonl")
	list := strings.SplitAfter(lines, "\n")
	write(t, dir, "evidence.jsonl", strings.Join(append(list[:1:1], list[2:]...), ""))
	verify(dir, exit.CouldNotRun, "the ledger, entry 2", "--evidence", "evidence.jsonl")
	write(t, dir, "evidence.jsonl", strings.Join(list[:len(list)-2], ""))
	verify(dir, exit.CouldNotRun, "are gone", "--evidence", "evidence.jsonl")
	db, err := sql.Open("sqlite", filepath.Join(dir, "docketsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`update records set status = 299 where seq = 2`); err != nil {
		t.Fatal(err)
	}
	verify(dir, exit.CouldNotRun, "record 2: ", signed, "--key", key, "--ledger")
}

// TestACommandPrintsTheSigningKey signs with a key that a command prints, and with none where it prints something else, fails, or is given twice.
func TestACommandPrintsTheSigningKey(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no cat")
	}
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 1)
	program(t, dir, "run")
	program(t, dir, "certificate", "new-key", "signing.key")
	id := runIDs(t, dir)[0]
	settings := string(read(t, filepath.Join(dir, "docketsync.yaml")))
	for n, test := range []struct {
		how, words string
		code       int
	}{
		{"command: [cat, signing.key]", "certificate.sig", exit.AllIn},
		{"command: [cat, none.key]", "the signing key cannot be had: command cat: exit status 1", exit.CouldNotRun},
		{"command: [cat, docketsync.yaml]", "the signing key is not in PEM form", exit.Usage},
		{"command: ['true']", "the signing key is not in PEM form", exit.Usage},
		{"command: []", "the command has no program", exit.Usage},
		{"command: [cat, signing.key]\n  private_key: {file: signing.key}", "certificate has both a private_key and a command", exit.Usage},
	} {
		write(t, dir, "docketsync.yaml", settings+"\ncertificate:\n  "+test.how+"\n")
		out := fmt.Sprint("signed", n)
		code, said := program(t, dir, "certificate", id, "--out", out)
		if code != test.code || !strings.Contains(said, test.words) {
			t.Errorf("%s ended with %d:\n%s", test.how, code, said)
		}
		if _, err := os.Stat(filepath.Join(dir, out)); (err == nil) != (test.code == exit.AllIn) {
			t.Errorf("%s left %v", test.how, err)
		}
	}
	if code, said := program(t, dir, "verify", filepath.Join("signed0", "certificate.html"), "--key", "signing.key.pub"); code != exit.AllIn {
		t.Errorf("verify ended with %d:\n%s", code, said)
	}
}
