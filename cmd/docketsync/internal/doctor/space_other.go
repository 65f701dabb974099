//go:build !linux && !darwin

package doctor

// freeSpace is not known here.
func freeSpace(string) (bytes uint64, known bool) { return 0, false }
