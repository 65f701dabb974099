package source

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

func writeFile(tb testing.TB, dir, name string, data []byte, mode os.FileMode) string {
	tb.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, mode); err != nil {
		tb.Fatal(err)
	}
	return path
}

func openPath(path string) ([]table, error) {
	o := Options{}
	if err := o.validate(); err != nil {
		return nil, err
	}
	return openWorkbook(context.Background(), path, o)
}

func TestFilesThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	_, err := openPath(filepath.Join(t.TempDir(), "none.xlsx"))
	wantRefusal(t, err, "does not exist")
	_, err = openPath(t.TempDir())
	wantRefusal(t, err, "folder")
}
