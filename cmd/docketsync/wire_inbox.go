package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"docketsync/config"
	"docketsync/config/document"
	"docketsync/importer"
	"docketsync/importer/inbox"
	"docketsync/importer/ledger"
	"docketsync/importer/source"
	"docketsync/importer/stop"
)

// inboxOf is the inbox of a job that has one.
func (in *installation) inboxOf(job config.Job) *inbox.Folder {
	b := job.Source.Inbox
	return &inbox.Folder{
		Path: b.Folder, Patterns: b.Files, Newest: b.Take == "newest", ByName: b.Order == "name",
		Still: b.Still, Patience: b.Patience, Marker: b.Marker, Archive: b.Archive, Rejected: b.Rejected,
		Runs: func(ctx context.Context) ([]inbox.Run, error) { return in.filesRun(ctx, job.Name) },
	}
}

// filesRun lists what the finished runs of a job read, newest first.
func (in *installation) filesRun(ctx context.Context, job string) ([]inbox.Run, error) {
	runs, err := in.book.Runs(ctx, ledger.RunFilter{Job: job, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Finished}})
	if err != nil {
		return nil, err
	}
	ended := ledger.FilesEnd(runs)
	var files []inbox.Run
	for n, run := range runs {
		open := false
		if n == 0 { // of the others nobody asks
			if open, err = in.leftOpen(ctx, run); err != nil {
				return nil, err
			}
		}
		var written time.Time
		if run.Export != nil {
			written = run.Export.Written
		}
		for _, s := range run.Sources {
			files = append(files, inbox.Run{ID: run.ID, File: s.File, SHA256: s.SHA256, Written: written, Ended: ended, Open: open})
		}
	}
	return files, nil
}

// leftOpen tells whether a run left records that the next run of the same rows would send.
func (in *installation) leftOpen(ctx context.Context, run ledger.Run) (bool, error) {
	counts, err := in.book.Tally(ctx, run.ID)
	return slices.ContainsFunc(counts, func(c ledger.Count) bool {
		return c.N > 0 && (c.State == ledger.Failed || c.State == ledger.Held)
	}), err
}

// fate is what becomes of a file after its run.
type fate string

const (
	archived fate = "archived" // a run was made, whatever became of its rows
	rejected fate = "rejected" // no run can be made of this file
	kept     fate = "kept"     // the trouble is not the file's: it is run again later
	returned fate = "returned" // it was written to after it had been taken: it is back in the inbox, to be run as a whole
)

// fateOf decides what becomes of a file. run is what its run came to, err why it could not be made: a file that cannot be
// read, or does not have the columns that the mapping asks for, is rejected, and so is one that a guard stopped. Anything
// else (the service, the ledger, a lookup, an interruption) says nothing of the file.
func fateOf(run *ledger.Run, path string, err error) (f fate, why string) {
	var unreadable *source.Error
	var faults document.Faults
	switch {
	case errors.As(err, &unreadable) && unreadable.File == path:
		return rejected, explain(err)
	case errors.As(err, &faults):
		return rejected, explain(err)
	case err != nil || run == nil:
		return kept, ""
	case run.Phase == ledger.Finished:
		return archived, ""
	case run.StopCode == stop.Guard:
		return rejected, run.Stop + "\nThe run is " + run.ID + "."
	}
	return kept, ""
}

// retryFile is how long a file waits that could not be run for trouble that is not its own.
const retryFile = 5 * time.Minute

// inboxEvent is what happened to one file of an inbox.
type inboxEvent struct {
	Job  string `json:"job"`
	File string `json:"file"` // as it arrived
	Fate string `json:"fate"` // archived, rejected, kept, returned, or aside for one that was put away without being run
	Path string `json:"path,omitempty"`
	Run  string `json:"run,omitempty"`
	Why  string `json:"why,omitempty"`
}

// visit is what one look into an inbox came to.
type visit struct {
	Events  []inboxEvent
	Results []runResult
	Code    int
	Waiting int  // files that cannot be taken yet
	Ran     bool // a file was taken, so that there may be more
}

