package schedule

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"docketsync/importer/ledger"
)

// simulated are the nights that the test below lives through, from the first of January, and where: in the short form over the spring
// of two places, one of which moves its clocks by half an hour; in the long form over a spring, an autumn and a winter of four.
func simulated() (nights int, zones []string) {
	if os.Getenv("DOCKETSYNC_LONG") == "1" {
		return 400, []string{"Europe/Madrid", "America/New_York", "Asia/Tokyo", "Australia/Lord_Howe"}
	}
	return 110, []string{"Europe/Madrid", "Australia/Lord_Howe"}
}

// TestManyNights lives through 110 nights, or 400 in its long form, on a clock of its own, with a real ledger: the process is stopped, cut off
// in the middle of a run, and started again after minutes or days; the machine sleeps and wakes; runs fail, take longer than a
// day, or do not stop when asked to. Then every date and time that the calendar has must be in the ledger exactly once, with
// what became of it, and that must agree with what was really run.
func TestManyNights(t *testing.T) {
	t.Parallel()
	nights, zones := simulated()
	total := map[ledger.OccurrenceState]int{}
	var mu sync.Mutex
	t.Run("zones", func(t *testing.T) {
		for seed, zone := range zones {
			t.Run(zone, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					y := newYear(t, zone, uint64(seed+1), nights)
					y.live(t)
					counts := y.audit(t)
					mu.Lock()
					defer mu.Unlock()
					for state, n := range counts {
						total[state] += n
					}
					t.Logf("%d lives, %d runs, %v", y.lives, len(y.calls), counts)
				})
			})
		}
	})
	for _, state := range []ledger.OccurrenceState{ledger.Ran, ledger.Broke, ledger.CaughtUp, ledger.Overlapped, ledger.Missed, ledger.Blocked, ledger.CutOff} {
		if total[state] == 0 {
			t.Errorf("no due was ever %s: the test does not show what it is there to show", state)
		}
	}
}

// year is a schedule and the world it lives in.
type year struct {
	nights int
	zone   *time.Location
	table  Timetable
	dsn    string
	random *rand.Rand
	slept  time.Duration // by how much the clock on the wall is ahead of the bubble's, because the machine slept
	begin  time.Time
	end    time.Time
	lives  int
	mu     sync.Mutex // guards what follows, and random and slept
	calls  []call
	awake  []span
}

// call is one run as it really was.
type call struct {
	job, local string
	span
	ending ledger.OccurrenceState // "" for one that was cut off
}

type span struct{ from, to time.Time }

func newYear(t *testing.T, zone string, seed uint64, nights int) *year {
	t.Helper()
	chain := func(expression string, catchUp CatchUp, delay time.Duration, jobs ...string) *Chain {
		p, err := Parse(expression, zone)
		if err != nil {
			t.Fatal(err)
		}
		c := &Chain{Pattern: p, CatchUp: catchUp, Delay: delay, Seed: zone}
		for n, job := range jobs {
			step := Step{Job: job}
			if n > 0 {
				step.After = jobs[n-1]
			}
			c.Steps = append(c.Steps, step)
		}
		return c
	}
	y := &year{nights: nights, dsn: filepath.Join(memory(t), "ledger.db"), random: rand.New(rand.NewPCG(seed, 0))}
	y.table = Timetable{StopWithin: time.Minute, Chains: []*Chain{
		chain("15 2 * * *", Once, 10*time.Minute, "matters", "folders", "marks"), // no such time in one night, twice in another
		chain("0,20 1-3 * * 1-5", Never, 0, "updates"),
		chain("40 * * * 0", Once, 0, "hourly"), // clocks change on Sundays
	}}
	y.zone = y.table.Chains[0].Pattern.Zone()
	time.Sleep(time.Until(time.Date(2026, 1, 1, 0, 0, 0, 0, y.zone)))
	y.begin = y.now()
	y.end = y.begin.AddDate(0, 0, nights)
	return y
}

