// Package history reads what a ledger holds of runs: the runs themselves, their records with payloads and cells, every
// request that was made, the ids that the service gave, what the service is known to hold, and what vanished from one
// export to the next. Reports, certificates, pages and the plan read through it. It writes nothing.
//
//	runs.go          runs, by id, name or filter, and what a plan was made from
//	records.go       records of a run, one, by key, or all in order; unchanged.go adds those without rows
//	pending.go       what is planned and still to be sent, for whoever sends it
//	attempts.go      the requests that were made
//	lastaccepted.go  what the service is known to hold of a key, and whether anything about it is in doubt
//	identities.go    the ids that the service gave
//	vanished.go      what an earlier export had and a later one does not have
//
// It imports the handle, which knows who may see which jobs (package handle), and the packages that store content
// compressed (bundle, unchanged). Lists that may be long are iterators that hold nothing open between two pages.
package history

import "docketsync/importer/ledger/handle"

// Reader reads the history of a ledger.
type Reader struct{ h *handle.Reader }

// New returns a reader behind a handle.
func New(h *handle.Reader) *Reader { return &Reader{h} }
