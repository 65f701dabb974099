package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/arrivals"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
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
