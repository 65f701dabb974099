// Package handle is what the rooms of a ledger are built on: the database behind the wall of who may see which jobs (Reader), and
// transactions that put down as evidence what they do (Writer, Tx). A room holds one; nobody outside of the ledger can name a
// transaction, so nobody else can write.
//
//	reader.go  runs by number and name, errors for people, and readers of some jobs
//	writer.go  transactions, also in parts, and what is kept once for all ordinary answers of a run
//	entry.go   the entry of the chain that a transaction writes
//
// It knows the tables that every room needs (runs, records, evidence), and imports no room.
package handle
