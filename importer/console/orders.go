package console

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"docketsync/importer"
	"docketsync/importer/ledger"
)

// Standing is how far an order is that this console took.
type Standing struct {
	Order
	Taken    time.Time
	Waits    bool              // for another order to end, before it is begun
	Run      string            // "" until the run has begun
	Progress importer.Progress // as last told
	Pace     pace              // since the phase of Progress began
	Stopped  string            // who asked it to stop, "" for nobody
	Ended    time.Time         // zero while it goes on
	Err      error             // why the run could not be made

	cancel context.CancelFunc
}

// UnderWay tells whether the order is still being carried out.
func (s Standing) UnderWay() bool { return s.Ended.IsZero() }

// neverBegun tells whether somebody stopped the order before a run was made.
func (s Standing) neverBegun() bool { return s.Stopped != "" && errors.Is(s.Err, context.Canceled) }

// orders carries out what people ask for, one order at a time in the order in which they were taken: a ledger that is open once
// remembers for all who use it whether a write has failed, until the next run begins, so two runs beside each other would let one
// go on over the other's failure. An order goes on when the browser that asked for it is gone; end asks all of them to stop. What
// is remembered of an order here is how it stands: what it did is in the ledger.
type orders struct {
	do  func(context.Context, Order, Tell) (ledger.Run, error)
	now func() time.Time
	log *zap.Logger

	ctx  context.Context
	stop context.CancelFunc
	wait sync.WaitGroup

	mu     sync.Mutex
	ended  bool
	latest map[string]*Standing // by job
	queue  []chan struct{}      // of orders that wait for their turn, which is given by closing; the first is of the one that has it
}

func newOrders(ctx context.Context, o Options) *orders {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	return &orders{do: o.Work.Do, now: o.now, log: o.Log, ctx: ctx, stop: stop, latest: map[string]*Standing{}}
}

// take begins to carry out an order. One order of a job is carried out at a time; that another process runs the job is found out
// by the lock of the ledger, and told by Standing.Err.
func (o *orders) take(order Order) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return refuse(503, "The console is being stopped, and begins nothing new.", "Try again when it is back.")
	}
	if last := o.latest[order.Job]; last != nil && last.UnderWay() {
		return goingOn(*last)
	}
	ctx, cancel := context.WithCancel(o.ctx)
	standing := &Standing{Order: order, Taken: o.now(), cancel: cancel}
	o.latest[order.Job] = standing
	turn := make(chan struct{})
	if o.queue = append(o.queue, turn); len(o.queue) == 1 {
		close(turn)
	} else {
		standing.Waits = true
	}
	o.wait.Go(func() { o.inTurn(ctx, standing, turn) })
	return nil
}

// inTurn carries out an order once those before it have ended. One that is asked to stop meanwhile is never begun.
func (o *orders) inTurn(ctx context.Context, s *Standing, turn chan struct{}) {
	defer o.giveTurn(turn)
	select {
	case <-turn:
	case <-ctx.Done():
	}
	o.mu.Lock()
	s.Waits = false
	if s.Err = ctx.Err(); s.Err != nil {
		s.Ended = o.now()
	}
	never := s.Err != nil
	o.mu.Unlock()
	if never {
		s.cancel()
		return
	}
	o.carryOut(ctx, s)
}

// giveTurn takes an order out of the queue, and lets the first begin.
func (o *orders) giveTurn(turn chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	first := o.queue[0] == turn
	o.queue = slices.DeleteFunc(o.queue, func(c chan struct{}) bool { return c == turn })
	if first && len(o.queue) > 0 {
		close(o.queue[0])
	}
}

// goingOn tells somebody who asks for a job that it is being carried out, and leads there.
func goingOn(s Standing) error {
	return &refusal{Status: 409, Message: fmt.Sprintf("The job %s is being carried out already, as %s asked.", s.Job, s.Who),
		Hint: "Nothing was begun beside it. Wait until it has ended.", Path: jobPath(s.Job), Way: "See how far it is"}
}

// stopOne asks an order of a job to stop, named by when it was taken: what is in flight is finished, the rest is held.
func (o *orders) stopOne(job string, taken int64, who string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.latest[job]
	if s == nil || !s.UnderWay() || s.Taken.UnixNano() != taken {
		return refuse(409, "That has ended already.", "There was nothing to stop.")
	}
	if s.Stopped == "" {
		s.Stopped = who
	}
	s.cancel()
	return nil
}

func (o *orders) carryOut(ctx context.Context, s *Standing) {
	defer s.cancel()
	change := func(f func()) { o.mu.Lock(); defer o.mu.Unlock(); f() }
	run, err := o.do(ctx, s.Order, Tell{
		Began: func(run ledger.Run) { change(func() { s.Run = run.ID }) },
		Progress: func(p importer.Progress) {
			change(func() { s.Pace = s.Pace.at(o.now(), s.Progress, p); s.Progress = p })
		},
	})
	change(func() {
		s.Ended, s.Err = o.now(), err
		if run.ID != "" {
			s.Run = run.ID
		}
	})
	if err != nil {
		o.log.Error("a run that was asked for could not be made", zap.String("job", s.Job), zap.String("who", s.Who), zap.Error(err))
	}
}

// of is how the last order of a job stands; false when there was none.
func (o *orders) of(job string) (Standing, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if s := o.latest[job]; s != nil {
		return *s, true
	}
	return Standing{}, false
}

// ErrCut tells that orders did not end in time.
var ErrCut = errors.New("a run did not stop in time and was cut off; what was in flight may be in doubt, and the next start settles it")

// end asks all orders to stop, and waits for them that long.
func (o *orders) end(within time.Duration) error {
	o.mu.Lock()
	o.ended = true
	o.mu.Unlock()
	o.stop()
	done := make(chan struct{})
	go func() { o.wait.Wait(); close(done) }()
	late := time.NewTimer(within)
	defer late.Stop()
	select {
	case <-done:
		return nil
	case <-late.C:
		return ErrCut
	}
}
