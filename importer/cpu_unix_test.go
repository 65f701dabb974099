//go:build unix

package importer_test

import (
	"syscall"
	"time"
)

// cpuTime is what the process has used of the processors so far: a measure that other programs disturb less than time.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
