package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/schedule"
)

// busyAgain is how often to check whether another process is still running what a job is about.
const busyAgain = 5 * time.Second

// busyMost is how long a due job waits for that. Other jobs wait behind it, and a process that hangs should not keep
// them waiting for ever; after that the job fails, and people are told.
const busyMost = time.Hour

// run runs one job with the settings in use, and a client of its own.
func (d *daemon) run(ctx context.Context, name string, cause schedule.Cause) schedule.Result {
	if !d.takeTurn(ctx) {
		return failure(ctx, ctx.Err())
	}
	defer d.giveTurn()
	in := d.inUse().ForRun()
	in.Share = d.share
	fmt.Fprintf(d.setup.Err, "docketsync: job %s starts, due %s%s\n", name, cause.Local, remark(cause))
	result, err := runScheduled(ctx, in, name)
	// A person may be running the same records, or a node that led before may be handing them over. A due that is given
	// up is not run before the next one.
	var busy *fault.BusyError
	until := time.Now().Add(busyMost)
	for said := false; d.place == nil && errors.As(err, &busy); said = true {
		if !said {
			fmt.Fprintf(d.setup.Err, "docketsync: job %s waits: %s\n", name, exit.Explain(err))
		}
		if err = d.awaitFree(ctx, busy, until); err == nil {
			result, err = runScheduled(ctx, in, name)
		}
	}
	if closing := in.Close(); err == nil && closing != nil {
		fmt.Fprintf(d.setup.Err, "docketsync: job %s: %v\n", name, closing)
	}
	d.sendNotices(ctx)
	if d.place != nil && errors.As(err, &busy) {
		d.place.busy = busy
		return schedule.Result{State: ledger.Waiting, Message: exit.Explain(err)}
	}
	if err != nil {
		runner.SayFailed(ctx, in, name, result, err)
		failed := failure(ctx, err)
		if result.Summary != nil {
			failed.Run = result.Run.ID
		}
		return failed
	}
	in.Observers.Ended(ctx, result.Summary, result.Reports)
	defer d.prune(ctx, in)
	d.say(map[string]any{"run": result}, func(w io.Writer) { runner.Print(d.setup.Screen, w, []runner.Result{result}) })
	state := stateOf(result)
	if state == ledger.Interrupted && ctx.Err() == nil && d.place != nil && d.place.gaveWay {
		state = ledger.Waiting
	}
	return schedule.Result{Run: result.Run.ID, State: state, Message: result.Verdict}
}

// awaitFree waits until no other process holds a lock, and gives up the turn in the meantime.
func (d *daemon) awaitFree(ctx context.Context, busy *fault.BusyError, until time.Time) error {
	d.giveTurn()
	defer func() { <-d.turn }()
	for {
		if time.Now().After(until) {
			return fmt.Errorf("waited for an hour: %s\nThe job runs when it is next due. If that process hangs, end it", exit.Explain(busy))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(busyAgain):
		}
		if d.free(ctx, busy.Name) {
			return nil
		}
	}
}

// free reports whether no other process holds a lock. It asks only for the lock, without preparing a job.
func (d *daemon) free(ctx context.Context, lock string) bool {
	release, err := d.book.Lock(ctx, lock)
	if err == nil {
		err = release()
	}
	return !errors.Is(err, fault.ErrBusy) && !errors.Is(err, fault.ErrUnreachable)
}

// runScheduled prepares a job and runs it.
func runScheduled(ctx context.Context, in *installation.Installation, name string) (runner.Result, error) {
	jobs, err := in.Jobs([]string{name}, "")
	if err != nil {
		return runner.Result{}, err
	}
	if err := in.MakeReady(ctx, jobs); err != nil {
		return runner.Result{}, err
	}
	in.Observers.Began(ctx, name)
	return runner.Job(ctx, in, jobs[0], runner.Send)
}

// inUse returns the current settings.
func (d *daemon) inUse() prepared {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.use
}

// takeTurn waits until nothing else is running, and reports whether that came before the end of ctx. One thing runs at
// a time: a file that arrives in an inbox is not sent beside what is scheduled.
func (d *daemon) takeTurn(ctx context.Context) bool {
	select {
	case <-d.turn:
		if ctx.Err() == nil {
			return true
		}
		d.giveTurn()
	case <-ctx.Done():
	}
	return false
}

func (d *daemon) giveTurn() { d.turn <- struct{}{} }

func remark(c schedule.Cause) string {
	switch {
	case c.Again:
		return ", resuming an interrupted run"
	case c.Late:
		return ", late: docketsync was not running"
	}
	return ""
}

// failure is the result of a job that could not be run.
func failure(ctx context.Context, err error) schedule.Result {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return schedule.Result{State: ledger.Interrupted, Message: "docketsync was stopped before the run started"}
	}
	return schedule.Result{State: ledger.Broke, Message: exit.Explain(err)}
}

// stateOf returns how a run ended, for the jobs that come after it.
func stateOf(r runner.Result) ledger.OccurrenceState {
	switch runner.StatusOf(r.Summary) {
	case exit.Interrupted:
		return ledger.Interrupted
	case exit.Stopped:
		return ledger.Broke
	}
	return ledger.Ran
}

// tell reports dues, except on standard output those that a run has reported itself. A due that was not run has no run
// to notify people of, so they are notified of the due. The text output has one line for all dues of a job with the
// same state and note.
func (d *daemon) tell(dues []ledger.Occurrence) {
	d.notices.add(dues)
	type words struct {
		job, note string
		state     ledger.OccurrenceState
	}
	of := func(due ledger.Occurrence) words { return words{due.Job, due.Note, due.State} }
	alike := map[words][]string{}
	for _, due := range dues {
		alike[of(due)] = append(alike[of(due)], due.Local)
	}
	for _, due := range dues {
		d.say(map[string]any{"due": due}, func(w io.Writer) {
			when := due.Local
			switch all := alike[of(due)]; {
			case due.State == ledger.Waiting, due.State == ledger.Running, due.State == ledger.Ran, due.Local != all[0]:
				return
			case len(all) > 1:
				when = fmt.Sprintf("%s and %d more up to %s", when, len(all)-1, all[len(all)-1])
			}
			fmt.Fprintf(w, "%s  due %s: %s. %s\n", d.setup.Strong(w, due.Job), when, dueWords(due.State), terminal.Sentence(due.Note))
		})
	}
}

// say writes one result: a line of JSON if that was asked for, otherwise what text writes.
func (d *daemon) say(v map[string]any, text func(io.Writer)) {
	if d.setup.Firm != "" {
		v["firm"] = d.setup.Firm
	}
	d.out.Lock()
	defer d.out.Unlock()
	if err := d.setup.Line("schedule/1", v, text); err != nil {
		fmt.Fprintf(d.setup.Err, "docketsync: cannot write to standard output: %v\n", err)
	}
}
