//go:build unix

package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"docketsync/config"
)

// TestAFirmOfPipes has pipes in place of the files of firms. Nobody waits for what may come out of them.
func TestAFirmOfPipes(t *testing.T) {
	t.Parallel()
	f, _, _ := fleetOf(t, nil, map[string]string{"acme": everyMinute, "birch": everyMinute})
	pipes := map[string]string{"acme": f.folder.Path("acme"), "birch": filepath.Join(filepath.Dir(f.folder.Path("birch")), config.JobsFolder, "marks.yaml")}
	for _, path := range pipes {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(path)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.scan(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range pipes {
		of, _, _ := f.choose("", time.Now())
		if of == nil {
			t.Fatal("a firm does not answer")
		}
		f.visit(t.Context(), of)
		if !strings.Contains(of.trouble, "not a regular file") {
			t.Errorf("%s: %q", of.name, of.trouble)
		}
	}
}
