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
	"go.uber.org/zap"

	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/metrics"
	"docketsync/importer/schedule"
)

func newSchedule(a *app) *cobra.Command {
	var list bool
	cmd := &cobra.Command{
		Use:   "schedule",
		Short: "Run jobs on their schedule until stopped",
		Long: `schedule keeps running and starts the jobs that have a when: in the configuration, one run at a time. The ledger records every
time at which a job was due and what happened: run, caught up, overlapped, missed, and why. Only one process schedules for a
ledger. Between those runs it runs files that arrive in the inboxes, as 'docketsync inbox' does, and once a day removes from
the ledger what retention: no longer keeps.

With --list it shows when each job is due next, how it last went, what is in the inboxes, and which times were missed. This
works while another process is scheduling.

On SIGTERM or an interrupt it finishes the requests in flight and holds the rest for the next start, which resumes at once
(unless catch_up is never). A run that needs longer than stop_within is cut off, and the exit status is 130.

On SIGHUP it reloads the configuration and the mappings between two runs. If they contain errors, the old ones stay in use and
the errors are printed to standard error. Every run reads its source and lookup files anyway. A change of ledger or
metrics.listen needs a restart.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if list {
				return a.listSchedule(cmd.Context())
			}
			return a.serveSchedule(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "show what is due next and how past runs went")
	return cmd
}

// nightly is the installation that a schedule runs: one ledger, open throughout, and the settings in use.
type nightly struct {
	app     *app
	book    *ledger.Ledger
	numbers *metrics.Metrics // of all runs, whatever the settings were
	named   string           // the ledger as the configuration names it
	listen  string           // where it can be watched

	mu  sync.Mutex
	use prepared
	out sync.Mutex // what is said on standard output

	news *news

	turn   chan struct{} // holds one token, which whoever runs something has
	pruned time.Time     // when old runs were last pruned; who has the turn may use it
}

// prepared is a configuration that was found to be without mistakes, with the mappings as they were read then.
type prepared struct {
	*installation
	table   schedule.Timetable
	inboxes []*polled
}

// prepare reads the configuration and all mappings, and makes sure that every scheduled job could be run by them.
func (a *app) prepare(book *ledger.Ledger, numbers *metrics.Metrics) (prepared, error) {
	settings, err := a.settings()
	if err != nil {
		return prepared{}, err
	}
	in := &installation{config: settings, log: a.logger(settings.Log), book: book, mappings: map[string][]byte{}}
	table, err := timetable(settings)
	if err == nil {
		err = schedulesNothing(settings, table)
	}
	if err == nil {
		err = in.watchWith(numbers)
	}
	if err != nil {
		return prepared{}, err
	}
	for _, job := range settings.Jobs {
		if text, err := os.ReadFile(job.Mapping); err == nil {
			in.mappings[job.Mapping] = text
		}
	}
	jobs, err := in.jobsOf(settings.Jobs, false)
	if err != nil {
		return prepared{}, err
	}
	return prepared{in, table, in.polledInboxes()}, in.allowed(jobs)
}

func (a *app) serveSchedule(ctx context.Context) (err error) {
	in, err := a.openPatiently(ctx)
	if in == nil || err != nil {
		return err
	}
	cut := false
	defer func() {
		if !cut { // a run that was cut off still has the ledger; the end of the process takes it away
			err = closing(in, err)
		}
	}()
	use, err := a.prepare(in.book, in.watch.metrics)
	if err != nil {
		in.watch.failed(ctx, in.namesOf(nil), err)
		return err
	}
	if err := a.serveWatch(ctx, in); err != nil {
		return err
	}
	n := &nightly{app: a, book: in.book, numbers: in.watch.metrics, named: in.config.Ledger.Reveal(), listen: in.config.Metrics.Listen,
		use: use, news: newNews(), turn: make(chan struct{}, 1)}
	n.turn <- struct{}{}
	err = n.serve(ctx, in.log)
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

// serve runs what is due and what arrives until ctx ends.
func (n *nightly) serve(ctx context.Context, log *zap.Logger) error {
	begun, polling := make(chan struct{}), make(chan struct{})
	s := &schedule.Scheduler{Ledger: n.book, Run: n.run, Tell: n.tell, Log: log, Begun: func() {
		n.showNext(schedule.Timetable{}, n.use.table, time.Now())
		close(begun)
	}}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP) // a system without it never sends it
	defer signal.Stop(hangups)
	serving, stop := context.WithCancel(ctx)
	var beside sync.WaitGroup
	beside.Go(func() { n.reload(serving, s, hangups) })
	beside.Go(func() { n.spreadNews(serving) })
	go func() {
		defer close(polling)
		select {
		case <-begun:
			n.pollInboxes(serving)
		case <-serving.Done():
		}
	}()
	fmt.Fprintln(n.app.stderr, "docketsync: scheduling")
	n.announce(n.use.table)
	err := s.Serve(ctx, n.use.table)
	stop()
	beside.Wait()
	n.tellNews(ctx)
	if err != nil {
		return err
	}
	return endWithin(polling, n.inUse().table.StopWithin)
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
		use, err := n.app.prepare(n.book, n.numbers)
		if err == nil && use.config.Ledger.Reveal() != n.named {
			err = errors.New("the ledger is another one; stop docketsync and start it again for that")
		}
		if err != nil {
			fmt.Fprintf(n.app.stderr, "docketsync: the new configuration is not taken, the old one stays in use\n%s\n", explain(err))
			continue
		}
		s.Replace(ctx, use.table, func() {
			n.showNext(n.inUse().table, use.table, time.Now())
			n.mu.Lock()
			n.use = use
			n.mu.Unlock()
			fmt.Fprintln(n.app.stderr, "docketsync: the new configuration is in use")
			if use.config.Metrics.Listen != n.listen {
				fmt.Fprintln(n.app.stderr, "docketsync: metrics.listen is another one; stop docketsync and start it again for that")
			}
			n.announce(use.table)
		})
	}
}

// run runs one job with the settings in use, and a client of its own.
func (n *nightly) run(ctx context.Context, name string, cause schedule.Cause) schedule.Result {
	if !n.takeTurn(ctx) {
		return failure(ctx, ctx.Err())
	}
	defer n.giveTurn()
	in := n.installation(n.inUse())
	fmt.Fprintf(n.app.stderr, "docketsync: job %s begins, due %s%s\n", name, cause.Local, remark(cause))
	result, err := n.app.runScheduled(ctx, in, name)
	if closing := in.close(); err == nil && closing != nil {
		fmt.Fprintf(n.app.stderr, "docketsync: job %s: %v\n", name, closing)
	}
	n.tellNews(ctx)
	if err != nil {
		n.app.sayFailed(ctx, in, name, result, err)
		failed := failure(ctx, err)
		if result.Summary != nil {
			failed.Run = result.Run.ID
		}
		return failed
	}
	in.watch.ended(ctx, result)
	defer n.prune(ctx, in)
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
	in.watch.began(ctx, name)
	return a.runJob(ctx, in, jobs[0], sendRun)
}

// inUse are the settings of the moment.
func (n *nightly) inUse() prepared {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.use
}

// installation is what one run works with, by settings that are in use: a client of its own, and the ledger of all.
func (n *nightly) installation(use prepared) *installation {
	in := &installation{config: use.config, book: n.book, mappings: use.mappings, watch: use.watch}
	in.log = in.run.wrap(use.log)
	return in
}

// takeTurn waits until nothing else is run, and tells whether that came before the end of ctx. One thing runs at a time: what
// arrives in an inbox is not sent beside what is scheduled.
func (n *nightly) takeTurn(ctx context.Context) bool {
	select {
	case <-n.turn:
		if ctx.Err() == nil {
			return true
		}
		n.giveTurn()
	case <-ctx.Done():
	}
	return false
}

func (n *nightly) giveTurn() { n.turn <- struct{}{} }

// pruneEvery is how often old runs are looked for.
const pruneEvery = 20 * time.Hour

// prune does what retention asks for, once a night, after a run: whoever has the turn calls it. That it cannot be done is no
// failure of the run.
func (n *nightly) prune(ctx context.Context, in *installation) {
	now := time.Now()
	if in.config.Retention == (config.Retention{}) || now.Sub(n.pruned) < pruneEvery || ctx.Err() != nil {
		return
	}
	n.pruned = now
	keep := in.config.Retention
	err := importer.ProveClock(ctx, n.book, max(keep.Runs, keep.Reports).Before(now), now)
	var done pruned
	if err == nil {
		done, err = prune(ctx, in, keep, now)
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(n.app.stderr, "docketsync: old runs and reports could not be pruned; it is tried again tomorrow\n%s\n", explain(err))
	}
	if errors.Is(err, importer.ErrLeap) {
		return
	}
	n.say(map[string]any{"pruned": done}, done.print)
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

// tell says on standard output what became of dues, unless a run has said so itself. One that was not run has no run that people
// could be told of, so they are told of the due.
func (n *nightly) tell(dues []ledger.Due) {
	n.news.add(dues)
	for _, due := range dues {
		n.showNextAfter(due)
		n.say(map[string]any{"due": due}, func(w io.Writer) {
			switch due.State {
			case ledger.Waiting, ledger.Running, ledger.Ran:
			default:
				fmt.Fprintf(w, "%s  due %s: %s. %s\n", n.app.strong(w, due.Job), due.Local, dueWords(due.State), sentence(due.Note))
			}
		})
	}
}

// say writes one result: a line of JSON when that was asked for, otherwise what text writes.
func (n *nightly) say(v any, text func(io.Writer)) {
	n.out.Lock()
	defer n.out.Unlock()
	if err := n.app.line(v, text); err != nil {
		fmt.Fprintf(n.app.stderr, "docketsync: standard output cannot be written: %v\n", err)
	}
}
