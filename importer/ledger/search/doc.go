// Package search finds records by what people know them by: a key, a name, a number, the text of a mark, an id. A table
// of its own (terms) has the words. The caller that wants to search makes it from existing records, so planning and
// pushing pay nothing for it, and losing the table would lose nothing.
package search

import (
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/history"
)

// Reader searches.
type Reader struct {
	h       *handle.Reader
	history *history.Reader
}

// New returns a reader behind a handle.
func New(h *handle.Reader, records *history.Reader) *Reader { return &Reader{h, records} }

// Writer makes records searchable.
type Writer struct {
	w *handle.Writer
	r *Reader
}

// NewWriter returns a writer on a handle.
func NewWriter(w *handle.Writer, r *Reader) *Writer { return &Writer{w, r} }
