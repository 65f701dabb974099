package ledger_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/schedule"
)

// TestSchedulerEndsWhenItsLockIsGone restarts the server during a run of a process that does not wait for it. The run is
// asked to stop and ends, nobody waits for its end to be recorded, its due stays to be resumed, and another process resumes it.
func TestSchedulerEndsWhenItsLockIsGone(t *testing.T) {
	t.Parallel()
	dsn, restart := ledger.OwnPostgres(t)
	pattern, err := schedule.Parse("0 2 * * *", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	table := schedule.Timetable{StopWithin: 20 * time.Second, Chains: []*schedule.Chain{{Pattern: pattern, CatchUp: schedule.Once, Steps: []schedule.Step{{Job: "matters"}}}}}
	process := func(run func(context.Context, string, schedule.Cause) schedule.Result) (*ledger.Ledger, chan error) {
		book, err := ledger.Open(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = book.Close() })
		book.Beat()
		served := make(chan error, 1)
		if kept, err := book.Scheduled(t.Context()); err != nil {
			t.Fatal(err)
		} else if len(kept) == 0 { // as if it had been scheduled since yesterday
			from := []ledger.Scheduled{{Job: "matters", Schedule: pattern.String(), Through: time.Now().Add(-25 * time.Hour)}}
			if err := book.SaveOccurrences(t.Context(), from, nil); err != nil {
				t.Fatal(err)
			}
		}
		go func() {
			s := &schedule.Scheduler{Ledger: book, Run: run}
			served <- s.Serve(t.Context(), table)
		}()
		return book, served
	}
	began := make(chan schedule.Cause, 2)
	first, served := process(func(ctx context.Context, _ string, cause schedule.Cause) schedule.Result {
		began <- cause
		<-ctx.Done()
		return schedule.Result{State: ledger.Interrupted}
	})
	due := <-began
	if serving, err := schedule.Serving(t.Context(), first); !serving || err != nil {
		t.Errorf("the scheduler that serves is said not to: %v", err)
	}
	restart()
	if err := <-served; !errors.Is(err, schedule.ErrLockLost) || errors.Is(err, schedule.ErrCut) {
		t.Errorf("the first process ended with %v", err)
	}
	process(func(_ context.Context, _ string, cause schedule.Cause) schedule.Result {
		began <- cause
		return schedule.Result{State: ledger.Ran}
	})
	if next := <-began; next.Local != due.Local || !next.Again {
		t.Errorf("the second process began %+v, want %+v again", next, due)
	}
}
