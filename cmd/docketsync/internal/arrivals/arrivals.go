// Package arrivals runs the files that arrive in the inboxes of jobs, one at a time, and decides what happens to each.
// A file is archived after its run, rejected if no run can be made of it, and kept for later if the trouble is not its
// own or something is left of a file of changes. It is returned to the inbox if it was written to after it had been
// taken.
//
// importer/inbox tells whether a file is complete, and moves it; runner runs a job. The command inbox empties inboxes
// and ends, the daemon looks again and again; both use Look, under a lock of the ledger, so that only one process takes
// files from an inbox.
package arrivals

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/config"
	"docketsync/config/diagnostic"
	"docketsync/importer"
	"docketsync/importer/inbox"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/report/remedy"
	"docketsync/importer/report/wording"
	"docketsync/importer/source/format"
	"docketsync/importer/stop"
)

// retryFile is how long a file waits if it could not be run for trouble that is not its own.
const retryFile = 5 * time.Minute

// retryOpen is how long a file of changes waits that left something open. People are told each time it is run.
const retryOpen = time.Hour

// Found is the result of one look into an inbox.
type Found struct {
	Events  []Event
	Results []runner.Result
	Code    int
	Waiting int  // files that cannot be taken yet
	Ran     bool // a file was taken, so there may be more
	// Busy is the lock of another process that the taken file waits for, "" for none. It can be run as soon as the lock
	// is free.
	Busy string
}

// later keeps a file that could not be run for trouble that is not its own.
func (v *Found) later(taken *inbox.Taken, now time.Time, err error) {
	if busy, ok := errors.AsType[*fault.BusyError](err); ok {
		v.Busy = busy.Name
		return
	}
	taken.Later(now.Add(retryFile))
}

// Look looks into the inbox of a job once, runs at most one file that has arrived, and puts it away. Only one process
// may do so at a time; if another does, the error is a *fault.BusyError.
func Look(ctx context.Context, in *installation.Installation, job config.Job, folder *inbox.Folder, now time.Time) (v Found, err error) {
	release, err := in.Book.Lock(ctx, "inbox of "+job.Name)
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if counts, err := folder.Count(); err == nil && counts.Waiting > 0 {
		if err := installation.TakesNamed(in.Config, job); err != nil {
			return v, exit.As(exit.Usage, err)
		}
	}
	found, err := folder.Poll(ctx, now)
	for _, put := range found.Aside {
		become := aside
		if put.Refused {
			become, v.Code = rejected, exit.Graver(v.Code, exit.Rejects)
		}
		v.Events = append(v.Events, Event{Job: job.Name, File: put.Name, Fate: become, Path: put.Path, Why: put.Why})
	}
	for _, back := range found.Back {
		v = tellReturned(ctx, in, v, Event{Job: job.Name, File: back.Name, Fate: returned, Run: back.Run, Why: back.Why})
	}
	v.Waiting = found.Waiting
	if err != nil || found.Taken == nil {
		return v, err
	}
	v.Ran = true
	job.Source.Files = config.Names{found.Taken.Path}
	return runTaken(ctx, in, job, found.Taken, now, v)
}

// runTaken runs the file and puts it away.
func runTaken(ctx context.Context, in *installation.Installation, settings config.Job, taken *inbox.Taken, now time.Time, v Found) (Found, error) {
	event := Event{Job: settings.Name, File: taken.Name}
	job, err := in.Job(settings)
	if err != nil {
		in.Observers.Failed(ctx, []string{settings.Name}, err)
		taken.Later(now.Add(retryFile))
		return v, exit.As(exit.Usage, fmt.Errorf("job %s: %w", settings.Name, err))
	}
	var failed error
	var ended *ledger.Run
	var code int
	v.Results, code, err = runner.Each(ctx, in, []importer.Job{job}, func(ctx context.Context, i *importer.Importer, job importer.Job) (ledger.Run, error) {
		// A lookup that cannot be read is not the file's fault.
		if _, failed = i.Lookups(ctx, job); failed != nil {
			failed = fmt.Errorf("the lookups of the job cannot be used: %s", exit.Explain(failed))
			return ledger.Run{}, failed
		}
		run, err := i.Run(ctx, job)
		ended, failed = &run, err
		return run, err
	})
	v.Code = exit.Graver(v.Code, code)
	if err != nil {
		v.later(taken, now, err)
		return v, err
	}
	become, why := fateOf(in.Site, ended, taken.Path, failed)
	open := 0
	if become == archived && job.Partial {
		if open, err = in.Open(ctx, *ended); open > 0 || err != nil {
			become = kept
		}
	}
	event.Fate, event.Why = become, why
	switch become {
	case archived:
		event.Run = ended.ID
		event.Path, err = taken.Archive(ended.ID, now)
	case rejected:
		event.Path, err = taken.Reject(why)
	default:
		if v.later(taken, now, failed); open > 0 {
			taken.Later(now.Add(retryOpen))
			event.Why = fmt.Sprintf("%s of it failed, in doubt, held, or waiting for an id or an answer: it is run again after an hour, or at once with: %s\n"+
				"Until then later files wait. To run those without it, move %s away.",
				wording.Counted(open, "record"), in.Site.Command("inbox", settings.Name), taken.Path)
		}
		_, unchanged := taken.Unchanged()
		err = errors.Join(err, unchanged)
	}
	if errors.Is(err, inbox.ErrChanged) {
		event.Fate, event.Why, event.Path = returned, inbox.ErrChanged.Error(), ""
		if become == archived {
			event.Why += "\nRun " + ended.ID + " read its earlier content"
		}
		return tellReturned(ctx, in, v, event), nil
	}
	v.Events = append(v.Events, event)
	return v, err
}

