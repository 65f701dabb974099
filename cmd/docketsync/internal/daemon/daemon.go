package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.uber.org/zap"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/config"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/metrics"
	"docketsync/importer/moment"
	"docketsync/importer/push"
	"docketsync/importer/schedule"
)

// daemon is the installation that a schedule runs: one ledger, open throughout, and the settings in use.
type daemon struct {
	setup   *installation.Setup
	book    *ledger.Ledger
	numbers *metrics.Metrics // of all runs, under whatever settings
	named   string           // the ledger as the configuration names it
	listen  string           // where metrics and probes are served
	watched *watched

	mu  sync.Mutex
	use prepared
	out sync.Mutex // guards standard output

	notices *notices

	share func(context.Context, ledger.Run, func(map[ledger.State]int)) (push.End, error) // nil if this process is alone

	place  *place        // of a visit to a firm; nil if the process serves one installation
	turn   chan struct{} // holds one token; whoever runs something has it
	pruned time.Time     // when old runs were last pruned; guarded by the turn
}

// prepared is a configuration without mistakes, with the mappings as they were read then.
type prepared struct {
	*installation.Installation
	table   schedule.Timetable
	inboxes []*polledInbox
}

// prepare reads the configuration and all mappings, and makes sure that every scheduled job could be run with them.
func prepare(setup *installation.Setup, book *ledger.Ledger, numbers *metrics.Metrics) (prepared, error) {
	settings, err := setup.Settings()
	if err != nil {
		return prepared{}, err
	}
	return prepareWith(setup, settings, book, numbers)
}

// prepareWith is prepare for settings that have been read.
func prepareWith(setup *installation.Setup, settings *config.Config, book *ledger.Ledger, numbers *metrics.Metrics) (prepared, error) {
	in := setup.New(settings)
	in.Book, in.Mappings = book, map[string][]byte{}
	table, err := installation.Timetable(settings)
	if err == nil && setup.Firm == "" {
		err = installation.SchedulesNothing(settings, table)
	}
	if err == nil {
		err = in.ObserveWith(numbers)
	}
	if err != nil {
		return prepared{}, err
	}
	for _, job := range settings.Jobs {
		if text, err := installation.ReadMapping(job.Mapping); err == nil {
			in.Mappings[job.Mapping] = text
		}
	}
	jobs, err := in.JobsOf(settings.Jobs, false)
	if err != nil {
		return prepared{}, err
	}
	return prepared{in, table, polledInboxes(in)}, in.Allowed(jobs)
}

// Serve runs jobs on their schedule, and files that arrive, until ctx ends.
func Serve(ctx context.Context, setup *installation.Setup) (err error) {
	w := &watched{}
	in, err := openPatiently(ctx, setup, w)
	if in == nil || err != nil {
		return err
	}
	if in.Config.Firms != "" {
		return serveFirms(ctx, setup, in, w, nil)
	}
	return serveIn(ctx, setup, in, w, (*daemon).serve)
}

// serveIn runs work with a daemon of an installation, and closes the installation.
func serveIn(ctx context.Context, setup *installation.Setup, in *installation.Installation, w *watched, work func(*daemon, context.Context, *zap.Logger) error) (err error) {
	defer endUncut(in, &err)
	use, err := prepare(setup, in.Book, in.Observers.Metrics)
	if err != nil {
		in.Observers.Failed(ctx, in.NamesOf(nil), err)
		return err
	}
	d := newDaemon(setup, in, use)
	d.named, d.listen, d.watched = in.Config.Ledger.Reveal(), in.Config.Metrics.Listen, w
	d.numbers.Leading(false)
	d.numbers.Dues(d.dues)
	err = work(d, ctx, in.Log)
	var busy *fault.BusyError
	switch {
	case errors.Is(err, schedule.ErrCut):
		return exit.As(exit.Interrupted, err)
	case errors.Is(err, schedule.ErrLockLost): // a node leads again when no other does
		return fmt.Errorf("%w; restart docketsync", err)
	case errors.As(err, &busy):
		return fmt.Errorf("another process schedules the jobs of this ledger%s\nStop that process, or give this one a different ledger", holderOf(busy.Holder))
	}
	return err
}

// endUncut closes an installation, unless a run was cut off: that run still uses the ledger, and the end of the process
// closes it.
func endUncut(in *installation.Installation, err *error) {
	if !errors.Is(*err, schedule.ErrCut) {
		*err = in.End(*err)
	}
}

func newDaemon(setup *installation.Setup, in *installation.Installation, use prepared) *daemon {
	d := &daemon{setup: setup, book: in.Book, numbers: in.Observers.Metrics, use: use, notices: newNotices(), turn: make(chan struct{}, 1)}
	d.giveTurn()
	return d
}

// dues returns when the jobs are due next.
func (d *daemon) dues(ctx context.Context) (map[string]time.Time, error) {
	return schedule.Dues(ctx, d.book.Reader, d.inUse().table, time.Now())
}

// serve runs what is due and what arrives until ctx ends.
func (d *daemon) serve(ctx context.Context, log *zap.Logger) error {
	d.mu.Lock()
	d.use.inboxes = polledInboxes(d.use.Installation) // another process may have run the files that this one was waiting for when it last scheduled
	d.mu.Unlock()
	begun, polling := make(chan struct{}), make(chan struct{})
	s := &schedule.Scheduler{Ledger: d.book, Run: d.run, Tell: d.tell, Log: log, Begun: func() {
		d.numbers.Leading(true)
		close(begun)
	}}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP) // a system without SIGHUP never sends it
	defer signal.Stop(hangups)
	serving, stop := context.WithCancel(ctx)
	var beside sync.WaitGroup
	beside.Go(func() { d.reload(serving, s, hangups) })
	beside.Go(func() { d.sendNoticesUntil(serving) })
	go func() {
		defer close(polling)
		select {
		case <-begun:
			d.pollInboxes(serving)
		case <-serving.Done():
		}
	}()
	fmt.Fprintln(d.setup.Err, "docketsync: scheduling")
	d.announce(d.use.table)
	if d.share == nil { // a node works from when it has joined until it is asked to leave
		d.watched.works.Store(true)
	}
	err := s.Serve(ctx, d.use.table)
	d.numbers.Leading(false)
	stop()
	beside.Wait()
	d.sendNotices(ctx)
	if err != nil {
		return err
	}
	select {
	case <-polling:
		return nil
	case <-time.After(d.inUse().table.StopWithin):
		return schedule.ErrCut
	}
}

