package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// pushes are the runs whose records this process sends, by run number: for each, which of its ranges, and how many
// intents and outcomes of these the ledger must have.
//
// The database counts them too, in the transaction that writes them, together with the range's epoch and lease. So a
// process that commits finds out whether the ledger has lost what it acknowledged, as a standby that takes over may
// have; whether another process has taken over the range; and, if the answer to a commit was lost, whether the commit
// was carried out.
type pushes struct {
	mu    sync.Mutex
	runs  map[int64]*push
	locks map[string]int // how often each scope was locked
	lease lease
}

// lease says how long a range is this process's after a commit (term), and how much of that a request needs.
type lease struct{ term, request time.Duration }

// The lease of a ledger for which none was set.
const (
	usualRequest = 30 * time.Second
	// LeaseSlack is how much longer a lease is than a request may take.
	LeaseSlack = 15 * time.Second
)

// push is a run whose records this process sends.
type push struct {
	HighWaterMark
	number int64
	scope  string
	lock   int       // which of the scope's locks it is pushed under
	file   *markFile // nil if no mark is kept
	answer *string   // the form of an ordinary answer of the run, once this process knows it
	shards []*holding
}

// holding is a range of a run's records that this process may send.
type holding struct {
	of                          *push
	first, last, epoch, commits int64
	whole                       bool            // it is all of a run, held under the lock of the run's scope; a part held by lease alone may be all that is left of a run, but is not whole
	began                       time.Time       // when the last commit that renewed the lease began
	lapsed                      time.Time       // commits that began before then no longer count for the lease
	recalled                    chan struct{}   // closed when the range is to be given back
	sending                     map[int64]int64 // when the intents without an outcome were committed, by seq
}

// all is the last seq of a range that is a whole run.
const all = math.MaxInt64

func (h *holding) callBack() {
	select {
	case <-h.recalled:
	default:
		close(h.recalled)
	}
}

// left returns how long the lease lasts. The wall clock shows that a machine was suspended; the monotonic clock covers
// a wall clock that was set back.
func (h *holding) left(l lease, now time.Time) time.Duration {
	gone, wall := now.Sub(h.began), now.Round(0).Sub(h.began.Round(0))
	if wall < 0 || !h.began.After(h.lapsed) {
		return 0
	}
	return l.term - max(gone, wall)
}

// lostError says that a range was taken over.
type lostError struct {
	at  *holding
	run string
}

func (e *lostError) Error() string {
	return fmt.Sprintf("%v %s since this one did", handle.ErrTakenOver, e.run)
}
func (e *lostError) Unwrap() error { return handle.ErrTakenOver }

// gain is how many intents and outcomes a transaction adds to a range of a run, how many the ledger has with them, and
// the form of an ordinary answer of the run. The range is nil if this process has none of the run.
type gain struct {
	at           *holding
	run          string
	number       int64
	added, total int64
	recalled     bool
	answer       *string
}

func (g *gain) epoch() int64 {
	if g.at == nil {
		return 0
	}
	return g.at.epoch
}

// at returns the range that a record is in, or nil if this process does not have it.
func (p *pushes) at(number, seq int64) *holding {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.runs[number].at(seq)
}

func (p *push) at(seq int64) *holding {
	if p == nil {
		return nil
	}
	for _, h := range p.shards {
		if h.first <= seq && seq <= h.last {
			return h
		}
	}
	return nil
}

// gains returns what is about to be written, by range.
func (p *pushes) gains(outcomes []settled, intents []leaving, renewals []model.Place) []*gain {
	p.mu.Lock()
	defer p.mu.Unlock()
	type part struct {
		number int64
		at     *holding
	}
	parts := map[part]*gain{}
	add := func(place model.Place, n int64) {
		run := p.runs[place.Number]
		at := part{place.Number, run.at(place.Seq)}
		if parts[at] == nil {
			parts[at] = &gain{at: at.at, run: place.Run, number: place.Number}
			if at.at != nil {
				parts[at].answer = run.answer
			}
		}
		parts[at].added += n
	}
	for n := range outcomes {
		add(outcomes[n].Place, outcomes[n].commits())
	}
	for _, i := range intents {
		add(i.Place, 1)
	}
	for _, p := range renewals {
		add(p, 0)
	}
	return slices.SortedFunc(maps.Values(parts), func(a, b *gain) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.epoch(), b.epoch()))
	})
}

// fenceAll does fence and check for all ranges of a group at once.
var fenceAll = &store.Bulk{
	Text: `with v (run_no, epoch, before, added, term, answer) as (values {rows})
		update shards set commits = shards.commits + v.added, lease_until = {clock} + v.term from v
		where shards.run_no = v.run_no and shards.epoch = v.epoch and shards.commits = v.before and not recalled
			and v.answer is not distinct from (select r.answer from runs r where r.number = v.run_no)`,
	Columns: []string{"bigint", "bigint", "bigint", "bigint", "bigint", "text"},
}

