// Package handle is what the rooms of a ledger are built on: the database behind the wall of who may see which jobs (Reader), and
// transactions that put down as evidence what they do (Writer, Tx). A room holds one; nobody outside of the ledger can name a
// transaction, so nobody else can write.
//
//	reader.go    runs by number and name, and errors for people
//	wall.go      readers of some jobs
//	writer.go    transactions
//	entry.go     the entry of the chain that a transaction writes
//	standing.go  in which state a record is
//	answer.go    what is kept once for all ordinary answers of a run
//	parts.go     long changes in parts
//
// It knows the tables that every room needs (runs, records, evidence), and imports no room.
package handle
