package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer"
)

// TestLostLedgerCreatesNothingThatIsListed loses a ledger and its witness. What the service lists already is not created a second
// time; it is taken over where that is certain, and only what is new goes out then.
func TestLostLedgerCreatesNothingThatIsListed(t *testing.T) {
	t.Parallel()
	const records = 10
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, records)
	configure(t, dir, atOnce)
	succeed(t, dir, "run") // a ledger that knows nothing, and a service that lists nothing
	for _, pattern := range []string{"docketsync.db*", "reports/.last-run*"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			if err := os.RemoveAll(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	rows, err := os.ReadFile(filepath.Join(dir, "cases.csv"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "cases.csv", strings.Replace(string(rows), "Case 3\n", "Another name\n", 1)+"M-00010,Case 10\n")
	refuse(t, dir, exit.CouldNotRun, "10 of the 11 records that would be created are already in the service's list cases: M-00000, ", "run")
	if n := b.state(t).Cases; n != records {
		t.Fatalf("%d cases are in the service, want %d", n, records)
	}
	var done importer.Adoption
	if err := json.Unmarshal([]byte(succeed(t, dir, "ledger", "adopt", "cases", "--json")), &done); err != nil {
		t.Fatal(err)
	}
	if len(done.Taken) != 0 || done.New != 1 || len(done.Left) != 1 || done.Left[0].Key != "M-00003" || !strings.Contains(done.Left[0].Why, "Another name") {
		t.Errorf("%+v", done)
	}
	refuse(t, dir, exit.CouldNotRun, "1 record is uncertain, such as M-00003, although the list cases has the number or name", "ledger", "adopt", "cases", "--partly")
	refuse(t, dir, exit.CouldNotRun, "10 of the 11 records", "run") // as long as it is not certain of all
	write(t, dir, "cases.csv", string(rows)+"M-00010,Case 10\n")
	if out := succeed(t, dir, "ledger", "adopt", "cases"); !strings.Contains(out, "10 records were taken over") {
		t.Error(out)
	}
	if out := succeed(t, dir, "audit"); !strings.Contains(out, ",adopt,cases,done,10 records from the list cases,command line,") {
		t.Errorf("the audit trail is\n%s", out)
	}
	if out := succeed(t, dir, "run"); !strings.Contains(out, "1 of 11") {
		t.Error(out)
	}
	if state := b.state(t); state.Cases != records+1 || len(state.Repeated) > 0 {
		t.Errorf("%d cases are in the service, want %d; repeated %v", state.Cases, records+1, state.Repeated)
	}
	// An adopted case was never sent. Under a new key it is asked about all the same, as often as its key changes.
	key := "M-00003"
	for _, next := range []string{"N-3", "O-3"} {
		write(t, dir, "cases.csv", strings.Replace(string(rows), "M-00003", next, 1)+"M-00010,Case 10\n")
		refuse(t, dir, exit.Rejects, fmt.Sprintf("%q may be a new key of %q", next, key), "run")
		succeed(t, dir, "renamed", next, "same")
		succeed(t, dir, "verify")
		key = next
	}
	succeed(t, dir, "run")
	if n := b.state(t).Cases; n != records+1 {
		t.Errorf("%d cases are in the service, want %d", n, records+1)
	}
	succeed(t, dir, "verify")
}
