package plan

import (
	"context"
	"path/filepath"
	"testing"

	"docketsync/importer/ledger"
)

// TestDoubtsThatCouldNotBeReadAreNotNone shows that a failed reading of what is in doubt is not kept as "nothing is in doubt".
func TestDoubtsThatCouldNotBeReadAreNotNone(t *testing.T) {
	t.Parallel()
	book, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	ended, end := context.WithCancel(t.Context())
	end()
	r := &Recall{Book: book.Reader, Scope: "cases"}
	for range 2 {
		if list, err := r.inDoubt(ended); err == nil {
			t.Errorf("%d in doubt, although the ledger could not be read", len(list))
		}
	}
	if _, err := r.inDoubt(t.Context()); err != nil {
		t.Error(err)
	}
}
