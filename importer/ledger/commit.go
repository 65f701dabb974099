package ledger

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"docketsync/importer/ledger/evidence"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/handle"
	"docketsync/importer/ledger/model"
	"docketsync/importer/ledger/store"
)

// groupLimit is the most callers of Commit that share a transaction.
const groupLimit = 256

// noteEvery is how often a process that sends checks whether commits still wait for the same standbys.
const noteEvery = 15 * time.Second

// reserveAfter is how many groups with intents, for whose flush workers wait, are committed before the log reserves its
// room. A run that settles only a few records ends before that, and one of repeatable records does not need it.
const reserveAfter = 8

// Commit makes the outcomes of the last requests and the intents of the next ones durable, all in one transaction. When
// it returns nil they are on disk. Calls that arrive while another is being written are written together, with one
// flush to disk for all. So many workers that each settle one record do not wait for each other's disk, and a record
// costs one commit.
//
// A record is sent only from planned, and has an outcome only from sending. Held, failed and rejected may also follow
// planned, and so may any outcome of a repeatable record that was sent without an intent (Outcome.Sent). Any other
// transition is a *TransitionError, an unknown record is ErrNotFound, and an intent for a key that another record has
// left in doubt is a *DoubtError. Then nothing of this call is done, and other calls are not affected.
//
// Any other error means that the ledger could not be written. All calls of the group get it, and none of them may be
// taken as done. From then on Commit refuses, with fault.ErrStopped, all calls with the same kind of right: a run must
// stop rather than send what it cannot record. The next Lock ends the refusal, or for parts of runs the next Take. The
// records concerned are found as sending, and Recover settles them.
//
// If this process has lost something, a range that another process took (ErrTakenOver) or the lock of a scope, only the
// calls about that are refused. Of their outcomes, those that still may be written are (settleLate).
//
// The records of a call are either of whole runs or of parts of runs; a call with both is refused.
//
// A call whose ctx ends before its turn has no effect. Once its turn has come, ctx is ignored.
func (l *Ledger) Commit(ctx context.Context, outcomes []Outcome, intents []Intent) error {
	if len(outcomes)+len(intents) == 0 {
		return nil
	}
	c, err := l.newCommit(ctx, outcomes, intents)
	if err != nil {
		return l.h.Wrap("commit", err)
	}
	return l.submit(ctx, c)
}

// errTwoRights refuses a call whose records are owned by different kinds of right. A range's commits are counted in one
// lane.
var errTwoRights = errors.New("records of a whole run and of a part of one cannot be in one commit")

// submit has a call committed with others and returns when it is.
func (l *Ledger) submit(ctx context.Context, c *commit) error {
	places := c.places()
	by := l.laneOf(places[0])
	if slices.ContainsFunc(places, func(at model.Place) bool { return l.laneOf(at) != by }) {
		return l.h.Wrap("commit", errTwoRights)
	}
	select {
	case by.calls <- c:
		return <-c.answer
	case <-ctx.Done():
		return ctx.Err()
	case <-l.w.Store.Closing():
		return l.h.Wrap("commit", fault.ErrClosed)
	}
}

func (l *Ledger) newCommit(ctx context.Context, outcomes []Outcome, intents []Intent) (*commit, error) {
	c := &commit{answer: make(chan error, 1), outcomes: make([]settled, 0, len(outcomes))}
	for _, o := range outcomes {
		if !slices.Contains(outcomeStates, o.State) {
			return nil, fmt.Errorf("run %s, record %d: %q is not an outcome", o.Run, o.Seq, o.State)
		}
		number, err := l.h.Number(ctx, o.Run)
		if err != nil {
			return nil, err
		}
		s := settled{Place: model.Place{Run: o.Run, Number: number, Seq: o.Seq}, Outcome: o}
		if !o.Sent.IsZero() {
			s.sent = o.Sent.UnixMicro()
		}
		s.intent = l.pushes.sentAt(s.Place)
		c.outcomes = append(c.outcomes, s)
	}
	for _, i := range intents {
		number, err := l.h.Number(ctx, i.Run)
		if err != nil {
			return nil, err
		}
		c.intents = append(c.intents, model.Place{Run: i.Run, Number: number, Seq: i.Seq})
	}
	return c, nil
}

