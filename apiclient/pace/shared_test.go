package pace

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
)

// TestProcessesShareTheLimit has four processes share a limit that nobody told them.
func TestProcessesShareTheLimit(t *testing.T) {
	t.Parallel()
	makes := map[string]func(limit float64) quota{
		"bucket with a burst of a second": func(l float64) quota { return &tokenBucket{perSecond: l, burst: l} },
		"bucket with a burst of a tenth":  func(l float64) quota { return &tokenBucket{perSecond: l, burst: max(1, l/10)} },
		"fixed window":                    func(l float64) quota { return &fixedWindow{perSecond: l} },
		"sliding window":                  func(l float64) quota { return &slidingWindow{perSecond: l} },
	}
	for name, make := range makes {
		for _, limit := range []float64{300, 1000} {
			distance := time.Millisecond
			if name == "bucket with a burst of a tenth" {
				distance = 20 * time.Millisecond // a server far away, or one that has much to do
			}
			t.Run(fmt.Sprint(name, " ", limit), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					d := &drill{workers: 128, latency: 20 * time.Millisecond, quota: make(limit), length: 40 * time.Second, processes: 4, distance: distance}
					d.run(t, Options{Concurrency: 16})
					rate := perSecond(d.accepted, 10*time.Second, d.length) / limit
					share := float64(len(d.refused)) / float64(len(d.refused)+len(d.accepted))
					t.Logf("%.1f%% of the limit, %.2f%% refused", 100*rate, 100*share)
					if rate < leastUse || share > 0.03 { // mostly 1 to 1.7 %; which process asks when is chance
						t.Errorf("%.1f%% of the limit, %.2f%% refused", 100*rate, 100*share)
					}
				})
			})
		}
	}
}

// TestProcessesAtEaseExchangeSeldom has four processes meet a service without a limit: all that their workers could make is made, with few exchanges.
// Then it begins to limit them, and they share that like any other.
func TestProcessesAtEaseExchangeSeldom(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]float64{"no limit": 0, "a limit comes": 300} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &drill{workers: 24, latency: 20 * time.Millisecond, quota: &fixedWindow{perSecond: 1e6}, length: 40 * time.Second, processes: 4}
				if limit > 0 {
					d.change, d.newLimit, d.length = 20*time.Second, limit, 60*time.Second
				}
				d.run(t, Options{Concurrency: 6})
				before := perSecond(d.accepted, 5*time.Second, 20*time.Second) / (24 / d.latency.Seconds())
				since := perSecond(d.accepted, 30*time.Second, d.length)
				share := float64(len(d.refused)) / float64(len(d.refused)+len(d.accepted))
				each := float64(d.exchanges.Load()) / 4 / d.length.Seconds()
				said := fmt.Sprintf("%.1f%% of what can be made; since then %.0f/s, %.2f%% refused; %.1f exchanges a second of each", 100*before, since, 100*share, each)
				t.Log(said)
				if before < 0.98 || limit > 0 && since < leastUse*limit || share > 0.02 || limit == 0 && each > 7 {
					t.Error(said)
				}
			})
		})
	}
}

// TestTroubleEndsEase has four processes meet a service without a limit, and then one that fails at once: what they were given ahead while all was
// well is not spent on it.
func TestTroubleEndsEase(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := Options{Concurrency: 6, Trip: 5, GiveUp: time.Hour, Shared: kept()}
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 11*time.Second)
		defer cancel()
		var failures atomic.Int64
		var all sync.WaitGroup
		for range 4 {
			p := New(o, zap.NewNop())
			defer p.Close()
			for range 6 {
				all.Go(func() {
					for {
						turn, err := p.Acquire(ctx)
						if err != nil {
							return
						}
						if time.Since(began) < 10*time.Second {
							time.Sleep(20 * time.Millisecond)
							turn.Release(Feedback{Kind: Served, Latency: 20 * time.Millisecond})
							continue
						}
						failures.Add(1)
						time.Sleep(time.Millisecond)
						turn.Release(Feedback{Kind: Troubled, Trouble: "status 500"})
					}
				})
			}
		}
		all.Wait()
		if n := failures.Load(); n > 60 { // 24 were under way
			t.Errorf("%d requests failed until all paused", n)
		}
	})
}

