package ledgertest

import (
	"os"
	"syscall"
)

func useMemory() {
	const place, noExec, room = "/dev/shm", 8, 4 << 30
	var s syscall.Statfs_t
	if os.Getenv("TMPDIR") == "" && syscall.Statfs(place, &s) == nil && s.Flags&noExec == 0 && s.Bavail*uint64(s.Bsize) > room {
		_ = os.Setenv("TMPDIR", place)
	}
}
