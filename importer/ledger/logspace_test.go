package ledger

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"docketsync/importer/ledger/sqlite"
)

func TestLogHasItsRoomOnceManyGroupsAreCommitted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "ledger.db")
	l := open(t, path)
	begin(t, l, "1")
	size := func() int64 {
		info, err := os.Stat(path + "-wal")
		must(t, err)
		return info.Size()
	}
	for seq := range int64(3 * reserveAfter) {
		if seq == reserveAfter-1 && size() >= sqlite.LogRoom {
			t.Errorf("the log has %d bytes after %d groups", size(), seq)
		}
		add(t, l, planned("1", seq+1, fmt.Sprint(seq)))
		send(t, l, "1", seq+1)
	}
	if size() != sqlite.LogRoom {
		t.Errorf("the log has %d bytes, not %d", size(), sqlite.LogRoom)
	}
	// A crash leaves the log with the rest of the reserved room.
	left := filepath.Join(t.TempDir(), "ledger.db")
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + suffix)
		must(t, err)
		must(t, os.WriteFile(left+suffix, data, 0o600))
	}
	after := open(t, left)
	for seq := range int64(3 * reserveAfter) {
		state(t, after, "1", seq+1, Sending)
	}
}
