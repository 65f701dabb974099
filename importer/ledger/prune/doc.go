// Package prune removes from a ledger what runs that are over hold and nothing needs any more. It never removes what
// decides about sending: doubts, what was sent without a reliable outcome, what is known, what people decided. It works
// in parts, and lets others write in between.
package prune

import (
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/history"
)

// Writer prunes and removes runs.
type Writer struct {
	w       *handle.Writer
	history *history.Reader
}

// NewWriter returns a writer on a handle.
func NewWriter(w *handle.Writer, runs *history.Reader) *Writer { return &Writer{w, runs} }
