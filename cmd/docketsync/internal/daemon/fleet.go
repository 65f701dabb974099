package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/firms"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/observers"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/importer/cluster"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/report/wording"
	"docketsync/importer/schedule"
)

const (
	// firmsAtOnce is how many firms a node has open at the same time to plan, or to send a few records.
	firmsAtOnce = 4
	// leadsAtOnce is how many runs of more than a slice it leads besides. Each needs some eight connections to the
	// database.
	leadsAtOnce = 4
	// scanAgain is how often a node checks which firms there are, and whether their files have changed.
	scanAgain = 10 * time.Second
	// visitAgain is how soon a firm is visited again that could not be served, or that another process was serving.
	visitAgain = time.Minute
	// scansUnled is the number of scans in a row without anybody to serve a firm after which people are told: a node
	// that was restarted is back by then.
	scansUnled = 6
)

// fleet is the firms that a process serves; see the package comment.
type fleet struct {
	setup  *installation.Setup
	in     *installation.Installation // of the fleet: its ledger is where the nodes meet
	folder *firms.Folder
	node   *cluster.Node // nil if this process is alone

	places chan struct{} // a token for each firm that may be open
	leads  chan struct{} // a token for each large run that may be led
	cut    chan error    // receives a visit that did not end in time

	lists  patient[listed] // which firms there are
	listed listed          // the last answer
	looks  patient[looked] // the state of their files

	mu     sync.Mutex
	empty  error         // set if all known firms are gone
	wake   chan struct{} // closed, and another one made, when something may be due
	firms  map[string]*firm
	led    int                           // the number of label sets whose firms this process leads
	groups map[string]context.CancelFunc // by label set, for those that this node may serve
	unled  map[string]int                // by the other label sets: how many scans in a row found no node that leads their firms; used only by the scan
	going  sync.WaitGroup
}

// serveFirms serves all firms of a folder until ctx ends, and closes the installation of the fleet. labels are those of
// a node, nil for a process that is alone.
func serveFirms(ctx context.Context, setup *installation.Setup, in *installation.Installation, w *watched, labels map[string]string) (err error) {
	defer endUncut(in, &err)
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	f := &fleet{setup: setup, in: in, folder: firms.Of(setup, in.Config, in.Log, labels), firms: map[string]*firm{}, groups: map[string]context.CancelFunc{}, unled: map[string]int{},
		places: make(chan struct{}, cmp.Or(setup.Less.Firms, firmsAtOnce)), leads: make(chan struct{}, cmp.Or(setup.Less.Firms, leadsAtOnce)), cut: make(chan error, 1), wake: make(chan struct{})}
	if err := in.OfFirm(ctx, installation.NoFirm); err != nil {
		return err
	}
	if labels != nil {
		f.folder.Server = true
		numbers := in.Observers.Metrics
		numbers.Sends(cluster.Events)
		f.node = &cluster.Node{Ledger: in.Book, Log: in.Log, Version: setup.Version, Firm: f.open, Asked: leave, Slice: numbers.Slice, Settled: numbers.Settled, Shard: in.Shard}
		if err := f.node.Join(ctx); err != nil {
			return err
		}
		fmt.Fprintf(setup.Err, "docketsync: node %s has joined\n", in.Book.Node())
		defer context.AfterFunc(ctx, f.node.Finish)()
	}
	f.leadsMore(0)
	w.works.Store(true)
	defer context.AfterFunc(ctx, func() { w.works.Store(false) })()
	if err = f.serve(ctx); errors.Is(err, schedule.ErrCut) {
		return exit.As(exit.Interrupted, err)
	}
	if f.node != nil {
		err = errors.Join(err, f.node.Leave())
		fmt.Fprintf(setup.Err, "docketsync: node %s has left\n", in.Book.Node())
	}
	return err
}

