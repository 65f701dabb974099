// Package occurrences stores when jobs were due, what came of it, and of what people were notified. Each time at which
// a job was due has a row, which is written before the run begins and final once it has ended. The ledger refuses to
// begin an occurrence that is settled, and lets only one of two processes begin it.
package occurrences

import "docketsync/importer/ledger/handle"

// Reader reads what was due.
type Reader struct{ h *handle.Reader }

// New returns a reader behind a handle.
func New(h *handle.Reader) *Reader { return &Reader{h} }

// Writer stores what was due and what people were notified of.
type Writer struct{ w *handle.Writer }

// NewWriter returns a writer on a handle.
func NewWriter(w *handle.Writer) *Writer { return &Writer{w} }
