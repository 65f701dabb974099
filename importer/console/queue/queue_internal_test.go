package queue

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"docketsync/importer"
	"docketsync/importer/ledger"
)

// heldWork carries out an order until it is let go, or until it is asked to stop and takes its time for that.
type heldWork struct {
	begun, free chan struct{}
	stubborn    bool
}

func (h heldWork) Run(ctx context.Context, order Order, tell Tell) (ledger.Run, error) {
	run := ledger.Run{ID: "run of " + order.Job}
	tell.Began(run)
	tell.Progress(importer.Progress{Job: order.Job, Rows: 7})
	h.begun <- struct{}{}
	select {
	case <-h.free:
		return run, nil
	case <-ctx.Done():
	}
	if h.stubborn {
		<-h.free
	}
	return run, ctx.Err()
}

func heldQueue(h heldWork) *Queue {
	return New(context.Background(), h, nil, time.Now, zap.NewNop())
}

func newHeld() heldWork {
	return heldWork{begun: make(chan struct{}, 9), free: make(chan struct{}, 9)}
}

func TestOrdersOfAJobAreTakenOneByOne(t *testing.T) {
	t.Parallel()
	h := newHeld()
	o := heldQueue(h)
	for _, job := range []string{"a", "b"} {
		if err := o.Take(Order{Job: job, Who: "Ines"}); err != nil {
			t.Fatal(err)
		}
	}
	<-h.begun
	var underWay *UnderWayError
	if err := o.Take(Order{Job: "a"}); !errors.As(err, &underWay) || underWay.Who != "Ines" {
		t.Errorf("the second order: %v", err)
	}
	if s, ok := o.Of("a"); !ok || !s.UnderWay() || s.Run != "run of a" || s.Progress.Rows != 7 {
		t.Errorf("it stands %+v", s)
	}
	if _, ok := o.Of("c"); ok {
		t.Error("an order that nobody gave stands somehow")
	}
	h.free <- struct{}{}
	h.free <- struct{}{}
	o.wait.Wait()
	if s, _ := o.Of("a"); s.UnderWay() || s.Err != nil {
		t.Errorf("it stands %+v", s)
	}
	if err := o.Take(Order{Job: "a"}); err != nil {
		t.Errorf("the next order: %v", err)
	}
	if err := o.End(time.Minute); err != nil {
		t.Error(err)
	}
	if s, _ := o.Of("a"); s.UnderWay() || !errors.Is(s.Err, context.Canceled) {
		t.Errorf("it was not asked to stop: %+v", s)
	}
	if err := o.Take(Order{Job: "b"}); !errors.Is(err, ErrStopping) {
		t.Errorf("an order after the end: %v", err)
	}
}

func TestOrdersThatDoNotStopAreCutOff(t *testing.T) {
	t.Parallel()
	h := newHeld()
	h.stubborn = true
	o := heldQueue(h)
	if err := o.Take(Order{Job: "a"}); err != nil {
		t.Fatal(err)
	}
	<-h.begun
	if err := o.End(time.Millisecond); !errors.Is(err, ErrCut) {
		t.Errorf("the end is told as %v", err)
	}
	close(h.free)
	o.wait.Wait()
}

// Orders of different jobs are carried out one after the other as well, and one that is stopped while it waits is never begun.
func TestOrdersAreCarriedOutOneAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHeld()
		o := heldQueue(h)
		for _, job := range []string{"a", "b", "c"} {
			if err := o.Take(Order{Job: job, Who: "Ines"}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		stands := func(job string) Standing { s, _ := o.Of(job); return s }
		if len(h.begun) != 1 || stands("a").Waits || !stands("b").Waits || !stands("c").Waits {
			t.Fatalf("%d were begun: %+v, %+v, %+v", len(h.begun), stands("a"), stands("b"), stands("c"))
		}
		if !o.Stop("b", stands("b").Taken.UnixNano(), "Ines") {
			t.Fatal("the order that waits is not stopped")
		}
		synctest.Wait()
		b := stands("b")
		if b.UnderWay() || b.Run != "" || !b.NeverBegun() || b.Stopped != "Ines" {
			t.Errorf("what was stopped while it waited stands %+v", b)
		}
		if len(h.begun) != 1 {
			t.Fatalf("%d were begun while the first goes on", len(h.begun))
		}
		h.free <- struct{}{}
		synctest.Wait()
		if c := stands("c"); len(h.begun) != 2 || c.Waits || c.Run != "run of c" {
			t.Errorf("after the first, %d were begun, and the third stands %+v", len(h.begun), c)
		}
		h.free <- struct{}{}
		o.wait.Wait()
		<-o.last
	})
}
