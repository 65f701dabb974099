package push

import (
	"context"
	"sync"

	"docketsync/importer/ledger"
)

// pageSize is how many planned records are read from the ledger at once.
const pageSize = 500

// feed hands out the planned records of a run in order. It reads one page ahead, so that a worker that comes for its next
// record hardly ever finds none: only then does the outcome of one share a commit with the intent of the next.
type feed struct {
	ctx   context.Context // nothing is handed out after its end
	pages chan []ledger.Record

	waiting sync.Mutex // held by the one worker that waits for a page
	mu      sync.Mutex
	list    []ledger.Record // what of the pages received is not handed out yet
}

func newFeed(ctx context.Context) *feed {
	return &feed{ctx: ctx, pages: make(chan []ledger.Record)}
}

// read reads the pages until there are none or ctx ends.
func (f *feed) read(book *ledger.Ledger, run string) error {
	defer close(f.pages)
	for after := int64(0); ; {
		page, err := book.Pending(f.ctx, run, after, pageSize)
		if f.ctx.Err() != nil {
			return nil
		}
		if err != nil || len(page) == 0 {
			return err
		}
		after = page[len(page)-1].Seq
		select {
		case f.pages <- page:
		case <-f.ctx.Done():
			return nil
		}
	}
}

// ready is the next record if there is one at this moment.
func (f *feed) ready() (record ledger.Record, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx.Err() != nil {
		return record, false
	}
	if len(f.list) == 0 {
		select {
		case f.list = <-f.pages:
		default:
		}
	}
	if len(f.list) == 0 {
		return record, false
	}
	record, f.list[0] = f.list[0], ledger.Record{}
	f.list = f.list[1:]
	return record, true
}

// next waits for the next record; there is none any more when it is not ok.
func (f *feed) next() (record ledger.Record, ok bool) {
	f.waiting.Lock()
	defer f.waiting.Unlock()
	for {
		if record, ok = f.ready(); ok {
			return record, true
		}
		page, more := <-f.pages
		if !more {
			return f.ready()
		}
		f.mu.Lock()
		f.list = append(f.list, page...)
		f.mu.Unlock()
	}
}
