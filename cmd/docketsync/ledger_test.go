package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/ledger"
)

// TestReportsAreProvedBeforeSending shows that nothing is sent when nothing could be told of it.
func TestReportsAreProvedBeforeSending(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := startSandbox(t, dir)
	writeCrashFirm(t, dir, b, 2)
	write(t, dir, "reports", "a file where the folder should be")
	if code, out := program(t, dir, "run"); code != exit.CouldNotRun || !strings.Contains(out, "nothing was sent") {
		t.Errorf("ended with %d:\n%s", code, out)
	}
	if n := b.state(t).Cases; n != 0 {
		t.Errorf("%d cases were sent", n)
	}
}

// TestLedgerThroughALinkIsTheSame shows that a lock taken by one path to a ledger holds for another.
func TestLedgerThroughALinkIsTheSame(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	dir := t.TempDir()
	path, link := filepath.Join(dir, "ledger.db"), filepath.Join(dir, "link.db")
	first, err := ledger.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	second, err := ledger.Open(t.Context(), link)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	release, err := first.Lock(t.Context(), "create_case")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = release() }()
	if _, err := second.Lock(t.Context(), "create_case"); err == nil {
		t.Error("both hold the lock")
	}
}
