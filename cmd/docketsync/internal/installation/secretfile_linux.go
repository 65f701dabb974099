package installation

import "syscall"

// inFixedMemory reports whether a file is on a file system in memory that is mounted read-only, as the secrets of
// Kubernetes are wherever they are mounted.
func inFixedMemory(path string) bool {
	const tmpfs, readOnly = 0x01021994, 1 // statfs(2)
	var system syscall.Statfs_t
	return syscall.Statfs(path, &system) == nil && int64(system.Type) == tmpfs && system.Flags&readOnly != 0
}
