//go:build unix

package inbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"docketsync/importer/inbox"
)

// Who may put files into the folder may not have docketsync read for him what he cannot read himself.
func TestWhatIsNoFileIsRefusedUnopened(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "cookie")
	if err := os.WriteFile(secret, []byte("live-cookie\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		make func(path string) error
		says string
	}{
		"link":           {func(path string) error { return os.Symlink(secret, path) }, "a symbolic link"},
		"link to none":   {func(path string) error { return os.Symlink(secret+"-not", path) }, "a symbolic link"},
		"link to folder": {func(path string) error { return os.Symlink(filepath.Dir(secret), path) }, "a symbolic link"},
		"pipe":           {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "a named pipe"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			if err := c.make(filepath.Join(w.dir, "a.csv")); err != nil {
				t.Fatal(err)
			}
			w.put("b.csv", "Ref\n1\n")
			found := w.poll(0)
			if len(found.Aside) != 1 || !strings.Contains(found.Aside[0].Why, c.says) {
				t.Fatalf("put away: %+v", found.Aside)
			}
			w.poll(time.Minute)
			if taken := w.poll(time.Minute).Taken; taken == nil || taken.Name != "b.csv" {
				t.Errorf("taken is %+v", taken)
			}
			note, err := os.ReadFile(filepath.Join(w.dir, "rejected", "a.csv.reason.txt"))
			if err != nil || strings.Contains(string(note), "live-cookie") {
				t.Errorf("the reason is %q, %v", note, err)
			}
		})
	}
}

// The same of a link that takes a file's place when that has been taken, and of the folder of the tickets itself.
func TestALinkInTheTicketIsRefusedUnopened(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	secret := filepath.Join(t.TempDir(), "cookie")
	if err := os.WriteFile(secret, []byte("live-cookie\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.put("a.csv", "Ref\n1\n")
	taken := w.take().Taken
	if err := os.Remove(taken.Path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, taken.Path); err != nil {
		t.Fatal(err)
	}
	if found := w.poll(time.Minute); len(found.Aside) != 1 || found.Taken != nil {
		t.Errorf("found %+v", found)
	}
	if os.Geteuid() != 0 {
		return // only root makes a link that is somebody else's
	}
	for _, name := range []string{".docketsync", "archive", "rejected"} {
		own := filepath.Join(w.dir, name)
		err := errors.Join(os.RemoveAll(own), os.Symlink(filepath.Dir(secret), own), os.Lchown(own, 1234, 1234))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.folder.Poll(t.Context(), w.now); err == nil || !strings.Contains(err.Error(), "a symbolic link; remove it") {
			t.Errorf("%s: the error is %v", name, err)
		}
		if err := os.Remove(own); err != nil {
			t.Fatal(err)
		}
	}
}

// A copy to another filesystem does not write through a link that waits under the name of its scratch.
func TestACopyWritesThroughNoLink(t *testing.T) {
	t.Parallel()
	other, err := os.MkdirTemp("/dev/shm", "inbox")
	if err != nil {
		t.Skip("skipped: there is no second filesystem at /dev/shm")
	}
	t.Cleanup(func() { _ = os.RemoveAll(other) })
	w := newWorld(t, func(f *inbox.Folder) { f.Archive = other })
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("whole"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.put("a.csv", "Ref\n1\n")
	taken := w.take().Taken
	month := filepath.Join(other, "2024", "03")
	if err := os.MkdirAll(month, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(month, ".run1-a.csv.tmp")); err != nil {
		t.Fatal(err)
	}
	w.runAndArchive(taken)
	if text, err := os.ReadFile(victim); err != nil || string(text) != "whole" {
		t.Errorf("the file behind the link is now %q, %v", text, err)
	}
}