// lane is the queue of the calls with the same kind of right. Each lane has one goroutine that commits, and refuses on
// its own: a process that has lost a lock, or is waiting to get it back, still has its leases.
type lane struct {
	calls  chan *commit
	broken atomic.Pointer[fault.Error] // the failure after which the lane refuses
	noted  time.Time                   // when the lane last called SendHere
}

// commitGroups is the one goroutine that commits the calls of a lane.
func (l *Ledger) commitGroups(by *lane) {
	for {
		select {
		case first := <-by.calls:
			l.commitGroup(by, by.gather(first))
		case <-l.w.Store.Closing():
			return
		}
	}
}

// gather takes the calls that are already waiting. Workers that were answered a moment ago are about to call again, so
// it lets other goroutines run first, as long as that brings new calls.
func (by *lane) gather(first *commit) []*commit {
	group := []*commit{first}
	for before := 0; before < len(group) && len(group) < groupLimit; {
		runtime.Gosched()
		before = len(group)
		for waiting := true; waiting && len(group) < groupLimit; {
			select {
			case next := <-by.calls:
				group = append(group, next)
			default:
				waiting = false
			}
		}
	}
	return group
}

// commitGroup writes a group and answers every call in it.
func (l *Ledger) commitGroup(by *lane, group []*commit) {
	if slices.ContainsFunc(group, func(c *commit) bool { return len(c.intents) > 0 }) {
		l.groups.Add(1)
	}
	var err error
	if cause := by.broken.Load(); cause != nil {
		err = &fault.Error{Ledger: l.h.Read.Label(), Doing: "commit", Kind: fault.ErrStopped, Hint: cause.Hint, Err: cause.Err}
	} else {
		if group, err = l.writeGroup(by, group); err != nil {
			err = l.stop(by, l.h.Wrap("commit", err))
		}
	}
	var lock *store.LostLock
	if err != nil && (!l.away(err) || errors.As(err, &lock)) { // the database may be reachable even if a lock cannot be had again
		l.settleLate(group)
	}
	for _, c := range group {
		c.answer <- err
	}
}

// writing is a group that is being written: what is left of it, whether an earlier try may have been carried out, and
// when the first try began.
type writing struct {
	*Ledger
	by    *lane
	group []*commit
	again bool
	first time.Time
}

// writeGroup writes what it can of a group. While the database is away it tries again, but only if all records are of
// runs that are counted, because the answer to the first try may have been lost.
func (l *Ledger) writeGroup(by *lane, group []*commit) (rest []*commit, err error) {
	w := &writing{Ledger: l, by: by, group: group}
	for {
		if !w.pushes.all(w.group) {
			err = w.try()
		} else {
			err = l.patiently(context.Background(), w.try)
		}
		if err == nil || w.away(err) || !w.leaveOut(err) {
			return w.group, err
		}
		if len(w.group) == 0 {
			return nil, nil
		}
	}
}

func (w *writing) try() (err error) {
	under := w.pushes.locksOf(placesOf(w.group))
	if w.h.Engine.Held(under) != nil {
		if err = w.h.Engine.Hold(context.Background(), under); err != nil {
			return err
		}
	}
	if time.Since(w.by.noted) > noteEvery {
		if err = w.SendHere(context.Background()); err != nil {
			return err
		}
		w.by.noted = time.Now()
	}
	began := time.Now()
	if w.first.IsZero() {
		w.first = began
	}
	if !w.again && w.h.Engine.Dialect().Remote {
		if t := w.pushes.contents(w.group, w.w.Now()); t.known() {
			err := w.w.AtOnce(context.Background(), under, func(tx *handle.Tx) ([]store.Step, error) {
				return (&transaction{Tx: tx, pushes: w.pushes}).inAdvance(t)
			})
			if err == nil {
				return w.pushes.add(w.group, began)
			}
			w.again = true // it may have been carried out; if not, doing it step by step shows why
		}
	}
	w.group, err = w.writeOnce(under, w.group, w.again)
	var lost *lostError
	w.again = w.again || !errors.As(err, &lost) // a group with a lost range was not carried out
	if errors.Is(err, handle.ErrCommitted) {
		began, err = w.first, nil // the lease lasts from the try that was carried out, whichever that was
	}
	if err == nil || len(w.group) == 0 {
		return w.pushes.add(w.group, began)
	}
	return err
}

