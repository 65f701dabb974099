package main

import (
	"path/filepath"
	"strings"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/ledger"
)

// TestLedgerBelongsToOneService shows that what was sent to one service is not taken for what another one holds: not on another
// host, not on another port of this machine, not below another path of the same host.
func TestLedgerBelongsToOneService(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeCrashFirm(t, dir, startSandbox(t, dir), 2)
	if code, out := command(t, dir, "run"); code != exit.AllIn {
		t.Fatalf("the first run ended with %d:\n%s", code, out)
	}
	rest := strings.SplitN(string(read(t, filepath.Join(dir, "docketsync.yaml"))), "pace:", 2)[1]
	for _, base := range []string{"https://cases.invalid", startSandbox(t, t.TempDir()).base, "sandbox"} {
		write(t, dir, "other.yaml", "service: {base_url: '"+base+"', subscription_key: {env: K}, auth_cookie: {env: C}}\npace:"+rest)
		code, out := programWith(t, dir, []string{"K=a long key", "C=a cookie"}, "--config", "other.yaml", "run")
		if code != exit.Usage || !strings.Contains(out, "belongs to the service http://127.0.0.1:") || !strings.Contains(out, "but the configuration sends to "+base) {
			t.Errorf("the run against %s ended with %d:\n%s", base, code, out)
		}
	}
}

// TestOldNamesOfServicesAreAdopted shows that a ledger which knows its service by the host alone is bound to the whole address:
// at once while nothing was sent, after that when somebody confirms it, because another port may have been meant; and that a service which moved is taken for the same when somebody says so.
func TestOldNamesOfServicesAreAdopted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := startSandbox(t, dir)
	writeCrashFirm(t, dir, box, 2)
	remember := func(name string) {
		book, err := ledger.Open(t.Context(), filepath.Join(dir, "docketsync.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer book.Close()
		if err := book.SetService(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	remember("cases.firm.example")
	if code, out := command(t, dir, "run"); code != exit.Usage {
		t.Errorf("another host ended with %d:\n%s", code, out)
	}
	if code, out := command(t, dir, "ledger", "accept-service"); code != exit.Usage || !strings.Contains(out, "rehearsal") {
		t.Errorf("a rehearsal took over what a live service holds, with %d:\n%s", code, out)
	}
	remember("this machine")
	cases := string(read(t, filepath.Join(dir, "cases.csv")))
	write(t, dir, "cases.csv", "Ref,Title\n")
	if code, out := command(t, dir, "run"); code != exit.AllIn || !strings.Contains(out, "nothing to do") {
		t.Errorf("the old name of a ledger that has sent nothing ended with %d:\n%s", code, out)
	}
	write(t, dir, "cases.csv", cases)
	if code, out := command(t, dir, "run"); code != exit.AllIn || box.state(t).Cases != 2 {
		t.Fatalf("the first run ended with %d:\n%s", code, out)
	}
	remember("this machine")
	for _, args := range [][]string{{"run"}, {"doctor"}} {
		if code, out := command(t, dir, args...); code != exit.Usage || !strings.Contains(out, `noted only "this machine"`) || !strings.Contains(out, "were sent to "+box.base) {
			t.Errorf("the old name %q ended with %d:\n%s", args, code, out)
		}
	}
	if code, out := command(t, dir, "ledger", "accept-service"); code != exit.AllIn || !strings.Contains(out, "before: this machine") {
		t.Errorf("accept-service of the old name ended with %d:\n%s", code, out)
	}
	if code, out := command(t, dir, "run"); code != exit.AllIn || box.state(t).Cases != 2 {
		t.Errorf("the old name ended with %d:\n%s", code, out)
	}
	moved := startSandbox(t, t.TempDir())
	write(t, dir, "docketsync.yaml", strings.ReplaceAll(string(read(t, filepath.Join(dir, "docketsync.yaml"))), box.base, moved.base))
	if code, out := command(t, dir, "run"); code != exit.Usage {
		t.Errorf("another port ended with %d:\n%s", code, out)
	}
	if code, out := command(t, dir, "ledger", "accept-service"); code != exit.AllIn || !strings.Contains(out, moved.base) {
		t.Errorf("accept-service ended with %d:\n%s", code, out)
	}
	if _, out := command(t, dir, "audit"); !strings.Contains(out, ",accept_service,"+moved.base+",done,before: "+box.base+",command line,") {
		t.Errorf("the audit trail is\n%s", out)
	}
	if code, out := command(t, dir, "run"); code != exit.AllIn || moved.state(t).Cases != 0 {
		t.Errorf("after the move the run ended with %d:\n%s", code, out)
	}
}

// TestLedgerBelongsToOneAccount shows that what was sent to one account is not taken for what another account at the same address holds, nor a plan for one sent to the other, that a
// renewed key is confirmed once, and that an account with a name may have any.
func TestLedgerBelongsToOneAccount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	box := startSandbox(t, dir)
	writeCrashFirm(t, dir, box, 2)
	path, plan := filepath.Join(dir, "docketsync.yaml"), filepath.Join(dir, "cases.plan")
	set := func(account, key string) {
		rest := strings.SplitN(string(read(t, path)), "  auth_cookie:", 2)[1]
		write(t, dir, "docketsync.yaml", "service:\n  base_url: "+box.base+"\n"+account+"  subscription_key: {env: NO_KEY, default: "+key+"}\n  auth_cookie:"+rest)
	}
	ends := func(want int, says string, args ...string) {
		t.Helper()
		if code, out := command(t, dir, args...); code != want || !strings.Contains(out, says) {
			t.Errorf("%q ended with %d:\n%s", args, code, out)
		}
	}
	cases := string(read(t, filepath.Join(dir, "cases.csv")))
	write(t, dir, "cases.csv", "Ref,Title\n")
	set("", "a mistyped key")
	ends(exit.AllIn, "nothing to do", "run")
	write(t, dir, "cases.csv", cases)
	set("", "the key of the trial account")
	ends(exit.AllIn, "", "plan", "cases", "--out", plan)
	set("", "the key of the live account")
	ends(exit.Stopped, "the subscription key is not the one with which the plan was made", "run", "--plan", plan)
	set("", "the key of the trial account")
	ends(exit.AllIn, "All 2 matters were imported", "run", "--plan", plan) // nothing had been sent with the other key
	set("", "the key of the live account")
	ends(exit.Usage, "the subscription key is not the one", "run")
	ends(exit.Usage, "the subscription key is not the one", "doctor")
	ends(exit.AllIn, "The account was confirmed: the subscription key is not the one", "ledger", "accept-service")
	ends(exit.AllIn, "already up to date", "run")
	ends(exit.AllIn, ",accept_service,"+box.base+",done,before: "+box.base+"; the subscription key is not the one", "audit")
	set("  account: live\n", "the key of the live account")
	ends(exit.AllIn, "already up to date", "run")
	set("  account: live\n", "a renewed key")
	ends(exit.AllIn, "already up to date", "run")
	set("  account: trial\n", "a renewed key")
	ends(exit.Usage, "service.account is \"trial\", and the records in the ledger were sent with \"live\"", "run")
	if n := box.state(t).Cases; n != 2 {
		t.Errorf("%d cases", n)
	}
}
