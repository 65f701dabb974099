// Package queue carries out the runs that people start on the pages, and knows how far a run is. It knows no page.
//
// An order outlasts the request that placed it: it continues when the browser is gone. Orders are carried out one at a
// time, in the order in which they were taken, because an open ledger remembers for all its users whether a write has
// failed. Standing says how an order is doing; what it did is in the ledger. For a run of another process, Pulses says
// how far it is, from the ledger.
//
// Nodes do not make the queue superfluous. River would hand an order to any of them, but SQLite has no River, so there
// would be two queues; and the part of an order that takes long, the sending, is shared with all nodes anyway (package
// cluster).
//
// It promises that End waits for everything that was begun, and that an order that is stopped while it waits is never
// begun.
package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"docketsync/importer"
	"docketsync/importer/forecast"
	"docketsync/importer/ledger"
)

// Order is something to do with a job.
type Order struct {
	Job string
	// Kind is Push to send what Accept or Approved names, Plan for a dry run, Check for a check without a network.
	Kind ledger.Kind
	// Accept names the run whose guards somebody has looked at: a Push sends exactly that despite them. "" for none.
	Accept string
	// File is read instead of the job's own source, or was read when Approved was planned: corrected rows. "" for none.
	File string
	// Export says that File is a whole export, read as the job reads its own.
	Export bool
	// Approved names a run of the kind Plan: a Push sends exactly what that planned, or nothing. "" for none.
	Approved string
	// Who asks for it.
	Who string
}

// Tell receives the progress of an order. Both functions may be nil, and must return at once.
type Tell struct {
	Began    func(ledger.Run)
	Progress func(importer.Progress)
}

// Standing is the state of an order that this console took.
type Standing struct {
	Order
	Taken    time.Time
	Waits    bool              // for another order to end, before it is begun
	Run      string            // "" until the run has begun
	Progress importer.Progress // as last told
	Course   forecast.Course   // since the phase of Progress began
	Stopped  string            // who asked it to stop, "" for nobody
	Ended    time.Time         // zero while it goes on
	Err      error             // why the run could not be made

	cancel context.CancelFunc
}

// UnderWay reports whether the order is still being carried out.
func (s Standing) UnderWay() bool { return s.Ended.IsZero() }

// NeverBegun reports whether somebody stopped the order before a run was made.
func (s Standing) NeverBegun() bool { return s.Stopped != "" && errors.Is(s.Err, context.Canceled) }

// Queue carries out orders one at a time, in the order in which they were taken. An open ledger remembers for all its
// users, until the next run begins, whether a write has failed; so with two concurrent runs, one might continue despite
// the other's failure. An order continues when the browser that placed it is gone; End asks all of them to stop. The
// queue remembers only the state of an order: what it did is in the ledger.
type Queue struct {
	runner Runner
	now    func() time.Time
	log    *zap.Logger

	ctx  context.Context
	stop context.CancelFunc
	wait sync.WaitGroup
	busy atomic.Int64 // how many wait waits for

	mu     sync.Mutex
	ended  bool
	latest map[string]*Standing // by job
	last   chan struct{}        // closed when the order that was taken last has ended, and all before it
}

// Runner carries out an order from beginning to end, and returns the run as it ended; its reports have been written
// then. When ctx ends, what is in flight is finished and the rest is held. An error means that the run could not be
// made; it is a *fault.BusyError if another run holds the lock.
type Runner interface {
	Run(ctx context.Context, order Order, tell Tell) (ledger.Run, error)
}

