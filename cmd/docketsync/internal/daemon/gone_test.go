package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAFirmThatIsGone removes the folder of a broken firm: it has not recovered, it is gone. Where no firm is left, the folder of all is what is wrong.
func TestAFirmThatIsGone(t *testing.T) {
	t.Parallel()
	f, said, told := fleetOf(t, nil, map[string]string{"acme": "jobz: []\n", "birch": everyMinute})
	f.firms["acme"].next = time.Now()
	f.visitNow(t, "acme")
	numbers := func(served, broken string) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(filepath.Dir(f.folder.Dir), "fleet.prom"))
		if err != nil || !strings.Contains(string(text), `docketsync_firms{state="served"} `+served+"\n") || !strings.Contains(string(text), `docketsync_firms{state="broken"} `+broken+"\n") {
			t.Errorf("not %s served and %s broken: %v\n%s", served, broken, err, text)
		}
	}
	numbers("1", "1")
	if now := told(); !strings.Contains(now, "Firm acme needs attention") {
		t.Errorf("people were told\n%s", now)
	}
	if err := os.RemoveAll(filepath.Dir(f.firms["acme"].path)); err != nil {
		t.Fatal(err)
	}
	f.firms["acme"].next = time.Now()
	f.visitNow(t, "acme")
	if now := told() + said.String(); strings.Contains(now, "is gone") {
		t.Errorf("before the folder was looked at, people were told\n%s", now)
	}
	if err := f.scan(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now := told(); !strings.Contains(now, `"event":"gone"`) || !strings.Contains(now, "Firm acme is gone: nothing of it is synced.") || strings.Contains(now, "recovered") {
		t.Errorf("people were told\n%s", now)
	}
	numbers("1", "0")

	aside := filepath.Join(t.TempDir(), "birch")
	if err := os.Rename(filepath.Dir(f.firms["birch"].path), aside); err != nil {
		t.Fatal(err)
	}
	f.firms["birch"].next = time.Time{}
	if err := f.scan(t.Context()); err == nil || f.firms["birch"] == nil {
		t.Fatalf("the last firm of a folder is given up: %v\n%s", err, said)
	}
	f.visitNow(t, "birch")
	if now := told(); !strings.Contains(now, "Firm birch needs attention: it cannot be served: there is no firm left in "+f.folder.Dir) {
		t.Errorf("people were told\n%s", now)
	}
	numbers("0", "1")
	if err := os.Rename(aside, filepath.Join(f.folder.Dir, "birch")); err != nil {
		t.Fatal(err)
	}
	if err := f.scan(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.firms["birch"].next = time.Now()
	f.visitNow(t, "birch")
	if now := told(); !strings.Contains(now, "Firm birch has recovered.") {
		t.Errorf("people were told\n%s\n%s", now, said)
	}
	numbers("1", "0")
}
