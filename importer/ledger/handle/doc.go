// Package handle is what the other packages of a ledger are built on: the database behind the wall that says who may
// see which jobs (Reader), and transactions that record as evidence what they do (Writer, Tx). Each of those packages
// holds a handle. Nobody outside the ledger can name a transaction, so nobody else can write.
//
//	reader.go  runs by number and name, errors for people, and readers of some jobs
//	writer.go  transactions, also in parts, and what is kept once for all ordinary answers of a run
//	entry.go   the entry of the chain that a transaction writes
//
// It knows the tables that all of them need (runs, records, evidence), and imports none of them.
package handle