// TestProcessesShareTheBreaker has two processes meet a service that fails: together they make the requests that one would make.
func TestProcessesShareTheBreaker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := Options{Concurrency: 1, Trip: 5, GiveUp: time.Hour, Shared: kept()}
		one, two := New(o, zap.NewNop()), New(o, zap.NewNop())
		defer one.Close()
		defer two.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
		defer cancel()
		total := make(chan int)
		for _, p := range []*Pacer{one, two} {
			go func() {
				n := 0
				for {
					turn, err := p.Acquire(ctx)
					if err != nil {
						total <- n
						return
					}
					n++
					turn.Release(Feedback{Kind: Troubled, Trouble: "status 500"})
				}
			}()
		}
		// Five failures, those that were permitted before the other process heard of them, and then pauses of 1, 2, 4, 8, 16, 30 and 30 s, each
		// ended by one probe of either. Two that do not share make 24 requests.
		if n := <-total + <-total; n < 11 || n > 18 {
			t.Errorf("%d requests", n)
		}
	})
}

// TestProcessesShareARetryAfter has one process be refused for so long that all sending waits as the service asks: the other one, which has
// heard nothing, waits as well.
func TestProcessesShareARetryAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := Options{Concurrency: 1, GiveUp: time.Hour, Shared: kept()}
		one, two := New(o, zap.NewNop()), New(o, zap.NewNop())
		defer one.Close()
		defer two.Close()
		acquire(t, two).Release(Feedback{Kind: Served})
		failing(t, one, Feedback{Kind: TooMany, RetryAfter: 30 * time.Second}, 10*time.Second)
		began := time.Now()
		acquire(t, two).Release(Feedback{Kind: Served})
		if waited := time.Since(began); waited < 20*time.Second || waited > 31*time.Second {
			t.Errorf("the other process waited %v", waited)
		}
	})
}

// TestProbeOfAProcessThatEndsIsMadeAgain has a process end while its probe is under way.
func TestProbeOfAProcessThatEndsIsMadeAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := Options{Concurrency: 1, Trip: 1, GiveUp: time.Hour, Timeout: 30 * time.Second, Shared: kept()}
		one, two := New(o, zap.NewNop()), New(o, zap.NewNop())
		defer two.Close()
		acquire(t, one).Release(Feedback{Kind: Troubled})
		acquire(t, one) // the probe; it is never released
		one.Close()
		began := time.Now()
		acquire(t, two).Release(Feedback{Kind: Served})
		if waited := time.Since(began); waited < 29*time.Second || waited > 31*time.Second {
			t.Errorf("the next probe came after %v", waited)
		}
	})
}

// TestSharedAccountIsForgotten has a process come to an account that nobody has used since long before.
func TestSharedAccountIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := Options{Concurrency: 1, Trip: 1, GiveUp: time.Second, Shared: kept()}
		one := New(o, zap.NewNop())
		acquire(t, one).Release(Feedback{Kind: Troubled})
		one.Close()
		time.Sleep(2 * forgotten)
		two := New(o, zap.NewNop())
		defer two.Close()
		began := time.Now()
		acquire(t, two).Release(Feedback{Kind: Troubled})
		if waited := time.Since(began); waited > time.Second || two.down != nil {
			t.Errorf("waited %v, gave up: %v", waited, two.down)
		}
	})
}

// TestNodeThatCannotShareStopsSending has exchanges fail: for a while nothing is sent, and then whoever waits is told why. One that fails
// for less than that stops nothing.
func TestNodeThatCannotShareStopsSending(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var away atomic.Bool
		share := kept()
		calls := 0
		const apart = 3 * time.Minute
		o := Options{Concurrency: 1, GiveUp: time.Hour, Apart: apart, Shared: func(ctx context.Context, change func(time.Time, []byte) []byte) error {
			calls++
			if away.Load() {
				return errors.New("too many connections for role")
			}
			return share(ctx, change)
		}}
		p := New(o, zap.NewNop())
		defer p.Close()
		acquire(t, p).Release(Feedback{Kind: Served})

		away.Store(true)
		time.AfterFunc(apart/2, func() { away.Store(false) })
		for range 100 { // more than were permitted ahead
			acquire(t, p).Release(Feedback{Kind: Served})
		}

		away.Store(true)
		began := time.Now()
		var err error
		for err == nil {
			var turn Turn
			if turn, err = p.Acquire(t.Context()); err == nil {
				turn.Release(Feedback{Kind: Served})
			}
		}
		down, is := errors.AsType[*DownError](err)
		if waited := time.Since(began); !is || !down.Apart || waited < apart || waited > apart+time.Minute {
			t.Errorf("after %v: %v", waited, err)
		}
		before := calls
		time.Sleep(10 * time.Minute)
		if calls > before+1 {
			t.Errorf("%d exchanges were tried after that", calls-before)
		}
	})
}
