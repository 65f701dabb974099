package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"docketsync/config"
	"docketsync/importer/inbox"
	"docketsync/importer/ledger"
)

// polled is an inbox that a schedule looks into. Its folder remembers from one look to the next what it has seen.
type polled struct {
	job    config.Job
	folder *inbox.Folder
	next   time.Time // of the next look
	looked time.Time // when the last look ended
	failed int       // looks that failed, one after the other
	told   time.Time // when people were last told of that
}

// polledInboxes are the inboxes of the configuration.
func (in *installation) polledInboxes() (list []*polled) {
	for _, job := range in.config.Jobs {
		if job.Source.Inbox != nil {
			list = append(list, &polled{job: job, folder: in.inboxOf(job)})
		}
	}
	return list
}

// lookForInboxes is the longest until new settings are noticed.
const lookForInboxes = 10 * time.Second

// hintPause is the least time between two looks, however much happens in a folder.
const hintPause = time.Second

// pollInboxes looks into the inboxes of the settings in use, each as often as it asks for and when something happens in it, until
// ctx ends. The visit that is going on then finishes what is in flight.
func (n *nightly) pollInboxes(ctx context.Context) {
	var watched *installation
	var hints <-chan *polled
	unwatch := func() {}
	defer func() { unwatch() }()
	for ctx.Err() == nil {
		wait, use := lookForInboxes, n.inUse()
		if use.installation != watched {
			unwatch()
			watched = use.installation
			hints, unwatch = watchInboxes(ctx, use.inboxes)
		}
		for _, box := range use.inboxes {
			if !time.Now().Before(box.next) {
				n.visit(ctx, use, box)
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

// watchInboxes tells in which inboxes something happens, where the system does, until unwatch is called.
func watchInboxes(ctx context.Context, boxes []*polled) (hints <-chan *polled, unwatch context.CancelFunc) {
	ctx, unwatch = context.WithCancel(ctx)
	all := make(chan *polled)
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

// visit looks into an inbox when nothing else is run, and runs one file that has arrived.
func (n *nightly) visit(ctx context.Context, use prepared, box *polled) {
	if !n.takeTurn(ctx) {
		return
	}
	defer n.giveTurn()
	in := n.installation(use)
	v, err := n.app.visitInbox(ctx, in, box.job, box.folder, time.Now())
	if closing := in.close(); err == nil {
		err = closing
	}
	n.showVisit(box.job.Name, v, err)
	box.looked = time.Now()
	box.next = box.looked.Add(box.pause(v, err))
	if v.Ran {
		box.failed = 0
		n.prune(ctx, in)
		return // whoever runs a file tells of it
	}
	n.tellOfFolder(ctx, in, box, err)
}

// pause is how long the next look into an inbox may be waited for: not at all while there may be more files, and no longer than one
// that is there has to hold still.
func (b *polled) pause(v visit, err error) time.Duration {
	settings := b.job.Source.Inbox
	switch {
	case v.Ran && err == nil && !v.kept():
		return 0
	case v.Waiting > 0:
		return min(settings.Poll, settings.Still)
	}
	return settings.Poll
}

// tellAgain is how often people are told, at the most, of a folder that cannot be looked into; channels decide which of it
// they want to hear.
const tellAgain = time.Hour

// tellOfFolder tells of a folder that cannot be looked into. One look that fails says little of a network drive.
func (n *nightly) tellOfFolder(ctx context.Context, in *installation, box *polled, err error) {
	if err == nil || errors.Is(err, ledger.ErrBusy) {
		box.failed = 0
		return
	}
	if box.failed++; box.failed > 1 && time.Since(box.told) >= tellAgain {
		box.told = time.Now()
		in.watch.failed(ctx, []string{box.job.Name}, err)
	}
}

// kept tells whether the file that was taken is run again later.
func (v visit) kept() bool {
	return len(v.Events) > 0 && v.Events[len(v.Events)-1].Fate == string(kept)
}

// showVisit says on standard output what became of files, and on standard error why one could not be run.
func (n *nightly) showVisit(job string, v visit, err error) {
	if err != nil && !errors.Is(err, ledger.ErrBusy) && !errors.Is(err, context.Canceled) {
		fmt.Fprintf(n.app.stderr, "docketsync: job %s: %s\n", job, explain(err))
	}
	for _, result := range v.Results {
		n.say(map[string]any{"run": result}, func(w io.Writer) { n.app.printResults(w, []runResult{result}) })
	}
	for _, event := range v.Events {
		n.say(map[string]any{"file": event}, func(w io.Writer) { fmt.Fprintln(w, event) })
	}
}
