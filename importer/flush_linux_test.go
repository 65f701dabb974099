package importer_test

import (
	"os"
	"syscall"
)

// flushData puts the data written to a file on disk, and only as much of its metadata as reading it needs.
func flushData(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
