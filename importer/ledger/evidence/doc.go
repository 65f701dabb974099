// Package evidence puts down what a ledger does to runs that send, and holds the tables against what was put down. The chain itself, its
// entries, sums and files, is package chain; that an entry is written in the transaction that it is about is package handle's.
//
//	notes.go    what each change of a record, run or id puts down
//	fold.go     what the chain of a run says in the end
//	check.go    whether the rows of a run are what its chain says
//	verify.go   whether a whole ledger is: Verify
//	restate.go  what is said anew where a prune, or a client that is forgotten, takes rows away
//
// It may read any table, because it looks at all of them, and writes none but evidence. A note is a function on a transaction: whoever
// changes a row calls it in the same one.
package evidence

import "docketsync/importer/ledger/handle"

// Reader verifies a ledger.
type Reader struct{ h *handle.Reader }

// New is a reader behind a handle.
func New(h *handle.Reader) *Reader { return &Reader{h} }
