package forecast

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"docketsync/apiclient/pace"
	"docketsync/importer/ledger"
)

// push sends so many records through the real pacer to a service with a limit that it does not state, in the bubble's time.
func push(t *testing.T, records, workers int, limit float64, latency time.Duration) (attempts []ledger.Attempt, took time.Duration) {
	t.Helper()
	p := pace.New(pace.Options{Concurrency: workers}, zap.NewNop())
	defer p.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began := time.Now()
	var mu sync.Mutex
	var all sync.WaitGroup
	left, tokens, last := records, limit/10, began
	for range workers {
		all.Go(func() {
			for {
				mu.Lock()
				left--
				over := left < 0
				mu.Unlock()
				for again := !over; again; {
					turn, err := p.Acquire(ctx)
					if err != nil {
						return
					}
					started := time.Now()
					time.Sleep(latency)
					mu.Lock()
					if limit > 0 {
						tokens, last = min(limit/10, tokens+time.Since(last).Seconds()*limit), time.Now()
					}
					again = limit > 0 && tokens < 1
					a := ledger.Attempt{Started: started, Duration: latency, Status: 200}
					if again {
						a.Status = 429
					} else {
						tokens--
					}
					attempts = append(attempts, a)
					mu.Unlock()
					if again {
						turn.Release(pace.Feedback{Kind: pace.TooMany})
						time.Sleep(500 * time.Millisecond)
					} else {
						turn.Release(pace.Feedback{Kind: pace.Served, Latency: latency})
					}
				}
				if over {
					return
				}
			}
		})
	}
	all.Wait()
	return attempts, time.Since(began)
}

func sequence(list []ledger.Attempt) iter.Seq2[ledger.Attempt, error] {
	return func(yield func(ledger.Attempt, error) bool) {
		for _, a := range list {
			if !yield(a, nil) {
				return
			}
		}
	}
}

// TestAForecastIsWithinTenPercent lets a small run find a hidden limit, and forecasts one of ten times as many records.
func TestAForecastIsWithinTenPercent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		limit float64
		says  string
	}{{40, "too many (429), at about"}, {150, "too many (429), at about"}, {400, "too many (429), at about"}, {0, "workers are busy"}} {
		t.Run(fmt.Sprint(test.limit), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const workers = 16
				rate := test.limit
				if rate == 0 {
					rate = workers / 0.02
				}
				records := int(rate * 45)
				attempts, _ := push(t, records, workers, test.limit, 20*time.Millisecond)
				seen, ok, err := observe(ledger.Run{}, sequence(attempts))
				if err != nil || !ok {
					t.Fatalf("nothing was observed of %d requests: %v", len(attempts), err)
				}
				if seen.Settled != records {
					t.Errorf("%d records were settled, %d were seen", records, seen.Settled)
				}
				span := seen.For(10*records, 0)
				_, took := push(t, 10*records, workers, test.limit, 20*time.Millisecond)
				if off := span.Likely.Seconds()/took.Seconds() - 1; off < -0.1 || off > 0.1 || took < span.Least || took > span.Most {
					t.Errorf("%v was forecast (%v to %v), %v it took: off by %.1f %%", span.Likely, span.Least, span.Most, took, 100*off)
				}
				if said := strings.Join(seen.Shorter(workers, 0), " "); !strings.Contains(said, test.says) {
					t.Errorf("the advice is %q", said)
				}
			})
		})
	}
}

// TestWhatWasNotARunDoesNotCount leaves out the hours between two starts of a run, and requests too few to tell anything.
func TestWhatWasNotARunDoesNotCount(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 6, 18, 0, 0, 0, time.UTC)
	var list []ledger.Attempt
	for n := range 1200 {
		if n == 600 {
			at = at.Add(9 * time.Hour)
		}
		at = at.Add(50 * time.Millisecond)
		list = append(list, ledger.Attempt{Started: at, Duration: 10 * time.Millisecond, Status: 200})
	}
	p, ok, err := observe(ledger.Run{}, sequence(list))
	if err != nil || !ok || p.PerSecond < 19 || p.PerSecond > 21 {
		t.Errorf("20 a second with a night between: %+v, %v, %v", p, ok, err)
	}
	if _, ok, _ := observe(ledger.Run{}, sequence(list[:leastSettled-1])); ok {
		t.Error("a pace of hardly any records")
	}
}

// TestAdviceSaysWhatWasObserved: the service's limit is named where the service named it, throughout the run, and not where this machine, the
// configuration or the workers were what held the run back.
func TestAdviceSaysWhatWasObserved(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 6, 18, 0, 0, 0, time.UTC)
	run := func(perSecond int, latency time.Duration, tooMany func(second int) bool) (list []ledger.Attempt) {
		for second := range 60 {
			for n := range perSecond {
				a := ledger.Attempt{Started: at.Add(time.Duration(second)*time.Second + time.Duration(n)*time.Second/time.Duration(perSecond)), Duration: latency, Status: 200}
				if list = append(list, a); n == 0 && tooMany(second) {
					a.Status = 429
					list = append(list, a)
				}
			}
		}
		return list
	}
	never := func(int) bool { return false }
	for name, test := range map[string]struct {
		attempts []ledger.Attempt
		rate     float64
		says     string
	}{
		"a slow machine":                 {run(50, 5*time.Millisecond, never), 0, "Only 0.3 of 16 workers"},
		"a slow machine, one burst":      {run(50, 5*time.Millisecond, func(second int) bool { return second < 5 }), 0, "Only 0.3 of 16 workers"},
		"a slow machine, refused once":   {run(50, 5*time.Millisecond, func(second int) bool { return second == 40 }), 0, "Only 0.3 of 16 workers"},
		"refused all along":              {run(50, 5*time.Millisecond, func(second int) bool { return second%7 == 0 }), 0, "The service refused requests all along"},
		"as fast as is configured":       {run(50, 5*time.Millisecond, never), 50, "pace.rate holds it back"},
		"as fast as the workers are":     {run(50, 300*time.Millisecond, never), 0, "All 16 workers are busy"},
		"configured far above what went": {run(50, 5*time.Millisecond, never), 500, "Only 0.3 of 16 workers"},
	} {
		p, ok, err := observe(ledger.Run{}, sequence(test.attempts))
		if said := strings.Join(p.Shorter(16, test.rate), " "); err != nil || !ok || !strings.HasPrefix(said, test.says) {
			t.Errorf("%s: %q, %v", name, said, err)
		}
	}
}