// fences returns the step that adds to the counts of the ranges and renews their leases, if everything is as this
// process believes. Otherwise fence finds out, range by range, what is wrong: a range that was taken over or called
// back, commits that were lost, or an answer that another node gave first.
func (p *pushes) fences(gains []*gain) store.Step {
	p.mu.Lock()
	defer p.mu.Unlock()
	step := store.Step{Bulk: fenceAll, Exact: true}
	for _, g := range gains {
		step.Values = append(step.Values, g.number, g.at.epoch, g.at.commits, g.added, p.lease.term.Microseconds(), g.answer)
	}
	return step
}

func (tx *transaction) fenceEach(gains []*gain) error {
	for _, g := range gains {
		if err := tx.fence(g); err != nil {
			return err
		}
	}
	return nil
}

// fence adds to the count of one range if its epoch is still this process's. If this process has no range with a
// record, it may send the record only if nobody ever had a range of that run.
func (tx *transaction) fence(g *gain) error {
	var err error
	if g.at != nil {
		err = tx.One(tx.spelled(`update shards set commits = commits + $3, lease_until = {clock} + $4 where run_no = $1 and epoch = $2
			returning commits, recalled, (select answer from runs where number = $1)`),
			[]any{g.number, g.at.epoch, g.added, tx.pushes.lease.term.Microseconds()}, &g.total, &g.recalled, &g.answer)
	} else {
		err = tx.One(`update runs set commits = commits + $2 where number = $1 and fence = 0 returning commits, answer`, []any{g.number, g.added}, &g.total, &g.answer)
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	var given int64
	if err := tx.One(`select fence from runs where number = $1`, []any{g.number}, &given); err != nil {
		return err
	}
	if g.at != nil && given < g.at.epoch {
		return fmt.Errorf("%w: of run %s", handle.ErrBehind, g.run)
	}
	return &lostError{g.at, g.run}
}

// spelled returns a statement as the engine spells it.
func (tx *transaction) spelled(text string) string { return tx.Engine().Dialect().Words.Replace(text) }

// check compares what the ledger has of the pushed ranges with what it must have. again says that the group may have
// been committed before, by a commit whose answer was lost; if it was, the error is handle.ErrCommitted.
func (p *pushes) check(gains []*gain, again bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, g := range gains {
		if g.at == nil {
			continue
		}
		switch before := g.total - g.added; {
		case before < g.at.commits:
			return fmt.Errorf("%w: %d of %d intents and outcomes of run %s", handle.ErrBehind, g.at.commits-before, g.at.commits, g.run)
		case again && g.added > 0 && before == g.at.commits+g.added:
			return handle.ErrCommitted
		case before > g.at.commits:
			return &lostError{g.at, g.run}
		}
		if g.at.of.answer = g.answer; g.recalled {
			g.at.callBack()
		}
	}
	return nil
}

// add counts a group that is on disk, committed by a commit that began at began, and updates the marks before anybody
// sends what is in it.
func (p *pushes) add(group []*commit, began time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	added := map[*holding]int64{}
	count := func(at model.Place, n int64) *holding {
		h := p.runs[at.Number].at(at.Seq)
		added[h] += n
		return h
	}
	for _, c := range group {
		for n := range c.outcomes {
			if h := count(c.outcomes[n].Place, c.outcomes[n].commits()); h != nil {
				delete(h.sending, c.outcomes[n].Place.Seq)
			}
		}
		for _, i := range c.intents {
			if h := count(i, 1); h != nil {
				h.sending[i.Seq] = c.sent
			}
		}
		for _, r := range c.renewals {
			count(r, 0)
		}
	}
	delete(added, nil)
	var problems []error
	for h, n := range added {
		h.commits += n
		h.of.Commits += n
		h.began = began
		if n > 0 {
			problems = append(problems, unmarked(h.of.file.write(h.of.HighWaterMark)))
		}
	}
	return errors.Join(problems...)
}

// sentAt returns when the intent of a record without an outcome was committed, or 0 if this process has committed none.
func (p *pushes) sentAt(at model.Place) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h := p.runs[at.Number].at(at.Seq); h != nil {
		return h.sending[at.Seq]
	}
	return 0
}

// all reports whether this process has the ranges of all records of a group.
func (p *pushes) all(group []*commit) bool {
	return !slices.ContainsFunc(placesOf(group), func(at model.Place) bool { return p.at(at.Number, at.Seq) == nil })
}

// laneOf returns the lane for calls about a record.
func (l *Ledger) laneOf(at model.Place) *lane {
	if h := l.pushes.at(at.Number, at.Seq); h == nil || h.whole {
		return &l.locked
	}
	return &l.leased
}

// locksOf returns the locks that the right to records relies on: the lock of the scope if this process has all of the
// run. The right to a part is a lease. Whose a record is that is in none of this process's ranges, the ledger knows
// (fence).
func (p *pushes) locksOf(places []model.Place) store.Locks {
	p.mu.Lock()
	defer p.mu.Unlock()
	scopes := map[string]bool{}
	for _, at := range places {
		if run := p.runs[at.Number]; run.at(at.Seq) != nil && run.at(at.Seq).whole {
			scopes[run.scope] = true
		}
	}
	return func(name string) bool { return scopes[name] }
}