func (l *Ledger) writeOnce(under store.Locks, group []*commit, again bool) (rest []*commit, err error) {
	err = l.doUnder(context.Background(), under, false, func(tx *transaction) error {
		if tx.again = again; l.groups.Load() == reserveAfter {
			l.h.Engine.Reserve()
		}
		return tx.settle(group, l.w.Now())
	})
	if errors.Is(err, errImpossible) {
		return l.settlePossible(under, group)
	}
	return group, err
}

// leaveOut answers and removes those calls of a group that concern what this process has lost: a range that another
// process took, or the lock of a scope. The rest of the group is not affected. It reports whether it removed any.
func (w *writing) leaveOut(err error) bool {
	var taken *lostError
	var lock *store.LostLock
	concerned := func(model.Place) bool { return false }
	switch {
	case errors.As(err, &taken):
		concerned = func(p model.Place) bool { return p.Run == taken.run && w.pushes.at(p.Number, p.Seq) == taken.at }
	case errors.As(err, &lock):
		concerned = func(p model.Place) bool { return w.pushes.locksOf([]model.Place{p})(lock.Name) }
	}
	n := len(w.group)
	w.group = slices.DeleteFunc(w.group, func(c *commit) bool {
		out := slices.ContainsFunc(c.places(), concerned)
		if out {
			for _, p := range c.places() {
				w.pushes.lapse(p.Number)
			}
			w.settleLate([]*commit{c})
			c.answer <- w.h.Wrap("commit", err)
		}
		return out
	})
	return len(w.group) < n
}

// settleLate stores the outcomes of refused calls where it still may. If only the lock of a scope is lost, the outcomes
// are still good: the range's epoch says whether another process has taken over the run, and only intents rely on the
// lock. If another process has, an outcome is stored only if the record is in doubt because of this very request. What
// cannot be stored stays in doubt.
func (l *Ledger) settleLate(group []*commit) {
	for _, c := range group {
		if l.h.Engine.Held(l.pushes.locksOf(c.places())) != nil {
			if err := l.settleUnlocked(c.outcomes); l.away(err) {
				return
			} else if err == nil {
				continue
			}
		}
		for n := range c.outcomes {
			if o := c.outcomes[n]; o.intent != 0 && o.State != InDoubt {
				_ = l.doUnder(context.Background(), store.NoLocks, false, func(tx *transaction) error { return tx.settleLate(o) })
			}
		}
	}
}

// settleUnlocked commits outcomes on the right of their ranges' epochs alone.
func (l *Ledger) settleUnlocked(outcomes []settled) error {
	if len(outcomes) == 0 {
		return nil
	}
	began := time.Now()
	group, err := l.writeOnce(store.NoLocks, []*commit{{outcomes: outcomes, answer: make(chan error, 1)}}, false)
	if err == nil {
		err = l.pushes.add(group, began)
	}
	return err
}

func (tx *transaction) settleLate(o settled) error {
	changed, err := tx.Exec(`update records set state = 'sending', settled_at = null where run_no = $1 and seq = $2 and state = 'in_doubt' and sent_at = $3`,
		o.Number, o.Place.Seq, o.intent)
	if err != nil || changed == 0 {
		return err
	}
	if err := evidence.NoteRow(tx.Tx, o.Number, o.Place.Seq); err != nil {
		return err
	}
	o.ordinary = false
	if err := tx.carryOut([]settled{o}, nil); err != nil {
		return err
	}
	if err := tx.release(o.Place, o.At); err != nil {
		return err
	}
	_, err = tx.Exec(`update runs set commits = commits + 1 where number = $1`, o.Number)
	return err
}

// settlePossible writes what it can of a group. The statements of settle assume that all is well. Only if that is not
// so are the calls checked one by one; those that ask for the impossible get an error and are left out. It tries
// several times, because another process may change something meanwhile.
func (l *Ledger) settlePossible(under store.Locks, group []*commit) (rest []*commit, err error) {
	for range 5 {
		err = l.doUnder(context.Background(), under, false, func(tx *transaction) (err error) {
			if group, err = tx.leaveOutImpossible(group); err != nil {
				return err
			}
			return tx.settle(group, l.w.Now())
		})
		if !errors.Is(err, errImpossible) {
			break
		}
	}
	return group, err
}

// stop makes every later commit of a lane fail.
func (l *Ledger) stop(by *lane, err error) error {
	var cause *fault.Error
	if !errors.As(err, &cause) {
		cause = &fault.Error{Ledger: l.h.Read.Label(), Doing: "commit", Err: err}
	}
	by.broken.CompareAndSwap(nil, cause)
	return err
}
