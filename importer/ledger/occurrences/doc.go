// Package occurrences keeps when jobs were due, what came of it, and of what people were notified. A time at which a job was due has a row of
// its own, written before the run begins and final once it has ended; the ledger refuses to begin one that is settled, and
// lets one of two processes begin it.
package occurrences

import "docketsync/importer/ledger/handle"

// Reader reads what was due.
type Reader struct{ h *handle.Reader }

// New is a reader behind a handle.
func New(h *handle.Reader) *Reader { return &Reader{h} }

// Writer writes down what was due and what people were notified of.
type Writer struct{ w *handle.Writer }

// NewWriter is a writer on a handle.
func NewWriter(w *handle.Writer) *Writer { return &Writer{w} }