// New returns an empty queue. before are the orders, by job, of a queue that has ended and that this one replaces; nil
// for none. The end of ctx stops nothing: End does.
func New(ctx context.Context, runner Runner, before map[string]*Standing, now func() time.Time, log *zap.Logger) *Queue {
	if before == nil {
		before = map[string]*Standing{}
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	free := make(chan struct{})
	close(free)
	return &Queue{runner: runner, now: now, log: log, ctx: ctx, stop: stop, latest: before, last: free}
}

// Take begins to carry out an order. A job has only one order at a time. If another process runs the job, the lock of
// the ledger shows that, and Standing.Err says so.
func (q *Queue) Take(order Order) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		return ErrStopping
	}
	if last := q.latest[order.Job]; last != nil && last.UnderWay() {
		return &UnderWayError{*last}
	}
	ctx, cancel := context.WithCancel(q.ctx)
	standing := &Standing{Order: order, Taken: q.now(), cancel: cancel}
	q.latest[order.Job] = standing
	before, ended := q.last, make(chan struct{})
	q.last = ended
	select {
	case <-before:
	default:
		standing.Waits = true
	}
	q.goOn(func() {
		defer close(ended)
		q.inTurn(ctx, standing, before)
		<-before // an order behind one that was stopped while it waited must still wait
	})
	return nil
}

// inTurn carries out an order once those before it have ended. If it is asked to stop before that, it is never begun.
func (q *Queue) inTurn(ctx context.Context, s *Standing, before <-chan struct{}) {
	select {
	case <-before:
	case <-ctx.Done():
	}
	defer s.cancel()
	change := func(f func()) { q.mu.Lock(); defer q.mu.Unlock(); f() }
	stopped := ctx.Err()
	change(func() {
		s.Waits, s.Err = false, stopped
		if stopped != nil {
			s.Ended = q.now()
		}
	})
	if stopped != nil {
		return
	}
	run, err := q.runner.Run(ctx, s.Order, Tell{
		Began: func(run ledger.Run) { change(func() { s.Run = run.ID }) },
		Progress: func(p importer.Progress) {
			change(func() { s.Course = onwards(s.Course, q.now(), s.Progress, p); s.Progress = p })
		},
	})
	change(func() {
		s.Ended, s.Err = q.now(), err
		if run.ID != "" {
			s.Run = run.ID
		}
	})
	if err != nil {
		q.log.Error("a requested run could not be started", zap.String("job", s.Job), zap.String("who", s.Who), zap.Error(err))
	}
}

// Stop asks an order of a job to stop, identified by when it was taken: what is in flight is finished, the rest is
// held.
func (q *Queue) Stop(job string, taken int64, who string) (stops bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.latest[job]
	if s == nil || !s.UnderWay() || s.Taken.UnixNano() != taken {
		return false // it has ended already
	}
	if s.Stopped == "" {
		s.Stopped = who
	}
	s.cancel()
	return true
}

// Of returns the state of the last order of a job; false if there was none.
func (q *Queue) Of(job string) (Standing, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s := q.latest[job]; s != nil {
		return *s, true
	}
	return Standing{}, false
}

// Orders returns the last orders by job, for the queue that replaces this one when it has ended.
func (q *Queue) Orders() map[string]*Standing { return q.latest }

// ErrStopping says that no order is taken any more.
var ErrStopping = errors.New("the console is being stopped, and begins nothing new")

// UnderWayError says that another order of the job is being carried out.
type UnderWayError struct{ Standing }

func (e *UnderWayError) Error() string {
	return fmt.Sprintf("the job %s is running already, started by %s", e.Job, e.Who)
}

// ErrCut says that orders did not end in time.
var ErrCut = errors.New("a run did not stop in time and was cut off; what was in flight may be in doubt, and the next start settles it")

// Go does work in the background until its context tells it to stop; End waits for it.
func (q *Queue) Go(work func(ctx context.Context)) { q.goOn(func() { work(q.ctx) }) }

func (q *Queue) goOn(work func()) {
	q.busy.Add(1)
	q.wait.Go(func() {
		defer q.busy.Add(-1)
		work()
	})
}

// Busy reports whether End would have to wait.
func (q *Queue) Busy() bool { return q.busy.Load() > 0 }

// End asks all orders to stop, and waits for them for that long.
func (q *Queue) End(within time.Duration) error {
	q.mu.Lock()
	q.ended = true
	q.mu.Unlock()
	q.stop()
	done := make(chan struct{})
	go func() { q.wait.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-time.After(within):
		return ErrCut
	}
}