// tellReturned adds that a file is back in the inbox. People are told, because a run may have read half of it.
func tellReturned(ctx context.Context, in *installation.Installation, v Found, event Event) Found {
	in.Observers.Failed(ctx, []string{event.Job}, fmt.Errorf("%s: %s", event.File, event.Why))
	v.Events, v.Code = append(v.Events, event), exit.Graver(v.Code, exit.Stopped)
	return v
}

// Empty looks into an inbox until nothing is there, or nothing could be taken for twice as long as a file has to hold
// still, because it has to do so in the folder and again after it was moved.
func Empty(ctx context.Context, in *installation.Installation, job config.Job) (all Found, err error) {
	folder, settings := in.Inbox(job), job.Source.Inbox
	pause := min(settings.Poll, settings.Still)
	for idle := time.Duration(0); idle <= 4*settings.Still; {
		v, err := Look(ctx, in, job, folder, time.Now())
		all.Events, all.Results, all.Code = append(all.Events, v.Events...), append(all.Results, v.Results...), exit.Graver(all.Code, v.Code)
		if err != nil && !v.Ran { // whoever runs a taken file reports on it
			in.Observers.Failed(ctx, []string{job.Name}, err)
		}
		if err != nil || !v.Ran && v.Waiting == 0 {
			return all, err
		}
		if v.Ran {
			idle = 0
			if v.Kept() {
				return all, nil
			}
			continue
		}
		select {
		case <-ctx.Done():
			return all, nil
		case <-time.After(pause):
			idle += pause
			all.Waiting = v.Waiting
		}
	}
	fmt.Fprintf(in.Screen.Err, "docketsync: job %s: %s in %s not run: still being written, or incomplete\n"+
		"Copy it there again, or wait: a file that looks incomplete is run as it is after %s without a change (source.inbox.patience).\n",
		job.Name, wording.Counted(all.Waiting, "file"), settings.Folder, settings.Patience)
	return all, nil
}

// Kept reports whether the taken file is run again later.
func (v Found) Kept() bool {
	return len(v.Events) > 0 && v.Events[len(v.Events)-1].Fate == kept
}

// fate is what happens to a file after its run.
type fate string

const (
	archived fate = "archived" // a run was made, whatever became of its rows
	rejected fate = "rejected" // no run can be made of this file
	kept     fate = "kept"     // the trouble is not the file's: it is run again later
	returned fate = "returned" // it was written to after it had been taken: it is back in the inbox, to be run as a whole
	aside    fate = "aside"    // it was put away without being run
)

// fateOf decides what happens to a file. run is its run, err why that could not be made. A file is rejected if it
// cannot be read, does not have the columns that the mapping needs, or was stopped by a guard. Anything else (the
// service, the ledger, a lookup, an interruption) says nothing about the file.
func fateOf(site remedy.Site, run *ledger.Run, path string, err error) (f fate, why string) {
	var unreadable *format.Error
	var faults diagnostic.Faults
	switch {
	case errors.As(err, &unreadable) && unreadable.File == path:
		return rejected, strings.ReplaceAll(exit.Explain(err), path, filepath.Base(path)) // the file does not stay at that path
	case errors.As(err, &faults):
		return rejected, exit.Explain(err)
	case err != nil || run == nil:
		return kept, ""
	case run.Phase == ledger.Finished:
		return archived, ""
	case run.StopCode == stop.Guard:
		first := remedy.After(remedy.Facts{Run: *run})[0]
		return rejected, strings.TrimSpace(run.Stop+"\n"+first.Do+" "+site.Command(first.Args...)) + "\nThe run is " + run.ID + "."
	}
	return kept, ""
}

// Event is what happened to one file of an inbox.
type Event struct {
	Job  string `json:"job"`
	File string `json:"file"` // as it arrived
	Fate fate   `json:"fate"`
	Path string `json:"path,omitempty"`
	Run  string `json:"run,omitempty"`
	Why  string `json:"why,omitempty"`
}

// String says what happened to a file, for a person.
func (e Event) String() string {
	return fmt.Sprintf("%s  %s: %s%s%s", e.Job, e.File, e.Fate, wording.Prefixed(" as ", e.Path), strings.ReplaceAll(wording.Prefixed("\n", e.Why), "\n", "\n  "))
}
