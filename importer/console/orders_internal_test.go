package console

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

func (h heldWork) do(ctx context.Context, order Order, tell Tell) (ledger.Run, error) {
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

func heldOrders(h heldWork) *orders {
	return newOrders(context.Background(), Options{Work: Work{Do: h.do}, Log: zap.NewNop()})
}

func newHeld() heldWork {
	return heldWork{begun: make(chan struct{}, 9), free: make(chan struct{}, 9)}
}

func TestOrdersOfAJobAreTakenOneByOne(t *testing.T) {
	t.Parallel()
	h := newHeld()
	o := heldOrders(h)
	for _, job := range []string{"a", "b"} {
		if err := o.take(Order{Job: job, Who: "Ines"}); err != nil {
			t.Fatal(err)
		}
	}
	<-h.begun
	var refusal *refusal
	if err := o.take(Order{Job: "a"}); !errors.As(err, &refusal) || refusal.Status != 409 || refusal.Message != "The job a is being carried out already, as Ines asked." {
		t.Errorf("the second order: %v", err)
	}
	if s, ok := o.of("a"); !ok || !s.UnderWay() || s.Run != "run of a" || s.Progress.Rows != 7 {
		t.Errorf("it stands %+v", s)
	}
	if _, ok := o.of("c"); ok {
		t.Error("an order that nobody gave stands somehow")
	}
	h.free <- struct{}{}
	h.free <- struct{}{}
	o.wait.Wait()
	if s, _ := o.of("a"); s.UnderWay() || s.Err != nil {
		t.Errorf("it stands %+v", s)
	}
	if err := o.take(Order{Job: "a"}); err != nil {
		t.Errorf("the next order: %v", err)
	}
	if err := o.end(time.Minute); err != nil {
		t.Error(err)
	}
	if s, _ := o.of("a"); s.UnderWay() || !errors.Is(s.Err, context.Canceled) {
		t.Errorf("it was not asked to stop: %+v", s)
	}
	if err := o.take(Order{Job: "b"}); !errors.As(err, &refusal) || refusal.Status != 503 {
		t.Errorf("an order after the end: %v", err)
	}
}

func TestOrdersThatDoNotStopAreCutOff(t *testing.T) {
	t.Parallel()
	h := newHeld()
	h.stubborn = true
	o := heldOrders(h)
	if err := o.take(Order{Job: "a"}); err != nil {
		t.Fatal(err)
	}
	<-h.begun
	if err := o.end(time.Millisecond); !errors.Is(err, ErrCut) {
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
		o := heldOrders(h)
		for _, job := range []string{"a", "b", "c"} {
			if err := o.take(Order{Job: job, Who: "Ines"}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		stands := func(job string) Standing { s, _ := o.of(job); return s }
		if len(h.begun) != 1 || stands("a").Waits || !stands("b").Waits || !stands("c").Waits {
			t.Fatalf("%d were begun: %+v, %+v, %+v", len(h.begun), stands("a"), stands("b"), stands("c"))
		}
		s := &Server{orders: o, Options: Options{}}
		if view := s.ordered(stands("b")); view.Words != "Waiting for its turn: the console runs one job at a time" || view.Stop == 0 {
			t.Errorf("the page shows %+v", view)
		}
		if err := o.stopOne("b", stands("b").Taken.UnixNano(), "Ines"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		b := stands("b")
		if b.UnderWay() || b.Run != "" || endedBadly(&b) != "It was stopped before a run was made, as Ines asked. Nothing was sent." {
			t.Errorf("what was stopped while it waited stands %+v", b)
		}
		if got := standsNow(jobView{Order: &b}).Words; got != "has not been run yet" {
			t.Errorf("the job %s", got)
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
		if len(o.queue) > 0 {
			t.Errorf("%d still wait", len(o.queue))
		}
	})
}
