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

// work is what a command does with an installation.
type work = func(ctx context.Context, in *installation.Installation, args []string) error

// opened is a command that opens the installation, and the ledger to be written.
func (a *app) opened(do work) func(*cobra.Command, []string) error {
	return with(a.Open, do)
}

// viewed is a command that only reads, which works also where the disk of the ledger is full or read-only.
func (a *app) viewed(do work) func(*cobra.Command, []string) error {
	return with(func(ctx context.Context) (*installation.Installation, error) { return a.View(ctx, false) }, do)
}

// planned is a command that makes plans, which a ledger that cannot be written may lose.
func (a *app) planned(do work) func(*cobra.Command, []string) error {
	return with(func(ctx context.Context) (*installation.Installation, error) { return a.View(ctx, true) }, do)
}

func with(open func(context.Context) (*installation.Installation, error), do work) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		in, err := open(cmd.Context())
		if err != nil {
			return err
		}
		defer func() { err = in.End(err) }()
		return do(cmd.Context(), in, args)
	}
}
