package console

import (
	"context"
	"errors"
	"fmt"
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
	Run      string            // "" until the run has begun
	Progress importer.Progress // as last told
	Ended    time.Time         // zero while it goes on
	Err      error             // why the run could not be made
}

// UnderWay tells whether the order is still being carried out.
func (s Standing) UnderWay() bool { return s.Ended.IsZero() }

// orders carries out what people ask for. An order goes on when the browser that asked for it is gone; end asks all of them to
// stop. What is remembered of an order here is how it stands: what it did is in the ledger.
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
		return refuse(409, fmt.Sprintf("The job %s is being carried out already, as %s asked.", order.Job, last.Who), "Wait until that has ended.")
	}
	standing := &Standing{Order: order, Taken: o.now()}
	o.latest[order.Job] = standing
	o.wait.Go(func() { o.carryOut(standing) })
	return nil
}

func (o *orders) carryOut(s *Standing) {
	change := func(f func()) { o.mu.Lock(); defer o.mu.Unlock(); f() }
	run, err := o.do(o.ctx, s.Order, Tell{
		Began:    func(run ledger.Run) { change(func() { s.Run = run.ID }) },
		Progress: func(p importer.Progress) { change(func() { s.Progress = p }) },
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
