//go:build !linux

package ledgertest

func useMemory() {}