// visitInbox looks into the inbox of a job once, runs at most one file that has arrived, and puts it away. Only one process
// may do so at a time; the error is a *ledger.BusyError when another does.
func (a *app) visitInbox(ctx context.Context, in *installation, job config.Job, folder *inbox.Folder, now time.Time) (v visit, err error) {
	release, err := in.book.Lock(ctx, "inbox of "+job.Name)
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, release()) }()
	found, err := folder.Poll(ctx, now)
	for _, aside := range found.Aside {
		v.Events = append(v.Events, inboxEvent{Job: job.Name, File: aside.Name, Fate: "aside", Path: aside.Path, Why: aside.Why})
	}
	for _, back := range found.Back {
		event := inboxEvent{Job: job.Name, File: back.Name, Fate: string(returned), Run: back.Run, Why: back.Why}
		v = a.tellReturned(ctx, in, v, event)
	}
	v.Waiting = found.Waiting
	if err != nil || found.Taken == nil {
		return v, err
	}
	v.Ran = true
	job.Source.Files = config.Files{found.Taken.Path}
	return a.runTaken(ctx, in, job, found.Taken, now, v)
}

// runTaken runs the file and puts it away.
func (a *app) runTaken(ctx context.Context, in *installation, settings config.Job, taken *inbox.Taken, now time.Time, v visit) (visit, error) {
	event := inboxEvent{Job: settings.Name, File: taken.Name}
	job, err := in.job(settings)
	if err != nil {
		in.watch.failed(ctx, []string{settings.Name}, err)
		taken.Later(now.Add(retryFile))
		return v, exitStatus{exitUsage, fmt.Errorf("job %s: %w", settings.Name, err)}
	}
	job.Partial = settings.Source.Inbox.Holds == "changes"
	var failed error
	var ended *ledger.Run
	v.Results, v.Code, err = a.runEach(ctx, in, []importer.Job{job}, func(ctx context.Context, i *importer.Importer, job importer.Job) (ledger.Run, error) {
		// A lookup that cannot be read is no fault of the file.
		if _, failed = i.Lookups(ctx, job); failed != nil {
			failed = fmt.Errorf("the lookups of the job cannot be used: %s", explain(failed))
			return ledger.Run{}, failed
		}
		run, err := i.Run(ctx, job)
		ended, failed = &run, err
		return run, err
	})
	if err != nil {
		taken.Later(now.Add(retryFile))
		return v, err
	}
	become, why := fateOf(ended, taken.Path, failed)
	event.Fate, event.Why = string(become), why
	switch become {
	case archived:
		event.Run = ended.ID
		event.Path, err = taken.Archive(ended.ID, now)
	case rejected:
		event.Path, err = taken.Reject(why)
	default:
		taken.Later(now.Add(retryFile))
		err = taken.Unchanged()
	}
	if errors.Is(err, inbox.ErrChanged) {
		event.Fate, event.Why, event.Path = string(returned), inbox.ErrChanged.Error(), ""
		if become == archived {
			event.Why += "\nRun " + ended.ID + " read what was there before"
		}
		return a.tellReturned(ctx, in, v, event), nil
	}
	v.Events = append(v.Events, event)
	return v, err
}

// tellReturned adds that a file is back in the inbox, which people are told of: a run may have read half of it.
func (a *app) tellReturned(ctx context.Context, in *installation, v visit, event inboxEvent) visit {
	in.watch.failed(ctx, []string{event.Job}, fmt.Errorf("%s: %s", event.File, event.Why))
	v.Events, v.Code = append(v.Events, event), graver(v.Code, exitStopped)
	return v
}

// String says what happened to a file, for a person.
func (e inboxEvent) String() string {
	text := fmt.Sprintf("%s  %s: %s", e.Job, e.File, e.Fate)
	if e.Path != "" {
		text += " as " + e.Path
	}
	if e.Why != "" {
		text += "\n  " + strings.ReplaceAll(e.Why, "\n", "\n  ")
	}
	return text
}