// begin notes that this process sends a range of a run.
func (p *pushes) begin(run *push, h *holding) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if before := p.runs[run.number]; before != nil {
		before.file.close()
		run.shards = before.shards
		for _, other := range run.shards {
			other.of = run
		}
	}
	run.lock = p.locks[run.scope]
	h.of, h.recalled, h.sending = run, make(chan struct{}), map[int64]int64{}
	run.shards = append(run.shards, h)
	p.runs[run.number] = run
}

// lapse ends this process's leases on a run, as far as the process itself knows: before the next request of the run
// begins, the ledger is asked. A commit that is under way does not renew them.
func (p *pushes) lapse(number int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.runs[number].lapse()
}

// lapseScope calls lapse for everything that is sent under a lock that this process has just taken, or taken again.
// Before that another process may have had the lock, and has not waited for any lease.
func (p *pushes) lapseScope(scope string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, run := range p.runs {
		if run.scope == scope {
			run.lapse()
		}
	}
}

func (p *push) lapse() {
	if p == nil {
		return
	}
	for _, h := range p.shards {
		h.lapsed = time.Now()
	}
}

// leave forgets a range.
func (p *pushes) leave(h *holding) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h.of.shards = slices.DeleteFunc(h.of.shards, func(other *holding) bool { return other == h })
	if len(h.of.shards) == 0 && p.runs[h.of.number] == h.of {
		h.of.file.close()
		delete(p.runs, h.of.number)
	}
}

// wholeOf returns the range that is all of a run, or nil if this process does not have it.
func (p *pushes) wholeOf(number int64) *holding {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h := p.runs[number].at(all); h != nil && h.whole {
		return h
	}
	return nil
}

// end forgets a run, if it was pushed.
func (p *pushes) end(number int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if run := p.runs[number]; run != nil {
		run.file.close()
		delete(p.runs, number)
	}
}

// lock notes that a scope was locked once more.
func (p *pushes) lock(scope string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.locks[scope]++
	return p.locks[scope]
}

// release forgets the runs of a scope that are pushed whole under a lock that is given back. It keeps the runs of a
// later lock, which this process may have taken after it lost that one, and parts of runs, which outlive the lock if
// this process also led the run.
func (p *pushes) release(scope string, lock int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.runs, func(_ int64, run *push) bool {
		if run.scope != scope || run.lock > lock {
			return false
		}
		if run.shards = slices.DeleteFunc(run.shards, func(h *holding) bool { return h.whole }); len(run.shards) > 0 {
			return false
		}
		run.file.close()
		return true
	})
}

// any reports whether this process pushes anything.
func (p *pushes) any() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.runs) > 0
}

// Lease sets how long a request may take, and how much longer than that a range of a run is this process's after each
// commit. It must be called before the ledger is used.
func (l *Ledger) Lease(request, slack time.Duration) {
	l.pushes.lease = lease{term: request + slack, request: request}
}

// MaySend returns nil if a request for a record may begin now: its range is this process's for as long as a request may
// take. It renews the lease if less of it is left, or if the lock of a whole run is known to be lost, because the
// process that now has the lock has not waited for any lease. The error is ErrTakenOver if another process has the
// range, and fault.ErrStopped if Commit would return that.
func (l *Ledger) MaySend(ctx context.Context, run string, seq int64) error {
	number, err := l.h.Number(ctx, run)
	if err != nil {
		return err
	}
	at := model.Place{Run: run, Number: number, Seq: seq}
	for range 3 {
		if l.leaseLeft(number, seq) >= l.pushes.lease.request && l.laneOf(at).broken.Load() == nil && l.h.Engine.Held(l.pushes.locksOf([]model.Place{at})) == nil {
			return nil
		}
		if err := l.Renew(ctx, run, seq); err != nil {
			return err
		}
	}
	return &fault.Error{Ledger: l.h.Read.Label(), Doing: "renew the lease of run " + run, Kind: fault.ErrUnreachable,
		Err: errors.New("commits take longer than the lease lasts"), Hint: "Check the disk or the database server, and run the job again."}
}

func (l *Ledger) leaseLeft(number, seq int64) time.Duration {
	l.pushes.mu.Lock()
	defer l.pushes.mu.Unlock()
	if h := l.pushes.runs[number].at(seq); h != nil {
		return h.left(l.pushes.lease, time.Now())
	}
	return 0
}

// Renew renews the lease of the range that a record is in.
func (l *Ledger) Renew(ctx context.Context, run string, seq int64) error {
	number, err := l.h.Number(ctx, run)
	if err != nil {
		return l.h.Wrap("renew a lease", err)
	}
	return l.submit(ctx, &commit{answer: make(chan error, 1), renewals: []model.Place{{Run: run, Number: number, Seq: seq}}})
}

// Term returns how long a range is this process's after a commit.
func (l *Ledger) Term() time.Duration { return l.pushes.lease.term }

// RenewEvery returns how often a sender should renew a lease if nothing else is committed.
func (l *Ledger) RenewEvery() time.Duration {
	return max((l.pushes.lease.term-l.pushes.lease.request)/3, 100*time.Millisecond)
}
