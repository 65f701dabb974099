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
		Short: "Check the ledger for damage",
		Long: `check reads the whole ledger and compares its tables with their indexes. It changes nothing. A ledger of 1 GB takes about a
minute, also during runs.

'docketsync ledger backup' makes the same check before it copies the ledger. After a crash or a power failure, the next command
that opens the ledger makes a quick check.

Do not send with a damaged ledger. Stop docketsync, keep the ledger and its -wal and -shm files, restore the last backup, and see
'docketsync ledger accept-restore --help'.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := a.Settings()
			if err != nil {
				return err
			}
			damage, err := ledger.Damage(cmd.Context(), settings.Ledger.Reveal())
			if err != nil {
				return err
			}
			printing := a.Result(map[string]any{"ledger": settings.Ledger.String(), "damage": append([]string{}, damage...)}, func(w io.Writer) {
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
