package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/daemon"
	"docketsync/cmd/docketsync/internal/installation"
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
