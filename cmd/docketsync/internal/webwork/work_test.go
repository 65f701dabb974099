package webwork_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/cmd/docketsync/internal/webwork"
	"docketsync/importer/console/queue"
	"docketsync/importer/console/setup"
	"docketsync/importer/ledger"
)

// TestNothingIsSentThatNobodyApproved has an order to send refused that names neither a plan nor what a guard stopped.
func TestNothingIsSentThatNobodyApproved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "docketsync.yaml")
	if err := os.WriteFile(path, []byte(setup.Sandbox().Text()), 0o600); err != nil {
		t.Fatal(err)
	}
	made := &installation.Setup{Screen: &terminal.Screen{Out: io.Discard, Err: io.Discard}, ConfigFile: path, Env: func(string) (string, bool) { return "", false }}
	in, err := made.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := in.ObserveRuns(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"", path} {
		_, err := webwork.New(made, in, nil).Run(t.Context(), queue.Order{Job: "cases", Kind: ledger.Push, File: file, Who: "Ines"}, queue.Tell{})
		if err == nil || !strings.Contains(err.Error(), "nobody has approved") {
			t.Errorf("an order to send %q ends with %v", file, err)
		}
	}
}