// serve finds out which firms there are, and leads those of each set of labels that no other node leads, until ctx
// ends.
func (f *fleet) serve(ctx context.Context) error {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	again := time.NewTicker(scanAgain)
	defer again.Stop()
	for told := false; ctx.Err() == nil; {
		err := f.scan(ctx)
		if told = told && err != nil; err != nil && !told {
			told = true
			fmt.Fprintf(f.setup.Err, "docketsync: the folder of the firms cannot be read\n%s\n", exit.Explain(err))
		}
		select {
		case <-ctx.Done():
		case err := <-f.cut:
			return err
		case <-again.C:
		case <-hangups:
		}
	}
	ended := make(chan struct{})
	go func() { f.going.Wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case err := <-f.cut:
		return err
	case <-time.After(f.in.Config.Schedule.StopWithin):
		return schedule.ErrCut
	}
}

// scan applies what has changed about the firms. Of a firm that this process may not serve, it reads only the labels.
func (f *fleet) scan(ctx context.Context) error {
	defer f.rouse()
	names, seen, err := f.look(ctx)
	if err != nil || ctx.Err() != nil {
		return err
	}
	gone, elsewhere, silent := f.take(ctx, names, seen)
	for _, of := range silent {
		f.tellTrouble(ctx, of, fmt.Errorf("%s and the files beside it do not answer\nTheir share is probably unavailable; the firm is served again when it returns", of.path))
	}
	for _, name := range gone {
		fmt.Fprintf(f.setup.Err, "docketsync: firm %s is gone: nothing of it is synced\n", name)
		f.in.Observers.Metrics.Forget(name)
		f.in.Observers.Gone(ctx, name)
	}
	f.mu.Lock()
	leads := f.node == nil || f.led > 0 // others know of no trouble
	f.mu.Unlock()
	if leads {
		f.count()
	}
	if f.node != nil {
		f.watchOthers(ctx, elsewhere)
		return nil
	}
	for _, of := range elsewhere {
		f.tellTrouble(ctx, of, &firms.ElsewhereError{Labels: of.labels})
	}
	return nil
}

// take updates the firms from a scan. It returns the known firms that are gone, those that this process may not serve,
// and, if it leads any, those whose files have not answered for long.
func (f *fleet) take(ctx context.Context, names []string, seen map[string]looked) (gone []string, elsewhere, silent []*firm) {
	f.mu.Lock()
	defer f.mu.Unlock()
	used := map[string]bool{}
	for name := range f.firms {
		if !slices.Contains(names, name) {
			gone = append(gone, name)
			delete(f.firms, name)
		}
	}
	for _, name := range names {
		of := f.firms[name]
		if of == nil {
			of = f.firm(name)
			of.silent, f.firms[name] = true, of
		}
		f.answered(of, seen)
		if f.led > 0 && f.looks.late(name) && f.serves(of) {
			silent = append(silent, of)
		}
		switch {
		case !f.serves(of):
			elsewhere = append(elsewhere, of)
		case f.groups[of.labels] == nil:
			f.begin(ctx, of.labels)
		}
		used[of.labels] = true
	}
	for labels, end := range f.groups {
		if !used[labels] {
			end()
			delete(f.groups, labels)
		}
	}
	return gone, elsewhere, silent
}

func (f *fleet) firm(name string) *firm {
	return &firm{name: name, path: f.folder.Path(name), behind: map[string]time.Time{}}
}

// serves reports whether this process may serve a firm: it has all labels that the firm demands.
func (f *fleet) serves(of *firm) bool {
	return f.folder.Serves(of.demands)
}

// begin leads the firms of a set of labels whenever no other node does, and sends parts for the node that does, until
// ctx ends or no firm demands these labels.
func (f *fleet) begin(ctx context.Context, labels string) {
	ctx, f.groups[labels] = context.WithCancel(ctx)
	f.going.Go(func() {
		sends, said := f.node == nil, ""
		for ctx.Err() == nil {
			var err error
			if !sends {
				err = f.node.Serve(labels)
				sends = err == nil
			}
			if err == nil {
				err = f.lead(ctx, labels)
			}
			text := f.leadingWords(labels, err)
			if text != "" && text != said && ctx.Err() == nil {
				fmt.Fprintf(f.setup.Err, "docketsync: %s\n", text)
			}
			said = text
			select {
			case <-ctx.Done():
			case <-time.After(leadAgain):
			}
		}
	})
}

