package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// readers are the commands that only read, and what each has to say of the firm's run.
var readers = map[string]string{
	"runs": "finished", "report cases-1 --json": `"verdict":"All 3 matters went in."`, "report cases-1 --dir $OUT": "All 3 matters went in",
	"ledger": "1 runs with 3 records", "ledger check": "no damage found", "schedule --list": "cases", "certificate cases-1 --out $OUT/signed": "All 3 records are in",
	"plan": "All 3 matters were in already", "plan --json": `"unchanged"`, "resolve cases-1": "Nothing is in doubt",
}

// TestWhatOnlyReadsWorksOnADiskThatTakesNothing puts a firm on a disk that is read-only, and on one that is full to the last byte. What
// writes says so.
func TestWhatOnlyReadsWorksOnADiskThatTakesNothing(t *testing.T) {
	t.Parallel()
	for name, disk := range map[string]string{
		"read-only": `mount --bind "$FIRM" "$FIRM" && mount -o remount,ro,bind "$FIRM"`,
		"full":      `mount -t tmpfs -o size=2m none "$OUT/disk" && cp -a "$FIRM"/. "$OUT/disk" && mount --bind "$OUT/disk" "$FIRM"; cat /dev/zero > "$FIRM/filling" 2>/dev/null`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			firm, out := t.TempDir(), t.TempDir()
			if err := os.Mkdir(filepath.Join(out, "disk"), 0o700); err != nil {
				t.Fatal(err)
			}
			writeCrashFirm(t, firm, startSandbox(t, firm), 3)
			settings := string(read(t, filepath.Join(firm, "docketsync.yaml")))
			write(t, firm, "docketsync.yaml", strings.Replace(settings, "name: cases,", `name: cases, when: "0 2 * * *",`, 1))
			if code, said := program(t, firm, "run"); code != exitAllIn {
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
