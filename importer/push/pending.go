package push

import (
	"context"
	"slices"
	"sync"

	"docketsync/importer/ledger"
)

// pageSize is how many planned records are read from the ledger at once.
const pageSize = 500

// feed hands out the planned records of a run in order: that of the source, or the nearest date first. It reads one page ahead, so that a worker that comes for its next
// record hardly ever finds none: only then does the outcome of one share a commit with the intent of the next.
type feed struct {
	ctx   context.Context // nothing is handed out after its end
	pages chan []ledger.Record
	left  int  // how many records may still be read, negative for all
	cut   bool // there are more than that; told once the feed has ended

	waiting sync.Mutex // held by the one worker that receives a page
	mu      sync.Mutex
	list    []ledger.Record // what of the pages received is not handed out yet
	given   int             // how many were
}

func newFeed(ctx context.Context) *feed {
	return &feed{ctx: ctx, pages: make(chan []ledger.Record), left: -1}
}

// read reads the pages until there are none or ctx ends; of a shard, the records that it has.
func (f *feed) read(book *ledger.Ledger, run ledger.Run, of *ledger.Shard) error {
	defer close(f.pages)
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
		after = page[len(page)-1]
		select {
		case f.pages <- page:
		case <-f.ctx.Done():
			return nil
		}
	}
}

// pageBehind reads the page behind a record, in the order of the run.
func pageBehind(ctx context.Context, book *ledger.Ledger, run ledger.Run, after ledger.Record) ([]ledger.Record, error) {
	if run.Order == "" {
		return book.Pending(ctx, run.ID, after.Seq, pageSize)
	}
	return book.PendingNearest(ctx, run.ID, after, pageSize)
}

// ready is the next record if there is one at this moment. A worker that waits for a page is not overtaken by one that finds the page
// behind it.
func (f *feed) ready() (record ledger.Record, ok bool) {
	if record, ok = f.pop(); ok || !f.waiting.TryLock() {
		return record, ok
	}
	defer f.waiting.Unlock()
	select {
	case page := <-f.pages:
		f.push(page)
	default:
	}
	return f.pop()
}

func (f *feed) push(page []ledger.Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, page...)
}

func (f *feed) pop() (record ledger.Record, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.list) == 0 || f.ctx.Err() != nil {
		return record, false
	}
	record, f.list[0] = f.list[0], ledger.Record{}
	f.list = f.list[1:]
	f.given++
	return record, true
}

// next waits for the next record; there is none any more when it is not ok.
func (f *feed) next() (record ledger.Record, ok bool) {
	f.waiting.Lock()
	defer f.waiting.Unlock()
	for {
		if record, ok = f.pop(); ok {
			return record, true
		}
		page, more := <-f.pages
		if !more {
			return f.pop()
		}
		f.push(page)
	}
}
