package pace

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
)

// bubble runs a test on a pacer in a bubble of its own time.
func bubble(t *testing.T, o Options, test func(t *testing.T, p *Pacer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := New(o, zap.NewNop())
		defer p.Close()
		test(t, p)
	})
}

func acquire(t *testing.T, p *Pacer) Turn {
	t.Helper()
	turn, err := p.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

func TestTurnsAreGivenInOrder(t *testing.T) {
	t.Parallel()
	bubble(t, Options{Concurrency: 1}, func(t *testing.T, p *Pacer) {
		first := acquire(t, p)
		var order []int
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				turn := acquire(t, p)
				order = append(order, i)
				turn.Release(Feedback{Kind: Served})
			})
			synctest.Wait()
		}
		first.Release(Feedback{Kind: Served})
		all.Wait()
		for i, got := range order {
			if i != got {
				t.Fatalf("the order is %v", order)
			}
		}
	})
}

// TestOnlyAKnownRateIsReported looks at the rate while the limit is sought, once the service has refused requests, and after a while
// in which nothing was sent.
func TestOnlyAKnownRateIsReported(t *testing.T) {
	t.Parallel()
	for ceiling, sought := range map[float64]float64{0: 0, 5000: 5000} {
		bubble(t, Options{Concurrency: 1, Rate: ceiling}, func(t *testing.T, p *Pacer) {
			ask := func(kind Kind) {
				turn := acquire(t, p)
				time.Sleep(10 * time.Millisecond) // of the bubble
				turn.Release(Feedback{Kind: kind})
			}
			for range 20 {
				if rate := p.State().Rate; rate != sought {
					t.Fatalf("with the ceiling %v, a rate of %v is reported while it is sought", ceiling, rate)
				}
				ask(Served)
			}
			ask(TooMany)
			found := p.State().Rate
			if found <= 0 || found > 100 {
				t.Errorf("the rate is %v, where 100 requests a second began", found)
			}
			time.Sleep(time.Hour)
			if rate := p.State().Rate; rate < found || rate > 100 {
				t.Errorf("the rate is %v an hour after it was %v", rate, found)
			}
		})
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	t.Parallel()
	bubble(t, Options{Concurrency: 1}, func(t *testing.T, p *Pacer) {
		first := acquire(t, p)
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := p.Acquire(ctx)
			left <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		first.Release(Feedback{})
		second := acquire(t, p) // the one who left holds nothing
		second.Release(Feedback{})
	})
}

// TestTurnGrantedToOneWhoLeavesIsNotLost grants turns to waits that have just been cancelled and cannot take themselves out of
// the queue yet.
func TestTurnGrantedToOneWhoLeavesIsNotLost(t *testing.T) {
	t.Parallel()
	p := New(Options{Concurrency: 1}, zap.NewNop())
	defer p.Close()
	for range 200 {
		turn := acquire(t, p)
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan bool)
		go func() {
			turn, err := p.Acquire(ctx)
			if err == nil {
				turn.Release(Feedback{})
			}
			left <- true
		}()
		for p.State().Waiting == 0 {
			runtime.Gosched()
		}
		p.mu.Lock()
		cancel()
		for range 20 {
			runtime.Gosched() // the other one wakes up and finds the lock held
		}
		p.busy--
		p.account.Breaker.served(turn.permit.Era)
		p.dispatch(time.Now())
		p.mu.Unlock()
		<-left
		if busy := p.State().Busy; busy != 0 {
			t.Fatalf("%d turns are lost", busy)
		}
	}
}

func TestCeilings(t *testing.T) {
	t.Parallel()
	for _, fixed := range []bool{false, true} {
		t.Run(fmt.Sprintf("fixed %v", fixed), func(t *testing.T) {
			t.Parallel()
			bubble(t, Options{Concurrency: 7, Rate: 25, Fixed: fixed}, func(t *testing.T, p *Pacer) {
				var mu sync.Mutex
				var all sync.WaitGroup
				most, total := 0, 0
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				for range 40 {
					all.Go(func() {
						for {
							turn, err := p.Acquire(ctx)
							if err != nil {
								return
							}
							mu.Lock()
							total++
							most = max(most, p.State().Busy)
							mu.Unlock()
							time.Sleep(time.Second) // 7 at once could do no more than 7 a second
							turn.Release(Feedback{Kind: Served, Latency: time.Second})
						}
					})
				}
				all.Wait()
				if most != 7 || total > 7*20+7 || total < 6*20-20 {
					t.Errorf("%d at once, %d in all", most, total)
				}
			})
			bubble(t, Options{Concurrency: 7, Rate: 25, Fixed: fixed}, func(t *testing.T, p *Pacer) {
				begun := time.Now()
				for range 250 {
					acquire(t, p).Release(Feedback{Kind: Served})
				}
				if took := time.Since(begun); took < 9*time.Second || took > 11*time.Second {
					t.Errorf("250 requests at 25 a second took %v", took)
				}
			})
		})
	}
}

