//go:build linux || darwin

package doctor

import "syscall"

// freeSpace returns how many bytes are free for this user on the filesystem of a folder.
func freeSpace(folder string) (bytes uint64, known bool) {
	var s syscall.Statfs_t
	if syscall.Statfs(folder, &s) != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}
