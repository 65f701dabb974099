// Package forget removes what a ledger holds of a client. traces.go finds it, in all records, until it learns nothing
// more. erase.go removes it from every table, redacts the words elsewhere and records in the evidence what is gone
// (package evidence). Of what was forgotten only keyed hashes stay. By these it is recognized if it comes again, and is
// not sent.
//
// A ledger is rewritten under the locks of all scopes, so that no run reads or sends meanwhile.
package forget

import (
	"context"

	"docketsync/importer/ledger/decisions"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/history"
)

// Reader finds what a ledger holds of a client, and recognizes what was forgotten.
type Reader struct {
	h         *handle.Reader
	history   *history.Reader
	decisions *decisions.Reader
}

// New returns a reader behind a handle.
func New(h *handle.Reader, records *history.Reader, asked *decisions.Reader) *Reader {
	return &Reader{h, records, asked}
}

// Writer forgets.
type Writer struct {
	w *handle.Writer
	r *Reader
	// lockScopes takes the locks under which runs push.
	lockScopes func(ctx context.Context) (release func(), err error)
}

// NewWriter returns a writer on a handle. lockScopes takes the locks under which runs push.
func NewWriter(w *handle.Writer, r *Reader, lockScopes func(ctx context.Context) (release func(), err error)) *Writer {
	return &Writer{w, r, lockScopes}
}
