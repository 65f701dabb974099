package main

import (
	"bufio"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/importer/ledger"
	"docketsync/importer/report/csvfile"
)

// audited records in the audit what somebody does on the command line; target is "" for the whole ledger.
func audited(ctx context.Context, in *installation.Installation, action, target, note string) error {
	return in.Book.AddAuditEntry(ctx, ledger.AuditEntry{At: time.Now(), Who: terminal.User(), Origin: "command line", Action: action, Target: target, Result: "done", Note: note})
}

// given lists the options that somebody gave to a command, in words for the audit.
func given(cmd *cobra.Command) string {
	var list []string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Changed && f.Value.Type() == "bool":
			list = append(list, "--"+f.Name)
		case f.Changed:
			list = append(list, "--"+f.Name+" "+f.Value.String())
		}
	})
	return strings.Join(list, " ")
}

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
		Long: `audit prints the audit trail from the ledger, oldest first: every action in the console; every decision about records in
doubt, renamed keys and guards, wherever it was taken; and, on the command line, every 'run', 'forget', and 'ledger' command that is
prune, adopt, accept-restore or accept-service. It prints CSV, or with --json one JSON object on each line. Times are UTC. The same
ledger always gives the same lines in the same order, so that last month's file can be compared with today's.

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
