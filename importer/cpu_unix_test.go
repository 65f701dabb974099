//go:build unix

package importer_test

import (
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

// peakMB is the most memory that the process has had so far.
func peakMB() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return float64(used.Maxrss) / (1 << 20)
	}
	return float64(used.Maxrss) / (1 << 10)
}
