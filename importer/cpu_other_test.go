//go:build !unix

package importer_test

import "time"

func cpuTime() time.Duration { return 0 }
