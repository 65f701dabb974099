package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/arrivals"
	"docketsync/cmd/docketsync/internal/daemon"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
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
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.ZoneKnown(); err != nil {
				return err
			}
			if list {
				return a.viewed(a.listSchedule)(cmd, args)
			}
			return daemon.Serve(cmd.Context(), &a.Setup)
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "show what is due next and how past runs went")
	return cmd
}

func (a *app) listSchedule(ctx context.Context, in *installation.Installation, _ []string) error {
	listing, err := daemon.List(ctx, in)
	if err != nil {
		return err
	}
	return a.Result("schedule-list/1", listing, func(w io.Writer) { listing.Print(a.Screen, w) })
}

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
			in, err := runner.Open(cmd.Context(), &a.Setup, names, true)
			if err != nil {
				return err
			}
			defer func() { err = in.End(err) }()
			jobs, err := installation.InboxJobs(in.Config.Jobs, names)
			if err != nil {
				return err
			}
			events, results, code := []arrivals.Event{}, []runner.Result{}, exit.AllIn
			for n, job := range jobs {
				all, err := arrivals.Empty(cmd.Context(), in, job)
				events, results, code = append(events, all.Events...), append(results, all.Results...), exit.Graver(code, all.Code)
				if err != nil {
					fmt.Fprintf(a.Err, "docketsync: job %s: %s\n", job.Name, exit.Explain(err))
					code = exit.Graver(code, exit.Of(err))
				}
				if cmd.Context().Err() != nil {
					code = exit.Interrupted
					for _, behind := range jobs[n+1:] {
						results = append(results, runner.Result{Job: behind.Name, State: runner.NotBegun, Reason: "docketsync was interrupted in job " +
							job.Name + ". Look into its inbox again: docketsync inbox " + behind.Name})
					}
					break
				}
			}
			answer := map[string]any{"files": events, "runs": results, "exit": code}
			return exit.With(code, a.Result("inbox/1", answer, func(w io.Writer) {
				runner.Print(a.Screen, w, results)
				for _, event := range events {
					fmt.Fprintln(w, event)
				}
			}))
		},
	}
}
