package source

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"docketsync/importer/source/sourcetest"
)

func TestFilesThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), filepath.Join(t.TempDir(), "none.xlsx"), Options{})
	sourcetest.WantRefusal(t, err, "does not exist")
	_, err = Open(t.Context(), t.TempDir(), Options{})
	sourcetest.WantRefusal(t, err, "folder")
}

// What is done with a row may take long, so the context is looked at before each.
func TestRowsEndWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s, err := openMemory(t, []byte("Ref,Name\n1,a\n2,b\n3,c\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, err := range s.Rows(ctx) {
		if seen++; seen == 1 {
			cancel()
		} else if !errors.Is(err, context.Canceled) {
			t.Errorf("row %d: %v", seen, err)
		}
	}
	if seen != 2 {
		t.Errorf("%d rows", seen)
	}
}

func writeFile(tb testing.TB, dir, name string, data []byte, mode os.FileMode) string {
	tb.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, mode); err != nil {
		tb.Fatal(err)
	}
	return path
}