func holderOf(h fault.Holder) string {
	if h.PID == 0 {
		return ""
	}
	return fmt.Sprintf(": process %d on %s, since %s", h.PID, h.Host, moment.Second(h.Since))
}

// announce says when each job is due next.
func (d *daemon) announce(t schedule.Timetable) {
	for _, c := range t.Chains {
		next := "it will not run again"
		if due, ok := c.Next(time.Now()); ok {
			next = "next run " + installation.ShownTime(c, due.At)
		}
		fmt.Fprintf(d.setup.Err, "docketsync: %s; %s\n", installation.Said(c), next)
	}
}

// reload reads the configuration anew whenever asked is signalled, until ctx ends.
func (d *daemon) reload(ctx context.Context, s *schedule.Scheduler, asked <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-asked:
		}
		d.reloadSettings(func(t schedule.Timetable, taken func()) { s.Replace(ctx, t, taken) })
	}
}

// reloadSettings switches to what the configuration says now. replace does so between two runs; it is nil if this
// process runs none.
func (d *daemon) reloadSettings(replace func(t schedule.Timetable, taken func())) {
	use, err := prepare(d.setup, d.book, d.numbers)
	if err == nil && use.Config.Ledger.Reveal() != d.named {
		err = errors.New("the ledger has changed; restart docketsync to use it")
	}
	if err != nil {
		fmt.Fprintf(d.setup.Err, "docketsync: the new configuration has errors; the old one stays in use\n%s\n", exit.Explain(err))
		return
	}
	taken := func() {
		d.mu.Lock()
		d.use = use
		d.mu.Unlock()
		if err := use.ReadNumbers(context.Background()); err != nil {
			use.Log.Info("the counts of the last runs could not be read; trying again when they are asked for", zap.Error(err))
		}
		fmt.Fprintln(d.setup.Err, "docketsync: the new configuration is in use")
		if use.Config.Metrics.Listen != d.listen {
			fmt.Fprintln(d.setup.Err, "docketsync: metrics.listen has changed; restart docketsync to use it")
		}
		d.announce(use.table)
	}
	if replace == nil {
		taken()
		return
	}
	replace(use.table, taken)
}

// watched answers probes, from before the ledger is open until the process ends.
type watched struct {
	book  atomic.Pointer[ledger.Ledger]
	works atomic.Bool // it schedules, or sends for the node that does
}

// serve answers probes and metrics of a process that keeps running, until the installation is closed.
func (w *watched) serve(ctx context.Context, in *installation.Installation) error {
	healthy := func(ctx context.Context) error {
		if book := w.book.Load(); book != nil {
			return book.Writable(ctx)
		}
		return errors.New("the ledger is not open yet")
	}
	address, err := in.ServeProbes(ctx, healthy, func(asked context.Context) error {
		switch {
		case ctx.Err() != nil:
			return errors.New("docketsync is being stopped")
		case w.book.Load() != nil && !w.works.Load():
			return errors.New("docketsync has not begun, or is being stopped")
		}
		return healthy(asked)
	})
	if err == nil && address != "" {
		fmt.Fprintf(in.Screen.Err, "docketsync: /metrics, /livez, /healthz and /readyz are served on http://%s\n", address)
	}
	return err
}

// openAgain is the longest pause between two attempts to reach a ledger.
const openAgain = time.Minute

// openPatiently is runner.Open for a process that keeps running: it answers probes from the beginning, and waits for a
// ledger whose server cannot be reached, for instance during its upgrade. People are told once and then daily. A
// process that is started again and again could not do that, because what was told is kept in the ledger. If ctx ends
// first, both results are nil.
func openPatiently(ctx context.Context, setup *installation.Setup, w *watched) (*installation.Installation, error) {
	settings, err := setup.Settings()
	if err != nil {
		return nil, err
	}
	in := setup.New(settings)
	if err := w.serve(ctx, in); err != nil {
		return nil, in.End(err)
	}
	if err = runner.Observe(ctx, in, in.OpenLedger(ctx), nil); err == nil {
		w.book.Store(in.Book)
	}
	if !errors.Is(err, fault.ErrUnreachable) {
		return in, err
	}
	fmt.Fprintf(setup.Err, "docketsync: %s\ndocketsync: retrying until the ledger can be reached\n", exit.Explain(err))
	for pause := time.Second; errors.Is(err, fault.ErrUnreachable); pause = min(2*pause, openAgain) {
		select {
		case <-ctx.Done():
			return nil, in.Close()
		case <-time.After(pause):
		}
		if err = in.OpenLedger(ctx); err != nil {
			in.Observers.Failed(ctx, in.NamesOf(nil), err)
		}
	}
	if err != nil {
		return nil, err
	}
	w.book.Store(in.Book)
	fmt.Fprintln(setup.Err, "docketsync: the ledger can be reached again")
	in.Observers.Notifier.Keep(ctx, in.Book)
	runner.WriteOwed(ctx, in)
	return in, in.ObserveRuns(ctx)
}
