package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"docketsync/importer/ledger"
	"docketsync/importer/schedule"
)

func newSchedule(a *app) *cobra.Command {
	var list bool
	cmd := &cobra.Command{
		Use:   "schedule",
		Short: "Stay up and run jobs when they are due",
		Long: `schedule stays up and runs the jobs that have a when: in the configuration, one run at a time. Every time at which a job was
due is kept in the ledger with what became of it: run, caught up, overlapped, missed, and why. One process schedules for a
ledger.

With --list it shows when each job is due next, how its last due went, and which were not run; another process may be
scheduling meanwhile.

SIGTERM or an interrupt ends it: what is in flight is finished, the rest is held for the next start, which goes on at once
(unless catch_up is never). A run that takes longer than stop_within for that is cut off, and the exit status is 130.

SIGHUP reads the configuration and the mappings anew. With a mistake in them, the old ones stay in use and the mistakes are
written to standard error; otherwise they are taken between two runs. Sources and lookup files are read by every run.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if list {
				return a.listSchedule(cmd.Context())
			}
			return a.serveSchedule(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "show what is due next, and what became of what was due")
	return cmd
}

// nightly is the installation that a schedule runs: one ledger, open throughout, and the settings in use.
type nightly struct {
	app   *app
	book  *ledger.Ledger
	named string // the ledger as the configuration names it

	mu  sync.Mutex
	use prepared
	out sync.Mutex // what is said on standard output
}

// prepared is a configuration that was found to be without mistakes, with the mappings as they were read then.
type prepared struct {
	*installation
	table schedule.Timetable
}

// prepare reads the configuration and all mappings, and makes sure that every scheduled job could be run by them.
func (a *app) prepare(book *ledger.Ledger) (prepared, error) {
	settings, err := a.settings()
	if err != nil {
		return prepared{}, err
	}
	in := &installation{config: settings, log: a.logger(settings.Log), book: book, mappings: map[string][]byte{}}
	table, err := timetable(settings)
	if err == nil {
		err = schedulesNothing(table)
	}
	if err != nil {
		return prepared{}, err
	}
	for _, job := range settings.Jobs {
		if text, err := os.ReadFile(job.Mapping); err == nil {
			in.mappings[job.Mapping] = text
		}
	}
	jobs, err := in.jobs(nil, "")
	if err != nil {
		return prepared{}, err
	}
	return prepared{in, table}, in.allowed(jobs)
}

func (a *app) serveSchedule(ctx context.Context) (err error) {
	in, err := a.open(ctx)
	if err != nil {
		return err
	}
	cut := false
	defer func() {
		if !cut { // a run that was cut off still has the ledger; the end of the process takes it away
			err = closing(in, err)
		}
	}()
	use, err := a.prepare(in.book)
	if err != nil {
		return err
	}
	n := &nightly{app: a, book: in.book, named: in.config.Ledger.Reveal(), use: use}
	s := &schedule.Scheduler{Ledger: in.book, Run: n.run, Tell: n.tell, Log: in.log}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP) // a system without it never sends it
	defer signal.Stop(hangups)
	serving, stop := context.WithCancel(ctx)
	var reloading sync.WaitGroup
	reloading.Go(func() { n.reload(serving, s, hangups) })
	fmt.Fprintln(a.stderr, "docketsync: scheduling")
	n.announce(use.table)
	err = s.Serve(ctx, use.table)
	stop()
	reloading.Wait()
	var busy *ledger.BusyError
	switch {
	case errors.Is(err, schedule.ErrCut):
		cut = true
		return exitStatus{exitInterrupted, err}
	case errors.As(err, &busy):
		return fmt.Errorf("another process schedules the jobs of this ledger%s\nStop that one, or give this one another ledger", holderOf(busy.Holder))
	}
	return err
}

func holderOf(h ledger.Holder) string {
	if h.PID == 0 {
		return ""
	}
	return fmt.Sprintf(": process %d on %s, since %s", h.PID, h.Host, h.Since.UTC().Format("2006-01-02 15:04:05 MST"))
}

// announce says when each job is due next.
func (n *nightly) announce(t schedule.Timetable) {
	for _, c := range t.Chains {
		next := "it is not due again"
		if due, ok := c.Next(time.Now()); ok {
			next = "next due " + shownTime(c, due.At)
		}
		fmt.Fprintf(n.app.stderr, "docketsync: %s; %s\n", said(c), next)
	}
}

// reload reads the configuration anew whenever it is asked to, until ctx ends.
func (n *nightly) reload(ctx context.Context, s *schedule.Scheduler, asked <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-asked:
		}
		use, err := n.app.prepare(n.book)
		if err == nil && use.config.Ledger.Reveal() != n.named {
			err = errors.New("the ledger is another one; stop docketsync and start it again for that")
		}
		if err != nil {
			fmt.Fprintf(n.app.stderr, "docketsync: the new configuration is not taken, the old one stays in use\n%s\n", explain(err))
			continue
		}
		s.Replace(ctx, use.table, func() {
			n.mu.Lock()
			n.use = use
			n.mu.Unlock()
			fmt.Fprintln(n.app.stderr, "docketsync: the new configuration is in use")
			n.announce(use.table)
		})
	}
}

// run runs one job with the settings in use, and a client of its own.
func (n *nightly) run(ctx context.Context, name string, cause schedule.Cause) schedule.Result {
	n.mu.Lock()
	use := n.use
	n.mu.Unlock()
	in := &installation{config: use.config, log: use.log, book: n.book, mappings: use.mappings}
	fmt.Fprintf(n.app.stderr, "docketsync: job %s begins, due %s%s\n", name, cause.Local, remark(cause))
	result, err := n.app.runScheduled(ctx, in, name)
	if closing := in.close(); err == nil && closing != nil {
		fmt.Fprintf(n.app.stderr, "docketsync: job %s: %v\n", name, closing)
	}
	if err != nil {
		fmt.Fprintf(n.app.stderr, "docketsync: job %s: %s\n", name, explain(err))
		return failure(ctx, err)
	}
	n.say(map[string]any{"run": result}, func(w io.Writer) { n.app.printResults(w, []runResult{result}) })
	return schedule.Result{Run: result.Run.ID, Ending: ending(result), Message: result.Verdict}
}

// runScheduled makes a job ready and runs it.
func (a *app) runScheduled(ctx context.Context, in *installation, name string) (runResult, error) {
	jobs, err := in.jobs([]string{name}, "")
	if err != nil {
		return runResult{}, err
	}
	if err := in.makeReady(ctx, jobs); err != nil {
		return runResult{}, err
	}
	return a.runJob(ctx, in, jobs[0], sendRun)
}

func remark(c schedule.Cause) string {
	switch {
	case c.Again:
		return ", which was left in the middle"
	case c.Late:
		return ", late: docketsync was not there"
	}
	return ""
}

// failure is the result of a job that could not be run.
func failure(ctx context.Context, err error) schedule.Result {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return schedule.Result{Ending: schedule.Stopped, Message: "docketsync was stopped before the run was made"}
	}
	return schedule.Result{Ending: schedule.Failed, Message: explain(err)}
}

// ending is how a run ended, for the jobs that come after it.
func ending(r runResult) schedule.Ending {
	switch runStatus(r.Summary) {
	case exitInterrupted:
		return schedule.Stopped
	case exitStopped:
		return schedule.Failed
	}
	return schedule.Well
}

// tell says on standard output what became of a due, unless its run has said so itself.
func (n *nightly) tell(due ledger.Due) {
	n.say(map[string]any{"due": due}, func(w io.Writer) {
		switch due.State {
		case ledger.Waiting, ledger.Running, ledger.Ran:
		default:
			fmt.Fprintf(w, "%s  due %s: %s. %s\n", n.app.strong(w, due.Job), due.Local, dueWords(due.State), sentence(due.Note))
		}
	})
}

// say writes one result: a line of JSON when that was asked for, otherwise what text writes.
func (n *nightly) say(v any, text func(io.Writer)) {
	n.out.Lock()
	defer n.out.Unlock()
	if err := n.app.line(v, text); err != nil {
		fmt.Fprintf(n.app.stderr, "docketsync: standard output cannot be written: %v\n", err)
	}
}
