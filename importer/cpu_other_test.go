//go:build !unix

package importer_test

import (
	"os"
	"time"
)

func cpuTime() time.Duration { return 0 }

// mostResident is not known here.
func mostResident(*os.ProcessState) int64 { return 0 }
