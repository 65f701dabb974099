package upload_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docketsync/importer/console/upload"
	"docketsync/mapping"
)

// The next export takes the place of the one before, which is kept; no other file can be replaced.
func TestReplace(t *testing.T) {
	t.Parallel()
	store := &upload.Store{Dir: t.TempDir(), Limit: 100, Switches: func() (mapping.Options, error) { return mapping.Options{}, nil }}
	up, err := store.Take(t.Context(), upload.Arrival{Name: "docket.csv"}, strings.NewReader("Ref,Title\n1,One\n"))
	if err != nil {
		t.Fatal(err)
	}
	good := func(string) error { return nil }
	if err := store.Replace(up.Path(), strings.NewReader("Ref,Title\n2,Two\n"), good); err != nil {
		t.Fatal(err)
	}
	now, err := os.ReadFile(up.Path())
	before, _ := filepath.Glob(up.Path() + ".2*")
	if err != nil || string(now) != "Ref,Title\n2,Two\n" || len(before) != 1 {
		t.Errorf("it holds %q, %v; beside it %v", now, err, before)
	}
	var large *upload.LargeError
	if err := store.Replace(up.Path(), strings.NewReader(strings.Repeat("x", 101)), good); !errors.As(err, &large) {
		t.Errorf("what is too large ends with %v", err)
	}
	if again, _ := os.ReadFile(up.Path()); string(again) != string(now) {
		t.Errorf("what is too large left %q", again)
	}
	other := filepath.Join(t.TempDir(), "docketsync.yaml")
	for _, path := range []string{other, filepath.Join(store.Dir, "..", "docketsync.yaml"), filepath.Join(store.Dir, "docket.csv"), store.Dir} {
		if err := store.Replace(path, strings.NewReader("x"), good); err == nil {
			t.Errorf("%s was replaced", path)
		}
	}
}
