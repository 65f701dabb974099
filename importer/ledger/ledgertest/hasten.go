// Package ledgertest is what tests of ledgers share: PostgreSQL servers of their own, a way to make tests take less time, and
// a measure of processor time. It knows nothing of the ledger, so that the ledger's own tests can import it. Only tests do.
package ledgertest

import (
	"flag"
	"os"
	"runtime/debug"
)

// Hasten has tests take less time, but for benchmarks and the long forms. A TestMain calls it before the first test.
//
// Temporary files of the process, and of those that it starts, are kept in memory: tests commit tens of thousands of times, and the time that
// a disk takes for that says nothing about what they prove. A process that is killed loses what a file in memory holds as little as what a
// file on a disk does. They stay on the disk where TMPDIR says so, where there is not much room, and where what lies there may not be executed.
//
// The process and those that it starts collect garbage less often: it is a quarter of the work of starting one, and a seventh of what tests do.
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
