package archive

import (
	"bytes"
	"testing"

	"docketsync/importer/source/sourcetest"
)

// The number of parts is known from the end of the archive alone, before a directory of millions is loaded.
func TestPartsAreCountedBeforeTheyAreListed(t *testing.T) {
	t.Parallel()
	parts := map[string]string{"a": "", "b": "x", "c": ""}
	data := sourcetest.Archive(t, parts)
	if got := directoryCount(bytes.NewReader(data), int64(len(data))); got != len(parts) {
		t.Errorf("%d parts are counted, want %d", got, len(parts))
	}
	many := bytes.Clone(data) // an archive of more than 65,535 parts says so, and how long its directory is
	end := len(many) - 22
	copy(many[end+10:], []byte{0xff, 0xff, 0, 0, 0, 0x10})
	if got := directoryCount(bytes.NewReader(many), int64(len(many))); got < 0x10000000/46 {
		t.Errorf("%d parts are counted in a directory of 256 MiB", got)
	}
	if got := directoryCount(bytes.NewReader(data[:10]), 10); got != 0 {
		t.Errorf("%d parts are counted where there is no end", got)
	}
}
