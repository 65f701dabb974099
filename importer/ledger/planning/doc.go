// Package planning writes what the first pass of a run finds: rows that are set aside until all of their record are known (Stage),
// records as they were decided (Add), put right (Replace) or made one of several (Unite), and those that are as they were on the night
// before (Baseline, UnchangedWriter). Nothing here sends, and none of it can change a record that was ever about to be sent.
//
// What it writes is not waited for: see "What is durable when" in package ledger.
package planning

import (
	"docketsync/importer/ledger/handle"
)

// Reader reads rows that were set aside.
type Reader struct{ h *handle.Reader }

// New is a reader behind a handle.
func New(h *handle.Reader) *Reader { return &Reader{h} }

// Writer writes plans.
type Writer struct{ w *handle.Writer }

// NewWriter is a writer on a handle.
func NewWriter(w *handle.Writer) *Writer { return &Writer{w} }
