//go:build linux || darwin

package doctor

import "syscall"

// freeSpace is how many bytes are free for this user where a folder is.
func freeSpace(folder string) (bytes uint64, known bool) {
	var s syscall.Statfs_t
	if syscall.Statfs(folder, &s) != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}
