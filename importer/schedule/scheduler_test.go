package schedule

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"docketsync/importer/ledger"
)

// TestReplaceWaitsForTheRun gives a scheduler another timetable while a run is going: it is taken when that has ended, and a
// job that left it is due no more.
func TestReplaceWaitsForTheRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		book, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer book.Close()
		table := func(expressions map[string]string) (table Timetable) {
			table.StopWithin = time.Minute
			for _, job := range []string{"marks", "matters"} {
				if expressions[job] == "" {
					continue
				}
				p, err := Parse(expressions[job], "UTC")
				if err != nil {
					t.Fatal(err)
				}
				table.Chains = append(table.Chains, &Chain{Pattern: p, CatchUp: Once, Steps: []Step{{Job: job}}})
			}
			return table
		}
		var said []string
		note := func(format string, args ...any) {
			said = append(said, time.Now().UTC().Format("02T15:04 ")+fmt.Sprintf(format, args...))
		}
		s := &Scheduler{Ledger: book, Run: func(ctx context.Context, job string, _ Cause) Result {
			note("%s", job)
			select {
			case <-time.After(3 * time.Hour):
				return Result{State: ledger.Ran}
			case <-ctx.Done():
				return Result{State: ledger.Interrupted}
			}
		}}
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() {
			served <- s.Serve(ctx, table(map[string]string{"matters": "0 2 * * *", "marks": "30 2 * * *"}))
		}()
		time.Sleep(50 * time.Hour) // until the third at two, when a run has just begun
		time.Sleep(time.Minute)
		s.Replace(ctx, table(map[string]string{"matters": "0 4,6 * * *"}), func() { note("replaced") })
		time.Sleep(27 * time.Hour)
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
		want := []string{"01T02:00 matters", "01T05:00 marks", "02T02:00 matters", "02T05:00 marks", "03T02:00 matters", "03T05:00 marks",
			"03T08:00 replaced", "04T04:00 matters"}
		if len(said) > 0 && said[0][:3] != "01T" {
			t.Fatalf("the clock of the bubble: %v", said)
		}
		if diff := cmp.Diff(want, said[:min(len(said), len(want))]); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		jobs, err := book.Scheduled(context.Background())
		if err != nil || len(jobs) != 1 || jobs[0].Job != "matters" {
			t.Errorf("scheduled: %v, %v", jobs, err)
		}
	})
}

// TestScheduleThatChangedWhileNobodyWasThere accounts for what was due by the old one.
func TestScheduleThatChangedWhileNobodyWasThere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		book, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer book.Close()
		now := time.Now().UTC()
		begun := ledger.Occurrence{Job: "matters", Schedule: "0 2 * * * UTC", Local: "1999-12-28T02:00", At: now.Add(-94 * time.Hour), State: ledger.Running, Taken: 1}
		if err := book.SaveOccurrences(t.Context(), []ledger.Scheduled{{Job: "matters", Schedule: begun.Schedule, Through: begun.At}}, []ledger.Occurrence{begun}); err != nil {
			t.Fatal(err)
		}
		p, err := Parse("0 3 * * *", "UTC")
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		s := &Scheduler{Ledger: book, Run: func(context.Context, string, Cause) Result { return Result{State: ledger.Ran} }}
		if err := s.Serve(ctx, Timetable{Chains: []*Chain{{Pattern: p, CatchUp: Once, Steps: []Step{{Job: "matters"}}}}}); err != nil {
			t.Fatal(err)
		}
		list, err := book.Occurrences(t.Context(), ledger.OccurrenceFilter{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, due := range list {
			got = append(got, due.Local+" "+string(due.State))
		}
		want := []string{"1999-12-31T02:00 missed", "1999-12-30T02:00 missed", "1999-12-29T02:00 missed", "1999-12-28T02:00 cut_off"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

// TestADueThatIsSettledIsNotBegunAgain has another process settle a due that this one is about to begin, or to take up again.
func TestADueThatIsSettledIsNotBegunAgain(t *testing.T) {
	t.Parallel()
	book, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	p, err := Parse("0 2 * * *", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	settled := ledger.Occurrence{Job: "matters", Schedule: p.String(), Local: "2026-03-02T02:00", At: at, State: ledger.Ran, Run: "theirs", Taken: 1}
	if err := book.SaveOccurrences(t.Context(), nil, []ledger.Occurrence{settled}); err != nil {
		t.Fatal(err)
	}
	chain := &Chain{Pattern: p, CatchUp: Once, Steps: []Step{{Job: "matters"}}}
	due := Due{Local: settled.Local, At: at}
	q := &queue{chain: chain, from: map[string]time.Time{"matters": at.Add(-24 * time.Hour)}, pending: &pending{due: due}}
	s := &Scheduler{Ledger: book, Log: zap.NewNop(), queues: []*queue{q}, Run: func(context.Context, string, Cause) Result {
		t.Error("it is run again")
		return Result{State: ledger.Ran, Run: "ours"}
	}}
	if err := s.begin(t.Context(), t.Context()); err != nil {
		t.Error(err)
	}
	if s.running != nil || q.pending != nil {
		t.Errorf("it is begun: %v, or tried again: %v", s.running != nil, q.pending != nil)
	}
	waiting := settled
	waiting.State, waiting.Run, waiting.Taken = ledger.Waiting, "", 0
	s.carry(t.Context(), t.Context(), chain, &pending{due: due, again: true, rows: map[string]ledger.Occurrence{"matters": waiting}})
	list, err := book.Occurrences(t.Context(), ledger.OccurrenceFilter{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]ledger.Occurrence{settled}, list); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestARunThatIsPutOff has a run put off five times, of a job whose missed runs are not caught up, and twelve hours pass while it waits: it is begun again
// each time, none of that counts as an accident, and what comes up meanwhile is not started beside it.
func TestARunThatIsPutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		book, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer book.Close()
		p, err := Parse("0 */6 * * *", "UTC")
		if err != nil {
			t.Fatal(err)
		}
		table := Timetable{Chains: []*Chain{{Pattern: p, CatchUp: Never, Steps: []Step{{Job: "matters"}, {Job: "marks", After: "matters"}}}}}
		result, ran := Result{Run: "r", State: ledger.Waiting, Message: "it waits"}, 0
		serve := func(since time.Time) {
			s := &Scheduler{Ledger: book, Once: true, Since: since, Run: func(context.Context, string, Cause) Result { ran++; return result }}
			if err := s.Serve(t.Context(), table); err != nil {
				t.Fatal(err)
			}
		}
		serve(time.Time{})
		time.Sleep(time.Until(table.Next(time.Now())))
		noticed := time.Now()
		time.Sleep(time.Hour) // until there is a place
		serve(noticed)
		for range 4 {
			time.Sleep(3 * time.Hour)
			serve(time.Time{})
		}
		result.State = ledger.Ran
		serve(time.Time{})
		if ran != 7 {
			t.Errorf("runs were begun %d times", ran)
		}
		list, err := book.Occurrences(t.Context(), ledger.OccurrenceFilter{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, due := range list {
			got = append(got, fmt.Sprintf("%s %s %s %d", due.Local, due.Job, due.State, due.Taken))
		}
		want := []string{"2000-01-01T18:00 marks overlapped 0", "2000-01-01T18:00 matters overlapped 0", "2000-01-01T12:00 marks overlapped 0", "2000-01-01T12:00 matters overlapped 0",
			"2000-01-01T06:00 marks ran 1", "2000-01-01T06:00 matters ran 1"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}
