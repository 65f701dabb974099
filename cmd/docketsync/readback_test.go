package main

import (
	"path/filepath"
	"strings"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
)

// TestWhatTheServiceStoresOtherwiseIsTold lets a service cut names in half: the run stops after a few, names the field and the settings,
// and every difference is in the output, the report and the certificate with both values.
func TestWhatTheServiceStoresOtherwiseIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir, "--faults", "alter=1")
	writeCrashFirm(t, dir, b, 60)
	code, out := program(t, dir, "run")
	for _, want := range []string{"the service stores name with a different value than was sent in 5 of the first 5 records", "service: {not_read_back: [name]}", "stop_after: {same_difference: 0}"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not said", want)
		}
	}
	if code != exit.Stopped || b.state(t).Cases > 5+crashConcurrency || t.Failed() {
		t.Fatalf("it ended with %d after %d cases:\n%s", code, b.state(t).Cases, out)
	}
	addSettings(t, dir, "stop_after: {same_difference: 0}\nguards: {changes: off}\n")
	code, out = program(t, dir, "run")
	for _, want := range []string{"The service stored 60 fields of 60 matters with a different value than was sent", "/differs.csv", "name: “"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not said", want)
		}
	}
	if code != exit.Rejects || b.state(t).Cases != 60 || t.Failed() {
		t.Fatalf("without the limit it ended with %d:\n%s", code, out)
	}
	found, err := filepath.Glob(filepath.Join(dir, "reports", "*", "differs.csv"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no list: %v", err)
	}
	lines := strings.Split(string(read(t, found[len(found)-1])), "\r\n")
	if len(lines) != 62 || lines[0] != "\ufeffkey,service id,rows,field,sent,stored in the service" || !strings.Contains(lines[1], ",name,") {
		t.Errorf("the list is %q", lines)
	}
	// It is said every night until somebody has acknowledged it, or the field is no longer compared.
	code, again := program(t, dir, "run")
	for _, want := range []string{"All 60 matters were already in the service.", "The service stored 60 fields of 60 matters with a different value than was sent", "/differs.csv"} {
		if !strings.Contains(again, want) || code != exit.Rejects {
			t.Errorf("the next night ended with %d and does not say %q:\n%s", code, want, again)
		}
	}
	_, same, _ := strings.Cut(again, "run: ")
	same, _, _ = strings.Cut(same, " ")
	if code, again = program(t, dir, "rejects", same, "--all", "--acknowledge"); code != exit.AllIn || !strings.Contains(again, "0 records rejected, 60 records differ in the service, 60 of them acknowledged.") {
		t.Errorf("acknowledging ended with %d:\n%s", code, again)
	}
	if code, again = program(t, dir, "run"); code != exit.AllIn {
		t.Errorf("after it was acknowledged: %d\n%s", code, again)
	}
	if code, again = program(t, dir, "rejects", same, "--all", "--withdraw"); code != exit.AllIn {
		t.Errorf("withdrawing ended with %d:\n%s", code, again)
	}
	config := string(read(t, filepath.Join(dir, "docketsync.yaml")))
	write(t, dir, "docketsync.yaml", strings.Replace(config, "service:\n", "service:\n  not_read_back: [name]\n", 1))
	if code, again = program(t, dir, "run"); code != exit.AllIn || strings.Contains(again, "different value") {
		t.Errorf("a field that is not compared: %d\n%s", code, again)
	}
	write(t, dir, "docketsync.yaml", config)
	if code, again = program(t, dir, "run"); code != exit.Rejects || !strings.Contains(again, "The service stored 60 fields of 60 matters with a different value than was sent") {
		t.Errorf("a field that is compared again: %d\n%s", code, again)
	}
	// It is said beside a change of another field, and who acknowledges that change has not acknowledged what was not said.
	write(t, dir, "cases.yaml", strings.Replace(string(read(t, filepath.Join(dir, "cases.yaml"))), "active: {value: true}", "active: {value: false}", 1))
	for _, compared := range []bool{false, true} {
		write(t, dir, "docketsync.yaml", config)
		if !compared {
			write(t, dir, "docketsync.yaml", strings.Replace(config, "service:\n", "service:\n  not_read_back: [name]\n", 1))
		}
		code, again = program(t, dir, "run")
		if code != exit.Rejects || !strings.Contains(again, "60 records, counted above, have changes that cannot be sent") || strings.Contains(again, "The service stored 60 fields of 60 matters") != compared {
			t.Errorf("a row that changed, compared %v: %d\n%s", compared, code, again)
		}
		_, same, _ = strings.Cut(again, "run: ")
		same, _, _ = strings.Cut(same, " ")
		if code, again = program(t, dir, "rejects", same, "--all", "--acknowledge"); code != exit.AllIn || strings.Contains(again, "has changed since; a create is never sent twice (+1 more)") != compared {
			t.Errorf("acknowledging ended with %d:\n%s", code, again)
		}
		if code, again = program(t, dir, "run"); code != exit.AllIn {
			t.Errorf("after it was acknowledged: %d\n%s", code, again)
		}
	}
	_, run, _ := strings.Cut(out, "run: ")
	run, _, _ = strings.Cut(run, " ")
	_, out = program(t, dir, "certificate", run, "--out", "signed")
	text := string(read(t, filepath.Join(dir, "signed", "certificate.json"))) + string(read(t, filepath.Join(dir, "signed", "certificate.html")))
	for _, want := range []string{`"in_read_back": 60`, `"in_stored_differently": 60`, `"complete": false`, "for 60 the service stored a field with a different value than was sent",
		"Read back: for 60 of 60 records imported, the service&#39;s response showed fields as stored"} {
		if !strings.Contains(text, want) {
			t.Errorf("the certificate does not say %q:\n%s", want, out)
		}
	}
}
