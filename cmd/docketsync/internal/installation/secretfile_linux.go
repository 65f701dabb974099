package installation

import "syscall"

// inFixedMemory tells whether a file is in a file system in memory that is mounted for reading alone, as the secrets of Kubernetes
// are wherever they are mounted.
func inFixedMemory(path string) bool {
	const tmpfs, readOnly = 0x01021994, 1 // statfs(2)
	var system syscall.Statfs_t
	return syscall.Statfs(path, &system) == nil && int64(system.Type) == tmpfs && system.Flags&readOnly != 0
}
