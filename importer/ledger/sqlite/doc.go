// Package sqlite is the engine that keeps a ledger in one file beside the user's other files, for one machine.
//
// The file is in WAL mode: readers never wait for the writer, and two processes may have the ledger open. A lock is a lock on a file
// beside the database, which the system releases with its process. A ledger that was not closed is looked through when it is opened
// next (occupy); where the disk takes nothing any more, a copy is read in its place (copy.go); a backup is one consistent copy that
// is made while runs go on (backup.go).
package sqlite
