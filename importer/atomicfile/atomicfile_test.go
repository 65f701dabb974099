package atomicfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"docketsync/importer/atomicfile"
)

// A file that cannot be written to its end leaves the one before it, and nothing else.
func TestAFileIsThereWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "list.json")
	if err := atomicfile.Put(path, 0o640, []byte("old")); err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	err := atomicfile.Write(path, 0o640, func(w io.Writer) error {
		_, err := io.WriteString(w, "half of the ne")
		return errors.Join(err, full)
	})
	if !errors.Is(err, full) {
		t.Errorf("it ended with %v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "old" {
		t.Errorf("%q is in the file (%v)", text, err)
	}
	if err := atomicfile.Put(path, 0o600, []byte("new")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	info, inquiry := os.Stat(path)
	if err != nil || inquiry != nil || len(entries) != 1 || info.Mode().Perm() != 0o600 || info.Size() != 3 {
		t.Errorf("the folder holds %v, the file is %v (%v %v)", entries, info, err, inquiry)
	}
}
