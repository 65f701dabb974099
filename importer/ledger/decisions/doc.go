// Package decisions stores what people have decided, and what they are asked.
//
//	doubts.go        what became of a record in doubt
//	conflicts.go     updates held because somebody else changed the record, and whose values are kept
//	renames.go       whether a key is a new key of a record that the service holds
//	acknowledged.go  rejected records that are accepted as they are
//	corrections.go   cells that were corrected in place
//	audit.go         who did what, and the trail of all decisions together
//	listed.go        what a list of the service says of records, and the stamps by which a foreign change is seen
//
// No run overwrites a decision. Each has who, when and a note, and those about what is sent are recorded as evidence.
// Its note and its id are removed when the record that it is about is forgotten (package forget). That a decided doubt
// lets its key be sent again is up to the state machine (package ledger, resolve.go).
package decisions

import (
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/history"
)

// Reader reads what was decided and what is asked.
type Reader struct {
	h       *handle.Reader
	history *history.Reader
}

// New returns a reader behind a handle.
func New(h *handle.Reader, runs *history.Reader) *Reader { return &Reader{h, runs} }

// Writer stores decisions and questions.
type Writer struct{ w *handle.Writer }

// NewWriter returns a writer on a handle.
func NewWriter(w *handle.Writer) *Writer { return &Writer{w} }
