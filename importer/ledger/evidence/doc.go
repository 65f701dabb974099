// Package evidence records what a ledger does to runs that send, and compares the tables with what was recorded. The
// chain itself, its entries, sums and files, is package chain. That an entry is written in the transaction that it is
// about is up to package handle.
//
//	notes.go    what each change of a record, run or id records
//	fold.go     what the chain of a run says in the end
//	check.go    whether the rows of a run are what its chain says
//	verify.go   whether a whole ledger is: Verify
//	restate.go  what is stated again when a prune, or forgetting a client, removes rows
//
// It may read any table, because it checks all of them, and writes only evidence. A note is a function on a
// transaction: code that changes a row calls it in the same transaction.
package evidence

import "docketsync/importer/ledger/handle"

// Reader verifies a ledger.
type Reader struct{ h *handle.Reader }

// New returns a reader behind a handle.
func New(h *handle.Reader) *Reader { return &Reader{h} }
