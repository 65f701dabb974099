// Package sourcetest writes small files for the tests of the readers, part by part and byte by byte, and shows and
// checks what was read from them.
package sourcetest
