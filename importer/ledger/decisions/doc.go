// Package decisions keeps what people have said, and what they are asked.
//
//	doubts.go        what became of a record in doubt
//	conflicts.go     updates that are held because somebody else changed the record in the service, and whose values are to stand
//	renames.go       whether a key is a new key of a record that the service holds
//	acknowledged.go  rejected records that are accepted as they are
//	corrections.go   cells that were corrected in place
//	audit.go         who did what, and the trail of all decisions together
//	listed.go        what a list of the service tells of records, and the stamps by which a foreign change is seen
//
// A decision is overwritten by no run: each has who, when and a note, and those about what is sent are put down as evidence. Its note
// and its id go when the record that it is about is forgotten (package forget). That a doubt which was decided lets its key be sent again is the state machine's (package ledger, resolve.go).
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

// New is a reader behind a handle.
func New(h *handle.Reader, runs *history.Reader) *Reader { return &Reader{h, runs} }

// Writer writes down decisions and questions.
type Writer struct{ w *handle.Writer }

// NewWriter is a writer on a handle.
func NewWriter(w *handle.Writer) *Writer { return &Writer{w} }
