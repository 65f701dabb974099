package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/ledger"
)

// readers are the commands that only read, and what each has to say of the firm's run.
var readers = map[string]string{
	"runs": "finished", "report cases-1 --json": `"verdict":"All 3 matters were imported."`, "report cases-1 --dir $OUT": "All 3 matters were imported",
	"ledger": "1 run with 3 records", "ledger check": "no damage found", "schedule --list": "cases", "certificate cases-1 --out $OUT/signed": "All 3 records were imported",
	"plan": "All 3 matters were already up to date", "plan --json": `"unchanged"`, "resolve cases-1": "Nothing is in doubt",
}

const (
	readOnlyDisk = `mount --bind "$FIRM" "$FIRM" && mount -o remount,ro,bind "$FIRM"`
	smallDisk    = `mount -t tmpfs -o size=4m none "$OUT/disk" && cp -a "$FIRM"/. "$OUT/disk" && mount --bind "$OUT/disk" "$FIRM"`
)

// TestWhatOnlyReadsWorksOnADiskThatTakesNothing puts a firm on a disk that is read-only, and on one that is full to the last byte. What
// writes says so.
func TestWhatOnlyReadsWorksOnADiskThatTakesNothing(t *testing.T) {
	t.Parallel()
	for name, disk := range map[string]string{"read-only": readOnlyDisk, "full": smallDisk + `; cat /dev/zero > "$FIRM/filling" 2>/dev/null`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			firm, out := t.TempDir(), t.TempDir()
			if err := os.Mkdir(filepath.Join(out, "disk"), 0o700); err != nil {
				t.Fatal(err)
			}
			writeCrashFirm(t, firm, startSandbox(t, firm), 3)
			settings := string(read(t, filepath.Join(firm, "docketsync.yaml")))
			write(t, firm, "docketsync.yaml", strings.Replace(settings, "name: cases,", `name: cases, when: "0 2 * * *",`, 1))
			if code, said := program(t, firm, "run"); code != exit.AllIn {
				t.Fatalf("the run ended with %d:\n%s", code, said)
			}
			for command, want := range readers {
				if said, err := onDisk(t, firm, out, disk, "docketsync "+command); err != nil || !strings.Contains(said, want) {
					t.Errorf("%s: %v\n%s", command, err, said)
				}
			}
			if said, err := onDisk(t, firm, out, disk, "docketsync run"); err == nil || !strings.Contains(said, "ledger") {
				t.Errorf("run: %v\n%s", err, said)
			}
		})
	}
}

// onDisk runs a line of a shell in a name space of its own, where the firm's folder is on a disk of its own.
func onDisk(t *testing.T, firm, out, disk, line string) (string, error) {
	t.Helper()
	cmd := exec.Command("unshare", "--mount", "--map-root-user", "sh", "-c", disk+`; cd "$FIRM" && `+line)
	cmd.Env = environment("FIRM="+firm, "OUT="+out)
	text, err := cmd.CombinedOutput()
	if strings.Contains(string(text), "unshare:") || runtime.GOOS != "linux" {
		if strings.Contains(os.Getenv("DOCKETSYNC_REQUIRE"), "mount") {
			t.Fatalf("no disk can be mounted: %v: %s", err, text)
		}
		t.Skipf("no disk can be mounted: %v: %s", err, text)
	}
	return string(text), err
}

// consoleOnDisk starts the console of a firm with one run on a disk of its own. root is what the firm's folder is called from outside.
func consoleOnDisk(t *testing.T, disk string) (c *openConsole, root string) {
	t.Helper()
	firm, _ := writeConsoleFirm(t, 3)
	out := t.TempDir()
	if err := os.Mkdir(filepath.Join(out, "disk"), 0o700); err != nil {
		t.Fatal(err)
	}
	if code, said := program(t, firm, "run"); code != exit.AllIn {
		t.Fatalf("the run ended with %d:\n%s", code, said)
	}
	onDisk(t, firm, out, disk, "true") // which skips where no disk can be mounted
	c = startConsole(t, firm, "env", "FIRM="+firm, "OUT="+out, "unshare", "--mount", "--map-root-user", "sh", "-c", disk+`; cd "$FIRM" && exec "$@"`, "sh")
	return c, fmt.Sprintf("/proc/%d/root%s", c.cmd.Process.Pid, firm)
}

// consolePages are pages that only read, and what each has to say.
var consolePages = map[string]string{
	"/": "<h1", "/runs": "cases", "/runs/cases-1": "All 3 matters were imported.", "/records?q=M-00001": "Case 1", "/records/of?scope=create_case&key=M-00001": "Case 1",
	"/doubts": "Nothing", "/settings": "jobs", "/audit": "Audit log", "/jobs/cases": "cases", "/runs/cases-1/files/report.html": "All 3 matters were imported",
}

