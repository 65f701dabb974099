package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
)

// app is what all commands share: the global flags and the environment, where output goes, and from these the installation.
type app struct{ installation.Setup }

func newApp(stdout, stderr io.Writer) *app {
	return &app{installation.Setup{Screen: &terminal.Screen{Out: stdout, Err: stderr}, Env: os.LookupEnv, Version: readVersion().Version}}
}

// args checks the number of arguments, and answers a mistake with the exit status for usage.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return exit.Mistakef("%v\nUsage: %s", err, cmd.UseLine())
		}
		return nil
	}
}

// withLedger opens the installation for a command that changes the ledger.
func (a *app) withLedger(ctx context.Context, do func(context.Context, *installation.Installation) error) (err error) {
	in, err := a.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = in.End(err) }()
	return do(ctx, in)
}
