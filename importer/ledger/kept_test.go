package ledger

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"docketsync/importer/ledger/ledgertest"
)

// TestKeptIsChangedByOneAtATime counts over several connections at once.
func TestKeptIsChangedByOneAtATime(t *testing.T) {
	t.Parallel()
	server := ledgertest.Shared(t)
	l, err := Open(t.Context(), server.Database(t))
	must(t, err)
	defer func() { must(t, l.Close()) }()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			kept := l.Server().Kept()
			defer func() { must(t, kept.Close()) }()
			var before time.Time
			for range 50 {
				must(t, kept.Change(t.Context(), "count", func(now time.Time, text []byte) []byte {
					if !now.After(before) {
						t.Errorf("the clock went from %v to %v", before, now)
					}
					before = now
					n, _ := strconv.Atoi(string(text))
					return strconv.AppendInt(nil, int64(n+1), 10)
				}))
			}
		})
	}
	all.Wait()
	kept := l.Server().Kept()
	defer func() { must(t, kept.Close()) }()
	must(t, kept.Change(t.Context(), "count", func(_ time.Time, text []byte) []byte {
		if string(text) != "200" {
			t.Errorf("200 changes counted %s", text)
		}
		return text
	}))
}
