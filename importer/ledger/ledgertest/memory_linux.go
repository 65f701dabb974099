package ledgertest

import (
	"flag"
	"os"
	"syscall"
)

// InMemory has the temporary files of this process, and of those that it starts, in memory: tests commit tens of thousands of times, and
// the time that a disk takes for that says nothing about what they prove. A process that is killed loses what a file in memory holds as
// little as what a file on a disk does. Benchmarks and the long forms of tests stay on the disk. Nothing changes either where TMPDIR is set,
// where there is not much room, and where what lies there may not be executed.
func InMemory() {
	const place, noExec, room = "/dev/shm", 8, 4 << 30
	flag.Parse()
	if os.Getenv("TMPDIR") != "" || os.Getenv("DOCKETSYNC_LONG") == "1" || flag.Lookup("test.bench").Value.String() != "" {
		return
	}
	var s syscall.Statfs_t
	if syscall.Statfs(place, &s) == nil && s.Flags&noExec == 0 && s.Bavail*uint64(s.Bsize) > room {
		_ = os.Setenv("TMPDIR", place)
	}
}
