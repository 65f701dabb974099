//go:build !linux

package installation

func inFixedMemory(string) bool { return false }
