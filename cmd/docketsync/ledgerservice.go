package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer/report/wording"
)

func newAcceptService(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "accept-service",
		Short: "Confirm that the service has moved to the configured address",
		Long: `accept-service binds the ledger to the service at service.base_url in the configuration, instead of its previous address.

Use it when the same service has a new address: a new host name, another port or another base path. Everything the ledger knows
is kept and applies to the new address. Do not use it for a different service: docketsync would never send there what the
ledger says was already sent. Give a different service its own ledger (ledger: in the configuration).

A ledger of a rehearsal cannot become the ledger of a live service, or the reverse.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.withLedger(cmd.Context(), a.acceptService) },
	}
}

func (a *app) acceptService(ctx context.Context, in *installation.Installation) error {
	name, known, err := in.Services(ctx)
	if err != nil {
		return err
	}
	if known != "" && (wording.Rehearsal(name) == "") != (wording.Rehearsal(known) == "") {
		return exit.Mistakef("the ledger %s belongs to %s, and the configuration names %s: one of them is a rehearsal\n"+
			"Nothing was changed. Give each its own ledger (ledger: in the configuration)", in.Config.Ledger, known, name)
	}
	if known != name {
		if err := in.Book.SetService(ctx, name); err != nil {
			return err
		}
	}
	return a.Result(map[string]any{"service": name, "before": known}, func(w io.Writer) {
		fmt.Fprintf(w, "%s now belongs to %s (before: %s).\n", in.Config.Ledger, name, cmp.Or(known, "none yet"))
	})
}
