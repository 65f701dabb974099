package remote_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"docketsync/importer/remote"
)

// TestWhatAKilledProcessFetchedGoes leaves a folder beside the one that is reserved, as a process does that is killed: it goes with the
// next reservation, and those in use stay.
func TestWhatAKilledProcessFetchedGoes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "matters", "1")
	reserve := func(want string) (release func() error) {
		t.Helper()
		folder, release, err := remote.Reserve(path)
		if err != nil || folder != want {
			t.Fatalf("reserved %s, %v, want %s", folder, err, want)
		}
		put(t, filepath.Join(folder, "matters.csv"), "Ref", march)
		return release
	}
	first, second := reserve(path), reserve(path+".2")
	for _, name := range []string{path + ".3/matters.csv", path + ".4/matters.csv", path + ".3.lock", path + ".old/matters.csv", path + "0.3/matters.csv"} {
		put(t, name, "left", march)
	}
	third := reserve(path + ".3")
	holds(t, path+".3", map[string]string{"matters.csv": "Ref"})
	for name, there := range map[string]bool{path: true, path + ".2": true, path + ".4": false, path + ".old": true, path + "0.3": true} {
		if _, err := os.Stat(name); err == nil != there || err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := errors.Join(first(), second(), third()); err != nil {
		t.Error(err)
	}
	holds(t, path, map[string]string{"matters.csv": "Ref"})
	if _, err := os.Stat(path + ".2"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("released, the folder beside it stays: %v", err)
	}
}
