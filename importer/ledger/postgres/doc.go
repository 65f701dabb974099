// Package postgres is the engine that keeps a ledger in a PostgreSQL database, for a firm that wants it on a server.
//
// Several processes may write at the same instant; the tables' unique indexes keep their intents apart. Every commit waits for the
// server's disk and its synchronous standbys (lasting). A lock is an advisory lock on a connection of its own, which is watched,
// because a process that loses it lives on (lock.go). A server off this machine has to prove its name before it gets the password
// (trust.go).
package postgres