// memory is a folder for a ledger that no disk has to be waited for. The processes of this test die, the machine does not.
func memory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "nights-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// now is the clock on the wall.
func (y *year) now() time.Time {
	y.mu.Lock()
	defer y.mu.Unlock()
	return time.Now().Add(y.slept).Round(0)
}

// chance is true in so many of a hundred cases.
func (y *year) chance(percent int) bool { return y.upTo(100) < percent }

func (y *year) upTo(n int) int {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.random.IntN(n)
}

// live starts the scheduler again and again until the year is over. The last life may leave a run in the middle.
func (y *year) live(t *testing.T) {
	for y.now().Before(y.end) {
		y.lives++
		y.oneLife(t, time.Duration(y.upTo(12*24))*time.Hour)
		switch y.upTo(3) {
		case 0: // started again at once
		case 1:
			time.Sleep(time.Duration(y.upTo(180)) * time.Minute)
		default:
			time.Sleep(time.Duration(y.upTo(4*24)) * time.Hour)
		}
	}
	y.end = y.now()
}

// oneLife is one process, from its start until it is stopped.
func (y *year) oneLife(t *testing.T, lasts time.Duration) {
	book, err := ledger.Open(t.Context(), y.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s := &Scheduler{Ledger: book, Run: y.run, Now: y.now}
	served := make(chan error, 1)
	y.wake()
	go func() { served <- s.Serve(ctx, y.table) }()
	for end := time.Now().Add(lasts); time.Now().Before(end); {
		// The scheduler acts at whole seconds; the machine falls asleep between them, so that what was seen before it is certain.
		time.Sleep(time.Duration(1+y.upTo(60))*time.Hour + 7*time.Millisecond)
		if y.chance(30) {
			y.sleepFor(time.Duration(y.upTo(9*60)) * time.Minute)
		}
	}
	stop()
	if err := <-served; err != nil && !errors.Is(err, ErrCut) {
		t.Fatal(err)
	}
	y.fallAsleep()
	y.abandon()
}

// sleepFor lets the machine sleep: the wall clock goes on, timers do not.
func (y *year) sleepFor(d time.Duration) {
	y.fallAsleep()
	y.mu.Lock()
	y.slept += d
	y.mu.Unlock()
	y.wake()
}

func (y *year) wake() {
	now := y.now()
	y.mu.Lock()
	defer y.mu.Unlock()
	y.awake = append(y.awake, span{from: now})
}

func (y *year) fallAsleep() {
	now := y.now()
	y.mu.Lock()
	defer y.mu.Unlock()
	y.awake[len(y.awake)-1].to = now
}

// abandon ends the runs that outlived their process: with a real process they would be gone.
func (y *year) abandon() {
	now := y.now()
	y.mu.Lock()
	defer y.mu.Unlock()
	for n := range y.calls {
		if y.calls[n].to.IsZero() {
			y.calls[n].to = now
		}
	}
}

// run is a run that fails, lasts or hangs as chance has it.
func (y *year) run(ctx context.Context, job string, cause Cause) Result {
	began := y.now()
	y.mu.Lock()
	at := len(y.calls)
	y.calls = append(y.calls, call{job: job, local: cause.Local, span: span{from: began}})
	y.mu.Unlock()
	lasts := time.Duration(1+y.upTo(20)) * time.Minute
	switch {
	case job == "hourly" && y.chance(3):
		lasts = 150 * time.Minute
	case job != "hourly" && y.chance(2):
		lasts = 30 * time.Hour
	}
	ending := ledger.Ran
	if y.chance(10) {
		ending = ledger.Broke
	}
	select {
	case <-time.After(lasts):
	case <-ctx.Done():
		ending = ledger.Interrupted
		if y.chance(40) {
			time.Sleep(time.Hour) // it does not stop when asked to
		}
	}
	ended := y.now()
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.calls[at].to.IsZero() { // else its process was gone before it ended
		y.calls[at].to, y.calls[at].ending = ended, ending
	}
	id, _ := uuid.NewV7()
	return Result{Run: id.String(), State: ending, Message: fmt.Sprintf("it ended %s", ending)}
}
