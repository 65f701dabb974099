//go:build unix

package importer_test

import (
	"os"
	"runtime"
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

// mostResident is the most memory that a process held which has ended, in bytes.
func mostResident(ended *os.ProcessState) int64 {
	used, ok := ended.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(used.Maxrss)
	}
	return int64(used.Maxrss) << 10
}