// fill leaves no byte on a disk.
func fill(t *testing.T, root string) {
	t.Helper()
	f, err := os.Create(filepath.Join(root, "filling"))
	if err != nil {
		t.Fatal(err)
	}
	for piece := make([]byte, 4096); err == nil; {
		_, err = f.Write(piece)
	}
	f.Close()
}

// showsCopy looks at all pages of a console whose ledger cannot be written.
func showsCopy(t *testing.T, c *openConsole, v *visitor, why string) {
	t.Helper()
	alert := "The ledger cannot be written to (" + why + "). These pages show the ledger as of "
	v.get("/") // the console finds out when it reads the ledger, which a page such as the settings does not
	for path, want := range consolePages {
		status, page := v.get(path)
		if status != 200 || !strings.Contains(page, want) || strings.Contains(path, "/files/") == strings.Contains(page, alert) {
			t.Errorf("%s: %d\n%s", path, status, page)
		}
	}
	if status, page := v.post("/jobs/cases/plan", url.Values{"after": {""}}); status != 503 || !strings.Contains(page, "Nothing can be run or decided") {
		t.Errorf("an order was answered with %d\n%s", status, page)
	}
	if status, page := c.visitor("Victor", viewerPassword).get("/"); status != 200 || !strings.Contains(page, alert) {
		t.Errorf("somebody who signs in now: %d\n%s", status, page)
	}
}

// goesBack makes room on a disk, and waits for the console to see it: then it does what is asked of it.
func goesBack(t *testing.T, v *visitor, root string) {
	t.Helper()
	if err := os.Remove(filepath.Join(root, "filling")); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); ; <-tick.C {
		_, page := v.get("/jobs/cases")
		if !strings.Contains(page, "cannot be written to") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("with room on the disk again:\n%s", page)
		}
	}
	if status, page := v.post("/runs/cases-1/files", url.Values{}); status != 200 || !strings.Contains(page, "The files have been written again.") {
		t.Errorf("what asks for a write was answered with %d\n%s", status, page)
	}
}

// TestConsoleStartsOnADiskThatTakesNothing starts the console on a disk that is read-only, and on one that is full.
func TestConsoleStartsOnADiskThatTakesNothing(t *testing.T) {
	t.Parallel()
	for why, disk := range map[string]string{"read-only file system": readOnlyDisk, "disk full": smallDisk + `; cat /dev/zero > "$FIRM/filling" 2>/dev/null`} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			c, root := consoleOnDisk(t, disk)
			v := c.visitor("Ines", operatorPassword)
			showsCopy(t, c, v, why)
			if why == "disk full" {
				goesBack(t, v, root)
			}
		})
	}
}

// TestConsoleReadsWhenItsDiskFillsUp fills the disk of a console while its last commit stands in the ledger's log alone:
// to read needs no room.
func TestConsoleReadsWhenItsDiskFillsUp(t *testing.T) {
	t.Parallel()
	c, root := consoleOnDisk(t, smallDisk)
	v := c.visitor("Ines", operatorPassword)
	enter := exec.Command("nsenter", "--target", strconv.Itoa(c.cmd.Process.Pid), "--user", "--mount", "--preserve-credentials", "sh", "-c", `cd "$FIRM" && leave-outcome`)
	enter.Env = environment("FIRM=" + c.dir)
	if said, err := enter.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	fill(t, root)
	if status, page := v.get("/records/of?scope=create_case&key=M-00009"); status != 200 || !strings.Contains(page, "an id of the last outcome") {
		t.Errorf("what was committed last: %d\n%s", status, page)
	}
}

// leaveOutcome is a program that commits an outcome and is gone before that stands anywhere but in the log of the ledger.
func leaveOutcome() {
	ctx := context.Background()
	book, err := ledger.Open(ctx, "docketsync.db")
	run := ledger.Run{ID: "cases-9", Job: "cases", Kind: ledger.Push, Operation: "create_case", Scope: "create_case", Phase: ledger.Pushing, Started: time.Now()}
	if err == nil {
		err = book.Begin(ctx, run)
	}
	if err == nil {
		_, err = book.Add(ctx, []ledger.Record{{Run: run.ID, Seq: 1, Scope: run.Scope, Key: "M-00009", Action: ledger.Create, State: ledger.Planned, Digest: "d",
			Payload: json.RawMessage(`{"name":"Case 9"}`), Rows: []ledger.Row{{Number: 2, Cells: json.RawMessage(`[]`)}}}})
	}
	if err == nil {
		err = book.Commit(ctx, nil, []ledger.Intent{{Run: run.ID, Seq: 1}})
	}
	if err == nil {
		err = book.Commit(ctx, []ledger.Outcome{{Run: run.ID, Seq: 1, State: ledger.Accepted, ServiceID: "an id of the last outcome", At: time.Now()}}, nil)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
