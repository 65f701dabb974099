//go:build !linux

package main

func inFixedMemory(string) bool { return false }
