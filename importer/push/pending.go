package push

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"

	"docketsync/importer/ledger"
)

// pageSize is how many planned records are read from the ledger at once.
const pageSize = 500

// heapFloor is memory, in bytes, that a push of more than a page allocates and never uses. The garbage collector runs
// when the heap has doubled, and without the floor the heap of a push is so small that it would run dozens of times a
// second. The floor only takes real memory if the heap has been that large before, because then it has to be cleared.
const heapFloor = 20 << 20

// feed hands out the planned records of a run in order: that of the source, or nearest date first. It reads a page
// ahead, so that a worker that needs its next record hardly ever has to wait. Only then can the outcome of one record
// share a commit with the intent of the next.
type feed struct {
	ctx     context.Context // nothing is handed out once it has ended
	records chan *ledger.Record
	left    int          // how many records may still be read; negative for all
	cut     bool         // there are more than left; known once the feed has ended
	given   atomic.Int64 // how many were handed out
}

func newFeed(ctx context.Context) *feed {
	return &feed{ctx: ctx, records: make(chan *ledger.Record, pageSize), left: -1}
}

// read reads pages until there are none or ctx ends. If of is set, it reads only the records of that shard.
func (f *feed) read(book *ledger.Ledger, run ledger.Run, of *ledger.Shard) error {
	defer close(f.records)
	var floor []byte
	defer func() { runtime.KeepAlive(floor) }()
	after := ledger.Record{}
	if of != nil {
		after.Seq = of.First - 1
	}
	for {
		page, err := pageBehind(f.ctx, book, run, after)
		if f.ctx.Err() != nil {
			return nil
		}
		if of != nil {
			page = slices.DeleteFunc(page, func(r ledger.Record) bool { return r.Seq > of.Last })
		}
		if err != nil || len(page) == 0 {
			return err
		}
		if f.left == 0 {
			f.cut = true
			return nil
		}
		if f.left > 0 {
			page = page[:min(f.left, len(page))]
			f.left -= len(page)
		}
		if floor == nil && len(page) == pageSize {
			floor = make([]byte, heapFloor)
		}
		after = page[len(page)-1]
		for n := range page {
			select {
			case f.records <- &page[n]:
			case <-f.ctx.Done():
				return nil
			}
		}
	}
}

// pageBehind reads the page after a record, in the order of the run.
func pageBehind(ctx context.Context, book *ledger.Ledger, run ledger.Run, after ledger.Record) ([]ledger.Record, error) {
	if run.Order == "" {
		return book.Pending(ctx, run.ID, after.Seq, pageSize)
	}
	return book.PendingNearest(ctx, run.ID, after, pageSize)
}

// ready returns the next record if there is one at this moment.
func (f *feed) ready() (record *ledger.Record, ok bool) {
	select {
	case record, ok = <-f.records:
		return f.give(record, ok)
	default:
		return record, false
	}
}

// next waits for the next record. It returns false if there are no more.
func (f *feed) next() (*ledger.Record, bool) {
	record, more := <-f.records
	return f.give(record, more)
}

func (f *feed) give(record *ledger.Record, more bool) (*ledger.Record, bool) {
	if !more || f.ctx.Err() != nil {
		return nil, false
	}
	f.given.Add(1)
	return record, true
}
