package comparison

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/compare"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report/csvfile"
)

const (
	// deskSize limits the comparisons that run, wait or are kept.
	deskSize = 4
	// keptFor is how long a result is kept.
	keptFor = time.Minute
	// waitAtMost is how long a request waits for a comparison before the page says that it is in progress.
	waitAtMost = 700 * time.Millisecond
)

// pair is the ids of two runs, the older first, and how many records had been forgotten when they were compared: a
// result from before a record was forgotten is no longer shown.
type pair struct {
	runs      [2]string
	forgotten int
}

// entry is one comparison. found, trouble and err may be read once done is closed.
type entry struct {
	of    pair
	done  chan struct{}
	found *found
	// trouble is why there is no result; err is what went wrong with the machine.
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

// desk holds the comparisons in progress and earlier results, oldest first.
type desk struct {
	turn sync.Mutex // held while plans are compared

	mu      sync.Mutex
	entries []*entry
}

// of returns the comparison of a pair, nil for none.
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

// take returns the comparison of a pair, or a new one that the caller must carry out (begin); nil if too many are in
// progress.
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
	time.AfterFunc(keptFor, func() { // even if nobody asks any more
		d.mu.Lock()
		defer d.mu.Unlock()
		d.entries = slices.DeleteFunc(d.entries, func(kept *entry) bool { return kept == e })
	})
}

// entryOf returns the comparison of two runs. It starts one if there is none, and waits a moment for the result.
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

// download answers with all records that differ. It compares the plans once more, into a temporary file. A download
// that broke off in the middle would look complete, and this way a slow download does not keep others from comparing.
func (p *Pages) download(r *web.Request, run ledger.Run) error {
	old, now, err := p.chosen(r, run)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp("", "docketsync-compare-*.csv")
	if err != nil {
		return err
	}
	defer func() { _, _ = f.Close(), os.Remove(f.Name()) }()
	if err := p.write(r, [2]string{old.ID, now.ID}, f); err != nil {
		trouble, err := p.troubleOf(err)
		if err != nil {
			return err
		}
		return web.Refuse(http.StatusServiceUnavailable, trouble, "On the command line: "+p.Work.Command("compare", old.Name, now.Name, "--json"))
	}
	name := old.Name + "-" + now.Name + ".csv"
	r.About("run " + run.ID)
	r.Remark(name)
	r.Record("download", nil)
	h := r.Response.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	http.ServeContent(r.Response, r.Request, name, time.Time{}, f)
	return nil
}

// write compares two plans and writes a line for each value that differs, and for each record that only one of them
// has.
func (p *Pages) write(r *web.Request, of [2]string, f *os.File) error {
	if !p.desk.turn.TryLock() {
		return web.Refuse(http.StatusServiceUnavailable, "Other comparisons are being made.", "Try again in a minute.")
	}
	defer p.desk.turn.Unlock()
	_ = http.NewResponseController(r.Response).SetReadDeadline(time.Now().Add(p.Within)) // otherwise the request would end at the usual deadline
	ctx, cancel := context.WithTimeout(r.Context(), p.Within)
	defer cancel()
	out := bufio.NewWriter(f)
	line := csvfile.Begin(out, "cause", "key", "change", "earlier rows", "later rows", "field", "earlier", "later", "why it is rejected in one of the two", "earlier cell", "later cell")
	_, err := compareRuns(ctx, r.Book(), of, func(d *compare.Difference) (err error) {
		put := func(finding compare.Finding, rest ...string) {
			cells := []string{finding.Words(), d.Key, string(d.Change), list(d.OldRows), list(d.NewRows)}
			err = errors.Join(err, line(append(cells, rest...)...))
		}
		if d.Finding != nil {
			put(*d.Finding, make([]string, 6)...)
		}
		for _, f := range d.Fields {
			rest := []string{f.Field, "", "", f.Reason, "", ""}
			if f.Old != nil {
				rest[1] = f.Old.Text
			}
			if f.New != nil {
				rest[2] = f.New.Text
			}
			if len(f.Causes) == 1 && f.Causes[0].Kind == compare.Cell {
				rest[4], rest[5] = f.Causes[0].Old, f.Causes[0].New
			}
			put(f.Finding, rest...)
		}
		return err
	})
	return errors.Join(err, out.Flush())
}

func list(rows []int) string {
	words := make([]string, 0, len(rows))
	for _, row := range rows {
		words = append(words, strconv.Itoa(row))
	}
	return strings.Join(words, ", ")
}
