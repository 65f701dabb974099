//go:build !unix

package ledgertest

import (
	"errors"
	"os"
	"os/exec"
	"time"
)

func unprivileged(string) (func(string, ...string) *exec.Cmd, error) {
	return nil, errors.New("the tests start PostgreSQL on Unix only")
}

// CPUTime is not known here, nor is the memory of processes.
func CPUTime() time.Duration { return 0 }

// PeakMemory is not known here.
func PeakMemory() int64 { return 0 }

// PeakMemoryOf is not known here.
func PeakMemoryOf(*os.ProcessState) int64 { return 0 }
