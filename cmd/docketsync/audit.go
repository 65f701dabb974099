package main

import (
	"bufio"
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer/ledger"
	"docketsync/importer/report/csvfile"
)

// auditLine is an entry of the trail as a line of JSON.
type auditLine struct {
	Form string `json:"form"`
	ledger.AuditEntry
}

func newAudit(a *app) *cobra.Command {
	var since string
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Export the audit trail: who did what, and when",
		Long: `audit prints the audit trail from the ledger, oldest first: every action in the console, and every decision about records in
doubt, renamed keys and guards, wherever it was taken; deletions with 'docketsync forget' too. It is CSV, or with --json one JSON object on
each line. Times are UTC. The same ledger always gives the same lines in the same order, so that a file of last month
can be compared with one of today.

A decision that was taken in the console has two lines: the action, and the decision.`,
		Args: args(cobra.NoArgs),
		RunE: a.viewed(func(ctx context.Context, in *installation.Installation, _ []string) error {
			var from time.Time
			if since != "" {
				var err error
				if from, err = time.Parse(time.DateOnly, since); err != nil {
					return exit.Mistakef("--since needs a date such as 2026-01-31")
				}
			}
			trail, err := in.Book.Trail(ctx)
			if err != nil {
				return err
			}
			out := bufio.NewWriter(a.Out)
			write, encoder := csvfile.Begin(out, "when", "who", "what", "to what", "result", "note", "from", "id"), json.NewEncoder(out)
			if a.JSON {
				out.Reset(a.Out)
			}
			for _, e := range trail {
				switch {
				case e.At.Before(from):
					continue
				case a.JSON:
					err = encoder.Encode(auditLine{"docketsync-audit/1", e})
				default:
					err = write(e.At.UTC().Format(time.RFC3339Nano), e.Who, e.Action, e.Target, e.Result, e.Note, e.Origin, e.ID)
				}
				if err != nil {
					return err
				}
			}
			return out.Flush()
		}),
	}
	cmd.Flags().StringVar(&since, "since", "", "only from this `DATE` on, such as 2026-01-31")
	return cmd
}
