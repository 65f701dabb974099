package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"docketsync/importer/report"
)

func newAcceptService(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "accept-service",
		Short: "Say that the service of the ledger has moved to the configured address",
		Long: `accept-service makes the ledger be about the service at service.base_url of the configuration, from whatever it was about before.

It is for one and the same service at a new address: a new host name, another port or another base path. What the ledger
knows stays as it is and counts for the new address. If another service is there, which does not hold what was sent, then what the
ledger knows would never be sent to it: give that one a ledger of its own instead (ledger: in the configuration).

The ledger of a rehearsal cannot become that of a live service, nor the other way round.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.withLedger(cmd.Context(), a.acceptService) },
	}
}

func (a *app) acceptService(ctx context.Context, in *installation) error {
	name, known, err := in.services(ctx)
	if err != nil {
		return err
	}
	if known != "" && (report.Rehearsal(name) == "") != (report.Rehearsal(known) == "") {
		return usage("the ledger %s is about %s, and the configuration about %s: one of them is a rehearsal\n"+
			"Give each a ledger of its own (ledger: in the configuration); nothing was changed", in.config.Ledger, known, name)
	}
	if known != name {
		if err := in.book.SetService(ctx, name); err != nil {
			return err
		}
	}
	return a.result(map[string]any{"service": name, "before": known}, func(w io.Writer) {
		fmt.Fprintf(w, "%s is about %s now (before: %s).\n", in.config.Ledger, name, orElse(known, "none yet"))
	})
}
