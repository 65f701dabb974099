// Package ledgertest has what tests of ledgers share: PostgreSQL servers of their own, a way to make tests faster, and
// a measure of processor time. It knows nothing of the ledger, so that the ledger's own tests can import it. Only tests
// do.
package ledgertest

import (
	"flag"
	"os"
	"runtime/debug"
)

// Hasten makes tests faster, except benchmarks and the long forms. A TestMain calls it before the first test.
//
// Temporary files of the process, and of those that it starts, are kept in memory: tests commit tens of thousands of
// times, and the time that a disk takes for that says nothing about what they prove. A killed process loses a file in
// memory as little as one on a disk. The files stay on the disk if TMPDIR says so, if there is not much room, and if
// files there may not be executed.
//
// The process and those that it starts collect garbage less often. Garbage collection is a quarter of the work of
// starting a process, and a seventh of the work of tests.
func Hasten() {
	flag.Parse()
	if os.Getenv("DOCKETSYNC_LONG") == "1" || flag.Lookup("test.bench").Value.String() != "" {
		return
	}
	useMemory()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
		_ = os.Setenv("GOGC", "400")
	}
}
