package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"docketsync/apiclient/sandbox"
	"docketsync/cmd/docketsync/internal/exit"
)

// age makes everything in a firm's ledger and reports so many days older than it is.
func age(t *testing.T, dir string, days int) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "docketsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	by := int64(days) * 24 * time.Hour.Microseconds()
	if _, err := db.ExecContext(t.Context(), `update runs set started_at = started_at - $1, ended_at = ended_at - $1`, by); err != nil {
		t.Fatal(err)
	}
	today := time.Now().UTC()
	for _, path := range reportFolders(t, dir) {
		for _, day := range []time.Time{today, today.AddDate(0, 0, -1)} {
			older := strings.Replace(path, day.Format("2006-01-02"), day.AddDate(0, 0, -days).Format("2006-01-02"), 1)
			if older != path {
				if err := os.Rename(path, older); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
	}
}

func reportFolders(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "reports", "cases-*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// succeed runs a command that must end well, and returns what it said.
func succeed(t *testing.T, dir string, args ...string) string {
	t.Helper()
	code, out := program(t, dir, args...)
	if code != exit.AllIn {
		t.Fatalf("%v ended with %d:\n%s", args, code, out)
	}
	return out
}

// refuse runs a command that must say something and end with a status.
func refuse(t *testing.T, dir string, want int, said string, args ...string) {
	t.Helper()
	if code, out := program(t, dir, args...); code != want || !strings.Contains(out, said) {
		t.Errorf("%v ended with %d, want %d and %q:\n%s", args, code, want, said, out)
	}
}

func TestOldRunsArePrunedByCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 20)
	refuse(t, dir, exit.Usage, "retention:", "ledger", "prune")
	refuse(t, dir, exit.Usage, "400d", "ledger", "prune", "--older-than", "400")
	for range 3 {
		succeed(t, dir, "run")
	}
	first := firstRun(t, dir)
	succeed(t, dir, "plan", "cases")
	config, err := os.ReadFile(filepath.Join(dir, "docketsync.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "docketsync.yaml", string(config)+"retention: {runs: 400d, reports: 300d}\n")
	if out := succeed(t, dir, "ledger", "prune"); !strings.Contains(out, "0 runs pruned, with 0 records; 0 plans and checks removed; 0 reports removed") {
		t.Error(out)
	}
	age(t, dir, 401)
	upload := filepath.Join(dir, "uploads", "corrected", "0193a1d2-7c55-7aa0-8000-000000000001", "rejects.csv")
	old := time.Now().AddDate(0, 0, -301)
	if err := errors.Join(os.MkdirAll(filepath.Dir(upload), 0o700), os.WriteFile(upload, []byte("Ref,Title\n"), 0o600), os.Chtimes(upload, old, old)); err != nil {
		t.Fatal(err)
	}
	refuse(t, dir, exit.CouldNotRun, "the clock may have jumped ahead", "ledger", "prune", "--unattended")
	if out := succeed(t, dir, "ledger", "prune"); !strings.Contains(out, "2 runs pruned, with 20 records; 1 plan or check removed; 3 reports removed; 1 upload removed") {
		t.Error(out)
	}
	refuse(t, dir, exit.CouldNotRun, "its report cannot be made again. Of its records, 20 created", "report", first)
	refuse(t, dir, exit.CouldNotRun, "it cannot be reverted", "revert-file", first)
	if out := succeed(t, dir, "runs"); !strings.Contains(out, first) {
		t.Errorf("the pruned run is not listed:\n%s", out)
	}
	if out := succeed(t, dir, "ledger"); !strings.Contains(out, "3 runs with 40 records; 2 runs are pruned") || !strings.Contains(out, "known to hold 20 records; 0 are in doubt") {
		t.Error(out)
	}
	if out := succeed(t, dir, "ledger", "compact"); !strings.Contains(out, "was compacted: ") {
		t.Error(out)
	}
	if out := succeed(t, dir, "audit"); strings.Count(out, ",run,cases,done,,command line,") != 3 || !strings.Contains(out, `,prune,,done,"2 runs, 3 reports, 1 uploads",command line,`) {
		t.Errorf("the audit trail is\n%s", out)
	}
	if out := succeed(t, dir, "run"); !strings.Contains(out, "were already up to date") {
		t.Error(out)
	}
	if n := b.state(t).Cases; n != 20 {
		t.Errorf("%d cases are in the service, want 20", n)
	}
}

// firstRun is the id of the oldest run.
func firstRun(t *testing.T, dir string) string {
	t.Helper()
	var list struct {
		Runs []struct{ ID string } `json:"runs"`
	}
	if err := json.Unmarshal([]byte(succeed(t, dir, "runs", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	return list.Runs[len(list.Runs)-1].ID
}

// TestRestoredLedgerSendsNothing puts older copies in the ledger's place, and a new one: all would send again what was sent since.
func TestRestoredLedgerSendsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 10)
	succeed(t, dir, "run")
	succeed(t, dir, "ledger", "backup", "backups/ledger.db")
	plain, err := os.ReadFile(filepath.Join(dir, "docketsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := os.ReadFile(filepath.Join(dir, "cases.csv"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "cases.csv", string(rows)+"M-90000,Created after the backup\n")
	succeed(t, dir, "run")
	backup, err := os.ReadFile(filepath.Join(dir, "backups", "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ ledger, said string }{
		"the backup":    {string(backup), "is a backup that was taken on"},
		"a file's copy": {string(plain), "is older than run"},
		"a new ledger":  {"", "a new ledger in place of another"},
	} {
		write(t, dir, "docketsync.db", test.ledger)
		refuse(t, dir, exit.CouldNotRun, test.said, "run")
		if out := succeed(t, dir, "ledger"); !strings.Contains(out, test.said) {
			t.Errorf("%s: ledger does not say so:\n%s", name, out)
		}
		refuse(t, dir, exit.CouldNotRun, test.said, "cutover")
		refuse(t, dir, exit.CouldNotRun, test.said, "plan", "--out", filepath.Join(dir, "cases.plan"), "cases")
		for _, sendsNothing := range []string{"plan", "forecast"} {
			if _, out := command(t, dir, sendsNothing); !strings.Contains(out, "Warning: the ledger ") || !strings.Contains(out, test.said) || !strings.Contains(out, "cases") {
				t.Errorf("%s: %s does not say so:\n%s", name, sendsNothing, out)
			}
		}
	}
	if n := b.state(t).Cases; n != 11 {
		t.Errorf("%d cases are in the service, want 11", n)
	}
	// A ledger that knows nothing, or another job alone, would create all again.
	elsewhere := t.TempDir()
	writeCrashFirm(t, elsewhere, b, 0)
	write(t, elsewhere, "cases.csv", "Ref,Title\nX-1,Another job's\n")
	config, err := os.ReadFile(filepath.Join(elsewhere, "docketsync.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, elsewhere, "docketsync.yaml", strings.Replace(string(config), "name: cases", "name: files", 1))
	succeed(t, elsewhere, "run")
	another, err := os.ReadFile(filepath.Join(elsewhere, "docketsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	for content, what := range map[string]string{"": "was sent", string(another): "the job cases sent"} {
		write(t, dir, "docketsync.db", content)
		refuse(t, dir, exit.Usage, "knows nothing of what "+what+": the next run would send all of it again", "ledger", "accept-restore")
		refuse(t, dir, exit.CouldNotRun, "a new ledger in place of another", "run")
	}
	if out := succeed(t, dir, "ledger", "accept-restore", "--empty"); !strings.Contains(out, "may be used to send") {
		t.Error(out)
	}
	// Somebody has seen to it that what the copy does not know is not in the source.
	write(t, dir, "docketsync.db", string(backup))
	write(t, dir, "cases.csv", string(rows))
	if out := succeed(t, dir, "ledger", "accept-restore"); !strings.Contains(out, "It knows 10 records that the service holds, and 0 are in doubt") {
		t.Error(out)
	}
	if out := succeed(t, dir, "audit"); !strings.Contains(out, ",accept_restore,,done,,command line,") {
		t.Errorf("the audit trail is\n%s", out)
	}
	if out := succeed(t, dir, "run"); !strings.Contains(out, "All 10 matters were already up to date") {
		t.Error(out)
	}
	if out := succeed(t, dir, "ledger", "accept-restore"); !strings.Contains(out, "Nothing to accept") {
		t.Error(out)
	}
}

// TestBackupBesideAPush takes backups with the command while another process sends, and goes on from the last of them as after a
// restore. What the backup has as accepted is in the service; what it has as sent and not settled becomes a doubt.
func TestBackupBesideAPush(t *testing.T) {
	t.Parallel()
	const records = 300
	dir := t.TempDir()
	b := startSandbox(t, dir, "--faults", sandbox.Faults{Slow: sandbox.Delay{Wait: 40 * time.Millisecond, Probability: 1}}.String())
	writeCrashFirm(t, dir, b, records)
	done := make(chan string, 1)
	go func() {
		code, out := program(t, dir, "run")
		if code != exit.AllIn {
			t.Errorf("the push ended with %d:\n%s", code, out)
		}
		done <- out
	}()
	var backup []byte
	for over := false; !over; {
		select {
		case <-done:
			over = true
		default:
			if b.state(t).Cases == 0 || b.state(t).Cases > records*2/3 {
				continue
			}
			succeed(t, dir, "ledger", "backup", "backup.db")
			text, err := os.ReadFile(filepath.Join(dir, "backup.db"))
			if err != nil {
				t.Fatal(err)
			}
			if b.state(t).Cases < records { // else the machine was slow, and the push was over before the backup was
				backup = text
			}
		}
	}
	if backup == nil {
		t.Fatal("no backup was taken while the push went on")
	}
	write(t, dir, "docketsync.db", string(backup))
	refuse(t, dir, exit.CouldNotRun, "is a backup that was taken on", "run")
	known := infoOf(t, dir)
	if known.Known == 0 || known.Known >= records {
		t.Errorf("the backup was not taken midway: %+v", known)
	}
	// Somebody takes out of the source what was sent since, and lets the copy stand. What it has as sent and not settled is a doubt,
	// which a run does not send; so nothing is created twice.
	source := "Ref,Title\n"
	sent := sentBy(t, dir)
	for n := range records {
		if key := fmt.Sprintf("M-%05d", n); sent[key] {
			source += fmt.Sprintf("%s,Case %d\n", key, n)
		}
	}
	write(t, dir, "cases.csv", source)
	succeed(t, dir, "ledger", "accept-restore")
	refuse(t, dir, exit.Stopped, "rows fell from", "run")
	code, out := program(t, dir, "run", "cases", "--accept-guard", "--json")
	after := infoOf(t, dir)
	if code != exit.AllIn && code != exit.InDoubt || after.InDoubt > crashConcurrency || after.Known+after.InDoubt != len(sent) {
		t.Errorf("%d of the backup's records were sent; the run after it ended with %d and %+v:\n%s", len(sent), code, after, out)
	}
	if state := b.state(t); state.Cases != records || len(state.Repeated) > 0 {
		t.Errorf("%d cases are in the service, want %d; repeated %v", state.Cases, records, state.Repeated)
	}
}

// TestCopyOverTheSameRunIsRefused kills a push, copies its ledger, lets the push go on until it is killed once more, and puts the
// copy back: nothing may be sent then. The ledger as the second kill left it goes on without a word.
func TestCopyOverTheSameRunIsRefused(t *testing.T) {
	t.Parallel()
	const records = 300
	dir := t.TempDir()
	b := startSandbox(t, dir, "--faults", sandbox.Faults{Slow: sandbox.Delay{Wait: 40 * time.Millisecond, Probability: 1}}.String())
	writeCrashFirm(t, dir, b, records)
	files := []string{"docketsync.db", "docketsync.db-wal"}
	read := func() (texts []string) {
		for _, name := range files {
			text, _ := os.ReadFile(filepath.Join(dir, name))
			texts = append(texts, string(text))
		}
		return texts
	}
	put := func(texts []string) {
		_ = os.Remove(filepath.Join(dir, "docketsync.db-shm"))
		for n, name := range files {
			write(t, dir, name, texts[n])
		}
	}
	killAt(t, dir, b, records/4)
	older := read()
	killAt(t, dir, b, records/2)
	newer, sent := read(), b.state(t).Cases
	put(older)
	refuse(t, dir, exit.CouldNotRun, "intents and outcomes that were committed", "run")
	if n := b.state(t).Cases; n != sent {
		t.Errorf("%d cases were sent from the older copy", n-sent)
	}
	put(newer)
	if code, out := program(t, dir, "run"); code != exit.AllIn && code != exit.InDoubt {
		t.Errorf("the ledger as it was ended with %d:\n%s", code, out)
	}
	if state := b.state(t); len(state.Repeated) > 0 {
		t.Errorf("repeated %v", state.Repeated)
	}
}

// killAt starts a run and kills it when the service has so many cases.
func killAt(t *testing.T, dir string, b box, cases int) {
	t.Helper()
	cmd := exec.Command("docketsync", "run", "--quiet")
	cmd.Dir, cmd.Env = dir, environment()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for int(b.state(t).Cases) < cases {
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the run ended before it was killed")
	}
}

// sentBy are the keys of the records that were sent, as far as a firm's ledger knows.
func sentBy(t *testing.T, dir string) map[string]bool {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "docketsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `select key from records where sent_at is not null`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	sent := map[string]bool{}
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			t.Fatal(err)
		}
		sent[strings.Trim(key, `"[]`)] = true
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return sent
}

func infoOf(t *testing.T, dir string) (info ledgerInfo) {
	t.Helper()
	if err := json.Unmarshal([]byte(succeed(t, dir, "ledger", "--json")), &info); err != nil {
		t.Fatal(err)
	}
	return info
}

// The report of a run says so when it can no longer name all that vanished, since the run before it was pruned.
func TestReportSaysWhatOfTheVanishedIsLost(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, "guards: {rows_fell: off, vanished: 60%}")
	g.export(good)
	g.run(exit.AllIn, "run")
	g.export(func(rows [][]string) [][]string { return rows[:51] })
	g.run(exit.AllIn, "run")
	var list struct {
		Runs []struct{ ID string } `json:"runs"`
	}
	if err := json.Unmarshal([]byte(succeed(t, g.dir, "runs", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	last := list.Runs[0].ID
	if said, _ := g.run(exit.AllIn, "report", last); !strings.Contains(said, "TM-0050, ") || !strings.Contains(said, " and 30 more in vanished.csv") {
		t.Errorf("before it is pruned:\n%s", said)
	}
	age(t, g.dir, 401)
	g.run(exit.AllIn, "ledger", "prune", "--older-than", "400d")
	said, _ := g.run(exit.AllIn, "report", last)
	if !strings.Contains(said, "50 records of the last run are no longer in the export") || !strings.Contains(said, "; the run that they were last seen in was pruned on ") {
		t.Errorf("after it was pruned:\n%s", said)
	}
	pages, err := filepath.Glob(filepath.Join(g.dir, "reports", "*", "report.html"))
	if err != nil || !slices.ContainsFunc(pages, func(path string) bool {
		text, err := os.ReadFile(path)
		return err == nil && strings.Contains(string(text), "lists what is still known: the run that they were last seen in was pruned on ")
	}) {
		t.Errorf("no page says so: %v %v", pages, err)
	}
}

// TestALedgerLeftBehindIsNoticed shows that a new ledger with a new folder of reports is not used to create again what the ledger
// beside the configuration created, until somebody says so.
func TestALedgerLeftBehindIsNoticed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 2)
	succeed(t, dir, "run")
	addSettings(t, dir, "ledger: new/ledger.db\nreports: new/reports\n")
	before, err := os.ReadFile(filepath.Join(dir, "docketsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	left := "but jobs of this configuration have sent to this service with "
	refuse(t, dir, exit.CouldNotRun, left, "run")
	if _, out := command(t, dir, "plan"); !strings.Contains(out, "Warning: ") || !strings.Contains(out, left) {
		t.Errorf("the plan does not say so:\n%s", out)
	}
	if out := succeed(t, dir, "ledger"); !strings.Contains(out, left) {
		t.Errorf("ledger does not say so:\n%s", out)
	}
	refuse(t, dir, exit.Usage, "knows nothing of what was sent", "ledger", "accept-restore")
	if n := b.state(t).Cases; n != 2 {
		t.Errorf("%d cases are in the service, want 2", n)
	}
	if after, err := os.ReadFile(filepath.Join(dir, "docketsync.db")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the ledger that was left behind was written to: %v", err)
	}
	write(t, dir, "docketsync.db", "") // not a ledger
	succeed(t, dir, "plan")
	write(t, dir, "docketsync.db", string(before))
	succeed(t, dir, "ledger", "accept-restore", "--empty")
	if out := succeed(t, dir, "run"); !strings.Contains(out, "All 2 matters were imported") {
		t.Errorf("the accepted ledger:\n%s", out)
	}
}