// failing makes requests one after the other that all end with the signal, until the pacer gives up or the time is over, and
// returns when each began, in seconds since the start.
func failing(t *testing.T, p *Pacer, s Feedback, limit time.Duration) (began []int, err error) {
	t.Helper()
	start := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	for {
		turn, err := p.Acquire(ctx)
		if err != nil {
			return began, err
		}
		began = append(began, int(time.Since(start).Seconds()))
		turn.Release(s)
	}
}

func TestServiceThatIsDownIsProbedThenGivenUp(t *testing.T) {
	t.Parallel()
	bubble(t, Options{Concurrency: 1, Trip: 5, GiveUp: 2 * time.Minute}, func(t *testing.T, p *Pacer) {
		began, err := failing(t, p, Feedback{Kind: Troubled, Trouble: "connection refused"}, time.Hour)
		// Five failures, then pauses of 1, 2, 4, 8, 16, 30, 30, 30 seconds, each ended by one probe.
		if diff := cmp.Diff([]int{0, 0, 0, 0, 0, 1, 3, 7, 15, 31, 61, 91, 121}, began); diff != "" {
			t.Errorf("requests at seconds (-want +got):\n%s", diff)
		}
		var down *DownError
		want := "the service is down: no request has succeeded in 2m1s, the last ended with: connection refused"
		if !errors.As(err, &down) || err.Error() != want {
			t.Errorf("got %v", err)
		}
		if _, err := p.Acquire(t.Context()); !errors.As(err, &down) {
			t.Errorf("the next one got %v", err)
		}
	})
}

func TestProbeIsAlone(t *testing.T) {
	t.Parallel()
	bubble(t, Options{Concurrency: 8, Trip: 3}, func(t *testing.T, p *Pacer) {
		failing(t, p, Feedback{Kind: Troubled}, 500*time.Millisecond)
		var entered atomic.Int64
		turns := make(chan Turn, 8)
		for range 8 {
			go func() {
				turn := acquire(t, p)
				entered.Add(1)
				turns <- turn
			}()
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := entered.Load(); n != 1 {
			t.Fatalf("%d probes at once", n)
		}
		(<-turns).Release(Feedback{Kind: Served})
		synctest.Wait()
		if entered.Load() < 2 {
			t.Error("nobody else entered after the probe was served")
		}
		for range 7 {
			(<-turns).Release(Feedback{Kind: Served})
		}
	})
}

func TestServiceThatComesBackIsUsedAgain(t *testing.T) {
	t.Parallel()
	bubble(t, Options{Concurrency: 1, Trip: 3, GiveUp: time.Minute}, func(t *testing.T, p *Pacer) {
		for range 5 { // the patience begins anew each time
			failing(t, p, Feedback{Kind: Troubled}, 45*time.Second)
			acquire(t, p).Release(Feedback{Kind: Served})
		}
		begun := time.Now()
		for range 20 {
			acquire(t, p).Release(Feedback{Kind: Served})
		}
		if took := time.Since(begun); took > time.Second {
			t.Errorf("20 requests took %v", took)
		}
	})
}

func TestWhatTheBreakerCounts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		kind  Kind
		trips bool
	}{
		{Neutral, false}, {Served, false}, {TooMany, false}, {Overloaded, true}, {Troubled, true},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.kind), func(t *testing.T) {
			t.Parallel()
			bubble(t, Options{Concurrency: 1, Trip: 3}, func(t *testing.T, p *Pacer) {
				for range 10 {
					acquire(t, p).Release(Feedback{Kind: test.kind})
					if p.account.Breaker.Open != test.trips && test.trips == false {
						t.Fatal("tripped")
					}
				}
				if p.account.Breaker.Open != test.trips {
					t.Errorf("tripped is %v", p.account.Breaker.Open)
				}
			})
		})
	}
}

func TestTooManyForGoodIsGivenUp(t *testing.T) {
	t.Parallel()
	bubble(t, Options{Concurrency: 1, GiveUp: 5 * time.Minute}, func(t *testing.T, p *Pacer) {
		began, err := failing(t, p, Feedback{Kind: TooMany, RetryAfter: time.Minute, Trouble: "status 429"}, time.Hour)
		// Short pauses first, then the minute that the service asks for.
		want := []int{0, 0, 0, 0, 0, 1, 1, 2, 62, 122, 182, 242, 302}
		if diff := cmp.Diff(want, began); diff != "" || !errors.As(err, new(*DownError)) {
			t.Errorf("%v, requests at seconds (-want +got):\n%s", err, diff)
		}
	})
}
