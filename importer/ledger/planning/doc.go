// Package planning writes what the first pass of a run finds: rows that are set aside until all rows of their record
// are known (Stage), records as they were decided (Add), corrected (Replace) or merged (Unite), and those that are as
// they were the night before (Baseline, UnchangedWriter). It sends nothing, and cannot change a record that was ever
// about to be sent.
//
// Its writes are not waited for: see "What is durable when" in package ledger.
package planning

import (
	"docketsync/importer/ledger/handle"
)

// Reader reads rows that were set aside.
type Reader struct{ h *handle.Reader }

// New returns a reader behind a handle.
func New(h *handle.Reader) *Reader { return &Reader{h} }

// Writer writes plans.
type Writer struct{ w *handle.Writer }

// NewWriter returns a writer on a handle.
func NewWriter(w *handle.Writer) *Writer { return &Writer{w} }
