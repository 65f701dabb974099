package schedule

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/ledger"
)

// TestClockThatWasAhead lives with a clock that is set far ahead for some days, is restarted or not, and then goes right again:
// jobs are due as before, and everything that was run is still known.
func TestClockThatWasAhead(t *testing.T) {
	t.Parallel()
	for name, restart := range map[string]bool{"while it served": false, "and a start after it": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWrongClock(t)
				stop := w.serve(t)
				time.Sleep(27*time.Hour + 30*time.Second) // until three in the morning of the second
				w.ahead.Store(int64(400 * 24 * time.Hour))
				time.Sleep(48 * time.Hour)
				if restart {
					stop()
				}
				w.ahead.Store(0)
				if restart {
					stop = w.serve(t)
				}
				time.Sleep(48 * time.Hour)
				stop()
				w.expect(t, []string{"01T02:00 for 2000-01-01T02:00", "02T02:00 for 2000-01-02T02:00", "02T03:01 for 2001-02-05T02:00",
					"03T02:00 for 2001-02-06T02:00", "04T02:00 for 2001-02-07T02:00", "05T02:00 for 2000-01-05T02:00", "06T02:00 for 2000-01-06T02:00"},
					map[string]int{"ran": 4, "ran ahead": 3, "caught_up": 2, "caught_up ahead": 397})
			})
		})
	}
}

// TestClockThatIsBehindForAWhile is what a machine has that starts without knowing the time, and learns it soon; and a clock that
// is put right by minutes.
func TestClockThatIsBehindForAWhile(t *testing.T) {
	t.Parallel()
	for name, behind := range map[string]struct{ by, after time.Duration }{
		"by years":                   {10 * 365 * 24 * time.Hour, 0},
		"by minutes, and stays so":   {40 * time.Minute, 40 * time.Minute},
		"by just less than the hour": {59 * time.Minute, 59 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWrongClock(t)
				stop := w.serve(t)
				time.Sleep(26*time.Hour + 20*time.Minute) // a quarter past the run of the second
				w.ahead.Store(int64(-behind.by))
				time.Sleep(50 * time.Minute)
				w.ahead.Store(int64(-behind.after))
				time.Sleep(24 * time.Hour)
				stop()
				w.expect(t, []string{"01T02:00 for 2000-01-01T02:00", "02T02:00 for 2000-01-02T02:00", "03T" + time.Time{}.Add(2*time.Hour+behind.after).Format("15:04") + " for 2000-01-03T02:00"},
					map[string]int{"ran": 3})
			})
		})
	}
}

// wrongClock is a scheduler of one job, due at two every night, by a clock that may be wrong.
type wrongClock struct {
	ahead atomic.Int64
	table Timetable
	dsn   string
	ran   []string
}

func newWrongClock(t *testing.T) *wrongClock {
	p, err := Parse("0 2 * * *", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	return &wrongClock{
		table: Timetable{StopWithin: time.Minute, Chains: []*Chain{{Pattern: p, CatchUp: Once, Steps: []Step{{Job: "matters"}}}}},
		dsn:   filepath.Join(t.TempDir(), "ledger.db"),
	}
}

func (w *wrongClock) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

func (w *wrongClock) serve(t *testing.T) (stop func()) {
	book, err := ledger.Open(t.Context(), w.dsn)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	s := &Scheduler{Ledger: book, Now: w.now, Run: func(_ context.Context, _ string, cause Cause) Result {
		w.ran = append(w.ran, time.Now().UTC().Format("02T15:04")+" for "+cause.Local)
		return Result{State: ledger.Ran}
	}}
	go func() { served <- s.Serve(ctx, w.table) }()
	return func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
		if err := book.Close(); err != nil {
			t.Error(err)
		}
	}
}

// expect compares when runs were begun, and for which due, and what the ledger has of them.
func (w *wrongClock) expect(t *testing.T, ran []string, states map[string]int) {
	t.Helper()
	if diff := cmp.Diff(ran, w.ran); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	book, err := ledger.Open(t.Context(), w.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	dues, err := book.Occurrences(t.Context(), ledger.OccurrenceFilter{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, due := range dues {
		state := string(due.State)
		if strings.Contains(due.Local, "/ahead-") {
			state += " ahead"
		}
		got[state]++
	}
	if diff := cmp.Diff(states, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
