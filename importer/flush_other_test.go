//go:build !linux

package importer_test

import "os"

func flushData(f *os.File) error { return f.Sync() }
