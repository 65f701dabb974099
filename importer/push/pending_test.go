package push

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"docketsync/importer/ledger"
)

// plannedRun is a ledger with a run of so many planned records.
func plannedRun(t *testing.T, records int) *ledger.Ledger {
	t.Helper()
	book, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = book.Close() })
	if err := book.Begin(t.Context(), ledger.Run{ID: "run", Kind: ledger.Push, Phase: ledger.Pushing}); err != nil {
		t.Fatal(err)
	}
	list := make([]ledger.Record, records)
	for n := range list {
		list[n] = ledger.Record{Run: "run", Seq: int64(n + 1), Scope: "s", Key: fmt.Sprint(n), Action: ledger.Create, State: ledger.Planned}
	}
	if _, err := book.Add(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	return book
}

func TestFeedHasAPageOfRecordsReady(t *testing.T) {
	t.Parallel()
	book := plannedRun(t, pageSize+1)
	f := newFeed(t.Context())
	read := make(chan error, 1)
	go func() { read <- f.read(book, ledger.Run{ID: "run"}, nil) }()
	for len(f.records) < pageSize && len(read) == 0 {
		runtime.Gosched()
	}
	for seq := int64(1); seq <= pageSize+1; seq++ {
		record, ok := f.ready()
		if seq == pageSize+1 && !ok { // the first of the next page may have to be waited for
			record, ok = f.next()
		}
		if !ok || record.Seq != seq {
			t.Fatalf("record %d came in the place of %d (%v)", record.Seq, seq, ok)
		}
	}
	if record, ok := f.next(); ok {
		t.Errorf("record %d came after the last", record.Seq)
	}
	if err := <-read; err != nil {
		t.Error(err)
	}
}

func TestFeedGivesEachRecordToOneWorker(t *testing.T) {
	t.Parallel()
	const records = 3*pageSize + 7
	book := plannedRun(t, records)
	f := newFeed(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		if err := f.read(book, ledger.Run{ID: "run"}, nil); err != nil {
			t.Error(err)
		}
	})
	var mu sync.Mutex
	var seen []int64
	for range 16 {
		group.Go(func() {
			for {
				record, ok := f.ready()
				if !ok {
					record, ok = f.next()
				}
				if !ok {
					return
				}
				mu.Lock()
				seen = append(seen, record.Seq)
				mu.Unlock()
			}
		})
	}
	group.Wait()
	slices.Sort(seen)
	if len(seen) != records || len(slices.Compact(seen)) != records {
		t.Errorf("%d records were handed out, %d of them different, of %d", len(seen), len(slices.Compact(seen)), records)
	}
}

func TestFeedGivesNothingAfterItsEnd(t *testing.T) {
	t.Parallel()
	book := plannedRun(t, 2*pageSize)
	ctx, end := context.WithCancel(t.Context())
	f := newFeed(ctx)
	read := make(chan error, 1)
	go func() { read <- f.read(book, ledger.Run{ID: "run"}, nil) }()
	if _, ok := f.next(); !ok {
		t.Fatal("there was no record")
	}
	end()
	if record, ok := f.ready(); ok {
		t.Errorf("record %d was ready after the end", record.Seq)
	}
	if record, ok := f.next(); ok {
		t.Errorf("record %d came after the end", record.Seq)
	}
	if err := <-read; err != nil {
		t.Error(err)
	}
}
