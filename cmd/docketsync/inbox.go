package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"docketsync/config"
	"docketsync/importer/report"
)

func newInbox(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "inbox [JOB…]",
		Short: "Run the files that have arrived in the inboxes, then exit",
		Long: `inbox checks the inboxes of the named jobs (of all jobs by default), runs each file that has arrived, in order, and archives
it with the id of its run, or moves it to the folder of rejected files with the reason beside it. It exits when the inboxes are
empty or hold only files that are still changing. Use it on machines that have their own scheduler; 'docketsync schedule' does
the same and keeps running.

A file has arrived when its size and time have not changed for a while. It is then moved away and must stay unchanged once
more, in case its writer only paused, so a visit takes at least twice that long if there is a file. A file that is written
to later is put back into the inbox, reported, and run again as a whole.`,
		RunE: func(cmd *cobra.Command, names []string) (err error) {
			in, err := a.openWatched(cmd.Context(), names, true)
			if err != nil {
				return err
			}
			defer func() { err = closing(in, err) }()
			jobs, err := inboxJobs(in.config.Jobs, names)
			if err != nil {
				return err
			}
			events, results, code := []inboxEvent{}, []runResult{}, exitAllIn
			for n, job := range jobs {
				all, err := a.emptyInbox(cmd.Context(), in, job)
				events, results, code = append(events, all.Events...), append(results, all.Results...), graver(code, all.Code)
				if err != nil {
					fmt.Fprintf(a.stderr, "docketsync: job %s: %s\n", job.Name, explain(err))
					code = graver(code, exitOf(err))
				}
				if cmd.Context().Err() != nil {
					code = exitInterrupted
					for _, behind := range jobs[n+1:] {
						results = append(results, runResult{Job: behind.Name, State: notBegun, Reason: "docketsync was interrupted in job " +
							job.Name + ". Look into its inbox again: docketsync inbox " + behind.Name})
					}
					break
				}
			}
			answer := map[string]any{"files": events, "runs": results, "exit": code}
			return exitWith(code, a.result(answer, func(w io.Writer) {
				a.printResults(w, results)
				for _, event := range events {
					fmt.Fprintln(w, event)
				}
			}))
		},
	}
}

// inboxJobs are the named jobs, or all that have an inbox.
func inboxJobs(all []config.Job, names []string) ([]config.Job, error) {
	chosen, err := chooseJobs(all, names)
	if err != nil {
		return nil, err
	}
	var jobs []config.Job
	for _, job := range chosen {
		switch {
		case job.Source.Inbox != nil:
			jobs = append(jobs, job)
		case len(names) > 0:
			return nil, usage("the job %q has no inbox; 'docketsync run %s' runs it", job.Name, job.Name)
		}
	}
	if len(jobs) == 0 {
		return nil, usage("no job of the configuration has an inbox\nGive a job one with source: {inbox: FOLDER}")
	}
	return jobs, nil
}

// emptyInbox visits an inbox until nothing is there, or nothing could be taken for twice as long as a file has to hold still
// for, in the folder and after it was moved.
func (a *app) emptyInbox(ctx context.Context, in *installation, job config.Job) (all visit, err error) {
	folder, settings := in.inboxOf(job), job.Source.Inbox
	pause := min(settings.Poll, settings.Still)
	for idle := time.Duration(0); idle <= 4*settings.Still; {
		v, err := a.visitInbox(ctx, in, job, folder, time.Now())
		all.Events, all.Results, all.Code = append(all.Events, v.Events...), append(all.Results, v.Results...), graver(all.Code, v.Code)
		if err != nil && !v.Ran { // of a file that was taken, whoever runs it tells
			in.watch.failed(ctx, []string{job.Name}, err)
		}
		if err != nil || !v.Ran && v.Waiting == 0 {
			return all, err
		}
		if v.Ran {
			idle = 0
			if v.kept() {
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
	fmt.Fprintf(a.stderr, "docketsync: job %s: %s in %s not run: still being written, or cut off\n"+
		"Copy it there again, or wait: a file that looks cut off is run as it is after %s without a change (source.inbox.patience).\n",
		job.Name, report.Counted(all.Waiting, "file"), settings.Folder, settings.Patience)
	return all, nil
}
