package comparison

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/compare"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
)

const (
	// deskSize is how many comparisons may go on, wait, or be kept.
	deskSize = 4
	// keptFor is how long what was found is kept.
	keptFor = time.Minute
	// waitAtMost is how long a request waits for a comparison before the page says that it goes on.
	waitAtMost = 700 * time.Millisecond
)

// pair are the ids of two runs, the older first, and how many records had been forgotten by then: what was found before a record was
// forgotten is shown no more.
type pair struct {
	runs      [2]string
	forgotten int
}

// entry is one comparison. Its found, trouble and err may be read once done is closed.
type entry struct {
	of    pair
	done  chan struct{}
	found *found
	// trouble is why nothing was found, err what went wrong with the machine.
	trouble string
	err     error
	ended   time.Time // guarded by the desk
}

func (e *entry) over() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

// desk holds comparisons that go on, and what those before them found, the oldest first.
type desk struct {
	turn sync.Mutex // held while plans are compared

	mu      sync.Mutex
	entries []*entry
}

// of is a comparison that is there, nil for none.
func (d *desk) of(p pair, now time.Time) *entry {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.find(p, now)
}

func (d *desk) find(p pair, now time.Time) *entry {
	d.entries = slices.DeleteFunc(d.entries, func(e *entry) bool {
		return !e.ended.IsZero() && (now.Sub(e.ended) >= keptFor || e.of.forgotten != p.forgotten)
	})
	if n := slices.IndexFunc(d.entries, func(e *entry) bool { return e.of == p }); n >= 0 {
		return d.entries[n]
	}
	return nil
}

// take is a comparison that is there, or a new one, which is to be carried out; nil where too many go on.
func (d *desk) take(p pair, now time.Time) (e *entry, begin bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e := d.find(p, now); e != nil {
		return e, false
	}
	if len(d.entries) == deskSize {
		n := slices.IndexFunc(d.entries, func(e *entry) bool { return !e.ended.IsZero() })
		if n < 0 {
			return nil, false
		}
		d.entries = slices.Delete(d.entries, n, n+1)
	}
	e = &entry{of: p, done: make(chan struct{})}
	d.entries = append(d.entries, e)
	return e, true
}

func (d *desk) end(e *entry, at time.Time) {
	d.mu.Lock()
	e.ended = at
	d.mu.Unlock()
	close(e.done)
	time.AfterFunc(keptFor, func() { // also where nobody asks any more
		d.mu.Lock()
		defer d.mu.Unlock()
		d.entries = slices.DeleteFunc(d.entries, func(kept *entry) bool { return kept == e })
	})
}

// entryOf is the comparison of two runs, which begins unless it is there, and for which a moment was waited.
func (p *Pages) entryOf(r *web.Request, old, now ledger.Run) (*entry, error) {
	of, err := pairOf(r, old, now)
	if err != nil {
		return nil, err
	}
	e, begin := p.desk.take(of, p.Now())
	if e == nil {
		return nil, web.Refuse(http.StatusServiceUnavailable, "Other comparisons are being made.", "Try again in a minute.")
	}
	if begin {
		book, read := r.Book(), p.Snapshots.Hold(r.Context())
		p.Background(func(ctx context.Context) {
			defer p.Snapshots.Release(read)
			p.carryOut(ctx, book, e)
		})
	}
	wait := time.NewTimer(waitAtMost)
	defer wait.Stop()
	select {
	case <-e.done:
	case <-wait.C:
	case <-r.Context().Done():
	}
	return e, nil
}

func pairOf(r *web.Request, old, now ledger.Run) (pair, error) {
	n, err := r.Book().CountForgotten(r.Context())
	return pair{[2]string{old.ID, now.ID}, n}, err
}

// carryOut compares two plans when it is its turn.
func (p *Pages) carryOut(ctx context.Context, book *ledger.Reader, e *entry) {
	p.desk.turn.Lock()
	defer p.desk.turn.Unlock()
	defer func() { p.desk.end(e, p.Now()) }()
	ctx, cancel := context.WithTimeout(ctx, p.Within)
	defer cancel()
	shown := collector{}
	result, err := compareRuns(ctx, book, e.of.runs, shown.add)
	if err != nil {
		if e.trouble, e.err = p.troubleOf(err); e.err != nil {
			p.Log.Error("two plans could not be compared", zap.Strings("runs", e.of.runs[:]), zap.Error(err))
		}
		return
	}
	e.found = shown.found(result)
}

func compareRuns(ctx context.Context, book *ledger.Reader, of [2]string, each func(*compare.Difference) error) (*compare.Result, error) {
	old, err := compare.OfRun(ctx, book, of[0])
	if err != nil {
		return nil, err
	}
	now, err := compare.OfRun(ctx, book, of[1])
	if err != nil {
		return nil, err
	}
	return compare.Compare(ctx, old, now, each)
}
