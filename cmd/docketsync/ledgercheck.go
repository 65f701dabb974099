package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"docketsync/importer/ledger"
)

func newLedgerCheck(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Look for damage in the ledger",
		Long: `check reads the whole ledger and compares its tables with their indexes. It changes nothing. A ledger of a gigabyte takes a minute
or so; runs may go on meanwhile.

'docketsync ledger backup' does the same before it copies the ledger. A ledger that was not closed cleanly, as after a crash or a
loss of power, is looked through quickly by the next command that opens it.

A damaged ledger must not be used to send. To go on: stop docketsync, keep the ledger and the files -wal and -shm beside it
as they are, put the last backup in their place, and see 'docketsync ledger accept-restore --help'.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := a.settings()
			if err != nil {
				return err
			}
			damage, err := ledger.Damage(cmd.Context(), settings.Ledger.Reveal())
			if err != nil {
				return err
			}
			printing := a.result(map[string]any{"ledger": settings.Ledger.String(), "damage": append([]string{}, damage...)}, func(w io.Writer) {
				if len(damage) == 0 {
					fmt.Fprintf(w, "%s: no damage found\n", settings.Ledger)
				}
				for _, found := range damage {
					fmt.Fprintf(w, "%s: %s\n", settings.Ledger, found)
				}
			})
			if len(damage) > 0 {
				return errors.Join(printing, fmt.Errorf("the ledger %s is damaged\n"+
					"Keep it as it is, put the last backup in its place, and see 'docketsync ledger accept-restore --help'", settings.Ledger))
			}
			return printing
		},
	}
}