// leadingWords says why this process does not lead the firms of a set of labels.
func (f *fleet) leadingWords(labels string, err error) string {
	var busy *fault.BusyError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &busy) && f.node != nil:
		return "another node schedules the firms" + wording.Prefixed(" that demand ", labels) + "; this one sends"
	case errors.As(err, &busy):
		return "another process serves these firms" + holderOf(busy.Holder) + "; this one waits for it to end"
	}
	return exit.Explain(err)
}

// lead visits the firms of a set of labels when they have something due, until ctx ends or another node leads. Nobody
// knows what the previous leader left unfinished, so each firm is visited once at the beginning.
func (f *fleet) lead(ctx context.Context, labels string) error {
	release, lost, err := f.in.Book.LockWatched(ctx, firmsLock(labels))
	if err != nil {
		return err
	}
	defer func() { _ = release() }()
	f.mu.Lock()
	mine := 0
	for _, of := range f.firms {
		if of.labels != labels {
			continue
		}
		if mine++; !of.going {
			of.next, of.waits, of.inboxes = time.Now(), false, nil
		}
		of.known = false
	}
	f.mu.Unlock()
	fmt.Fprintf(f.setup.Err, "docketsync: scheduling %s%s\n", wording.Counted(mine, "firm"), wording.Prefixed(" that demand ", labels))
	defer f.forget(labels)
	f.leadsMore(1)
	defer f.leadsMore(-1)
	return f.visitDue(ctx, labels, lost, f.visit)
}

// leadsMore counts the sets of labels that this process leads, and reports whether there are any.
func (f *fleet) leadsMore(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.led += n
	f.in.Observers.Metrics.Leading(f.led > 0)
}

// visitDue visits firms when they have something due, until ctx ends or this process loses the lock by which it leads
// them. That ends the visits in progress too, because another node may visit the same firms from then on.
func (f *fleet) visitDue(ctx context.Context, labels string, lost <-chan struct{}, visit func(context.Context, *firm)) error {
	ctx, halt := context.WithCancel(ctx)
	var visits sync.WaitGroup
	defer func() {
		halt()
		visits.Wait()
	}()
	for timer := time.NewTimer(0); ; {
		of, wait, wake := f.choose(labels, time.Now())
		if of != nil {
			visits.Go(func() { visit(ctx, of) })
			continue
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return nil
		case <-lost:
			return schedule.ErrLockLost
		case <-timer.C:
		case <-wake:
		}
	}
}

// forget stops reporting metrics of firms that another node leads from now on.
func (f *fleet) forget(labels string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, of := range f.firms {
		if of.labels == labels {
			f.in.Observers.Metrics.Forget(name)
		}
	}
}

// choose returns the firm that has waited longest among those that are due and may be opened, with its place; or how
// long nothing will be due unless wake is closed.
func (f *fleet) choose(labels string, now time.Time) (chosen *firm, wait time.Duration, wake <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	wait = scanAgain
	for _, of := range f.firms {
		if of.labels != labels || of.going || of.silent {
			continue
		}
		due, at := of.due(now, f.lookInto)
		if due && of.noticed.IsZero() {
			of.noticed = now
		}
		switch {
		case !due && !at.IsZero():
			wait = min(wait, max(time.Millisecond, at.Sub(now)))
		case !due, of.large && len(f.leads) == cap(f.leads):
		case chosen == nil || at.Before(chosen.since):
			chosen, of.since = of, at
		}
	}
	if chosen == nil || !f.enter(chosen.large) {
		return nil, wait, f.wake
	}
	chosen.going = true
	return chosen, 0, nil
}

// rouse makes whoever leads check what is due.
func (f *fleet) rouse() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.wake)
	f.wake = make(chan struct{})
}

// open returns what sends a run of a firm that another node leads.
func (f *fleet) open(ctx context.Context, name string) (cluster.Firm, error) {
	in, err := f.installation(ctx, f.firm(name))
	if err != nil {
		return cluster.Firm{}, err
	}
	in.Observers = &observers.Observers{Metrics: f.in.Observers.Metrics.Firm(name)} // requests count here; whoever leads tells people
	return cluster.Firm{Ledger: in.Book, Close: in.Close, Open: runner.Slices(in)}, nil
}
