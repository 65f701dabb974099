package importer_test

import (
	"os"
	"syscall"
)

// flushData puts what was written to a file on disk, and of what is kept about the file only what reading it needs.
func flushData(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
