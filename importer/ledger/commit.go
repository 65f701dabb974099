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

// groupLimit is how many callers of Commit share a transaction at the most.
const groupLimit = 256

// noteEvery is how often what sends looks whether commits still wait for the standbys that they waited for.
const noteEvery = 15 * time.Second

// reserveAfter is how many groups with intents, for whose flush workers wait, are committed before the log gets its room: a run that
// settles a few records only is done before the room is made, and one of repeatable records does without.
const reserveAfter = 8

// Commit makes the outcomes of the last requests and the intents of the next ones durable, all of them in one
// transaction; when it returns nil they are on disk. Calls that arrive while another is being written are written
// together, with one flush to disk for all, so that many workers that each settle one record do not wait for each
// other's disk, and a record costs one commit.
//
// A record is sent only from planned, and has an outcome only from sending; held, failed and rejected may also follow
// planned, and so may any outcome of a repeatable record that was sent without an intent (Outcome.Sent). Whatever else is asked for is a *TransitionError, an unknown record is ErrNotFound, and an intent for a key
// that another record has left in doubt is a *DoubtError: then nothing of this call is done, and other calls are not
// concerned.
//
// Any other error means that the ledger could not be written. All calls of the group get it, and none of them may be
// taken as done. From then on (a run stops rather than sending what it cannot record) Commit refuses with fault.ErrStopped what is had by the same kind of right, so that nothing more is sent whose outcome
// could not be recorded; the next Lock ends that, for parts of runs the next Take. The records concerned are found as sending, and Recover settles them.
// What this process has lost, a range that another one took (ErrTakenOver) or the lock of a scope, concerns the calls about that alone: each of them is
// refused, and of their outcomes is written what still may be (settleLate).
//
// The records of a call are of whole runs or of parts of runs: it is refused where they are of both.
//
// A call whose ctx ends before its turn has no effect; once its turn has come, ctx is no longer looked at.
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

// errTwoRights is of a call whose records are not had by one kind of right: what a range has is counted in one lane.
var errTwoRights = errors.New("records of a whole run and of a part of one cannot be in one commit")

// submit has a call committed with others, and returns when it is.
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
	c := &commit{answer: make(chan error, 1)}
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

// lane is where the calls wait that have the same kind of right. Each has one goroutine that commits, and refuses by itself: who has lost a lock, or
// waits to hold it again, has its leases still.
type lane struct {
	calls  chan *commit
	broken atomic.Pointer[fault.Error] // the failure after which it refuses
	noted  time.Time                   // when it last called SendHere
}

// commitGroups is the one goroutine that commits what comes by a lane.
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

// gather takes the calls that are waiting already. Workers that were answered a moment ago are about to call again, so
// the others are let run first, for as long as that brings new calls.
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
	if err != nil && (!l.away(err) || errors.As(err, &lock)) { // the database may be there though a lock cannot be had again
		l.settleLate(group)
	}
	for _, c := range group {
		c.answer <- err
	}
}

// writing is a group that is being written: what is left of it, whether an earlier try may have been carried out, and when the first began.
type writing struct {
	*Ledger
	by    *lane
	group []*commit
	again bool
	first time.Time
}

// writeGroup writes what is possible of a group, and tries again while the database is away: only if all of the group is of runs
// that are counted, because the answer to the first try may have been lost.
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
			w.again = true // it may have been carried out, and why it was not is found out step by step
		}
	}
	w.group, err = w.writeOnce(under, w.group, w.again)
	var lost *lostError
	w.again = w.again || !errors.As(err, &lost) // a group with such a range was not carried out
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

// leaveOut tells the calls of a group that are of what this process has lost, a range that another one took or the lock of a scope, that it has, and
// leaves them out. What else is in the group is not concerned. It tells whether there were any.
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

// settleLate writes down what came of the requests of calls that are refused. Where the lock of a scope alone is lost, the outcomes are as good as before:
// the range's epoch says whether another process has taken up the run, and only intents rely on the lock. Where one has, an outcome is written
// if it is all there is to its record: if that was left in doubt because of the very request that is answered now. What cannot be written is still in doubt.
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

// settlePossible writes what of a group can be written. The statements of settle are written as if all were well; only
// when they turn out not to be are the calls looked at one by one, and those that ask for the impossible are told so and
// left out. Another process may have changed something meanwhile, so it is tried more than once.
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

// stop makes every commit of a lane from now on fail.
func (l *Ledger) stop(by *lane, err error) error {
	var cause *fault.Error
	if !errors.As(err, &cause) {
		cause = &fault.Error{Ledger: l.h.Read.Label(), Doing: "commit", Err: err}
	}
	by.broken.CompareAndSwap(nil, cause)
	return err
}
