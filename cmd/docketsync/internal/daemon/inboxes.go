package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"docketsync/cmd/docketsync/internal/arrivals"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/config"
	"docketsync/importer/inbox"
	"docketsync/importer/ledger/fault"
)

// polledInbox is an inbox that a schedule looks into. Its folder remembers from one look to the next what it has seen.
type polledInbox struct {
	job    config.Job
	folder *inbox.Folder
	next   time.Time     // of the next look
	looked time.Time     // when the last look ended
	busy   string        // the lock of another process that a file waits for, "" for none
	failed int           // looks that failed, one after the other
	told   time.Time     // when people were last told of that
	said   string        // why the last look failed, as written to standard error
	ran    time.Time     // when a file was last run
	watch  time.Duration // how long after ran a firm that is not open checks whether that file grows in the archive; 0 for no more

	// For a firm that is not open, guarded by fleet.mu: somebody is looking for arrivals; something has arrived.
	looking, arrived bool
	again            time.Time
}

// grows reports whether it is time to check if a file that was run grows in the archive. Checks become rarer, because
// opening a firm is costly.
func (b *polledInbox) grows(now time.Time) bool { return b.watch > 0 && now.Sub(b.ran) >= b.watch }

// polledInboxes are the inboxes of the configuration.
func polledInboxes(in *installation.Installation) (list []*polledInbox) {
	for _, job := range in.Config.Jobs {
		if job.Source.Inbox != nil {
			list = append(list, &polledInbox{job: job, folder: in.Inbox(job)})
		}
	}
	return list
}

// lookForInboxes is the longest time until new settings are noticed.
const lookForInboxes = 10 * time.Second

// hintPause is the least time between two looks, however much happens in a folder.
const hintPause = time.Second

// pollInboxes looks into the inboxes of the settings in use, each as often as configured and when something happens in
// it, until ctx ends. A visit in progress then finishes what is in flight.
func (d *daemon) pollInboxes(ctx context.Context) {
	var watched *installation.Installation
	var hints <-chan *polledInbox
	unwatch := func() {}
	defer func() { unwatch() }()
	for ctx.Err() == nil {
		wait, use := lookForInboxes, d.inUse()
		if use.Installation != watched {
			unwatch()
			watched = use.Installation
			hints, unwatch = watchInboxes(ctx, use.inboxes)
		}
		for _, box := range use.inboxes {
			if !time.Now().Before(box.next) {
				d.visit(ctx, use, box)
			}
			wait = min(wait, max(0, time.Until(box.next)))
		}
		select {
		case <-ctx.Done():
		case box := <-hints:
			if soon := box.looked.Add(hintPause); soon.Before(box.next) {
				box.next = soon
			}
		case <-time.After(wait):
		}
	}
}

// watchInboxes signals in which inboxes something happens, if the system reports that, until unwatch is called.
func watchInboxes(ctx context.Context, boxes []*polledInbox) (hints <-chan *polledInbox, unwatch context.CancelFunc) {
	ctx, unwatch = context.WithCancel(ctx)
	all := make(chan *polledInbox)
	for _, box := range boxes {
		own := box.folder.Hint(ctx)
		go func() {
			for ctx.Err() == nil {
				select {
				case <-own:
				case <-ctx.Done():
					return
				}
				select {
				case all <- box:
				case <-ctx.Done():
				}
			}
		}()
	}
	return all, unwatch
}

// visit looks into an inbox when nothing else is running, and runs one file that has arrived.
func (d *daemon) visit(ctx context.Context, use prepared, box *polledInbox) {
	if !d.takeTurn(ctx) {
		return
	}
	defer d.giveTurn()
	if box.busy != "" && !d.free(ctx, box.busy) {
		box.looked = time.Now()
		box.next = box.looked.Add(busyAgain)
		return
	}
	in := use.ForRun()
	in.Share = d.share
	v, err := arrivals.Look(ctx, in, box.job, box.folder, time.Now())
	if closing := in.Close(); err == nil {
		err = closing
	}
	d.showVisit(box, v, err)
	box.busy, box.looked = v.Busy, time.Now()
	box.next = box.looked.Add(box.pause(v, err))
	if box.grows(box.looked) {
		if box.watch *= 2; box.watch > box.job.Source.Inbox.Patience {
			box.watch = 0
		}
	}
	if v.Ran {
		box.failed, box.ran, box.watch = 0, box.looked, box.job.Source.Inbox.Still
		d.prune(ctx, in)
		return // whoever runs a file reports that
	}
	d.tellOfFolder(ctx, in, box, err)
}

// pause returns how long the next look into an inbox may wait: not at all if there may be more files, and otherwise no
// longer than a waiting file has to hold still.
func (b *polledInbox) pause(v arrivals.Found, err error) time.Duration {
	settings := b.job.Source.Inbox
	switch {
	case v.Busy != "":
		return busyAgain
	case v.Ran && err == nil && !v.Kept():
		return 0
	case v.Waiting > 0:
		return min(settings.Poll, settings.Still)
	}
	return settings.Poll
}

// tellAgain is how often, at most, people are told that a folder cannot be looked into; channels decide which of it
// they want to hear.
const tellAgain = time.Hour

// tellOfFolder reports a folder that cannot be looked into. One failed look says little about a network drive.
func (d *daemon) tellOfFolder(ctx context.Context, in *installation.Installation, box *polledInbox, err error) {
	if err == nil || errors.Is(err, fault.ErrBusy) {
		box.failed = 0
		return
	}
	if box.failed++; box.failed > 1 && time.Since(box.told) >= tellAgain {
		box.told = time.Now()
		in.Observers.Failed(ctx, []string{box.job.Name}, err)
	}
}

// showVisit writes to standard output what became of files and, once, to standard error why one could not be run or the
// folder could not be read.
func (d *daemon) showVisit(box *polledInbox, v arrivals.Found, err error) {
	if !errors.Is(err, fault.ErrBusy) && !errors.Is(err, context.Canceled) {
		before := box.said
		if box.said = ""; err != nil {
			box.said = exit.Explain(err)
		}
		if box.said != "" && (v.Ran || box.said != before) {
			fmt.Fprintf(d.setup.Err, "docketsync: job %s: %s\n", box.job.Name, box.said)
		}
	}
	for _, result := range v.Results {
		d.say(map[string]any{"run": result}, func(w io.Writer) { runner.Print(d.setup.Screen, w, []runner.Result{result}) })
	}
	for _, event := range v.Events {
		d.say(map[string]any{"file": event}, func(w io.Writer) { fmt.Fprintln(w, event) })
	}
}
