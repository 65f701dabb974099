package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer/atomicfile"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/support"
)

func newBundle(a *app) *cobra.Command {
	var out, log string
	cmd := &cobra.Command{
		Use:   "bundle RUN",
		Short: "Write a support bundle of a run, without client data",
		Long: `bundle writes a zip archive about a run that you can send to whoever helps you with it. It has every reason with its position
(source, row, column letter), how fields are read, counts, timings, requests, the stop code, the settings that are numbers or
switches, versions, and a check of the ledger.

It has no client data: no cell, payload or answer, no file name or header, no id of the service, no host and no secret. If it
matters whether two texts are equal, each is replaced by a hash. The key of these hashes is random, different in every bundle, and not kept.
The archive is plain JSON: look into it before you send it.

With --log FILE it also has the lines of a log that docketsync wrote: the time, the level and the message of each, without its fields.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: a.viewed(func(ctx context.Context, in *installation.Installation, args []string) error {
			run, err := in.Book.Run(ctx, args[0])
			if err != nil {
				return fmt.Errorf("%w\nList the runs with 'docketsync runs'", err)
			}
			b := support.Bundle{Book: in.Book.Reader, Run: run.ID, Program: readVersion(), Settings: support.Settings(in.Config), Now: time.Now().UTC()}
			if b.Ledger, err = inspect(ctx, in); err != nil {
				return err
			}
			if log != "" {
				file, err := os.Open(log)
				if err != nil {
					return err
				}
				defer file.Close()
				b.Log = file
			}
			path := cmp.Or(out, "docketsync-support-"+run.ID+".zip")
			if err := atomicfile.Write(path, 0o600, func(w io.Writer) error { return b.Write(ctx, w) }); err != nil {
				return err
			}
			return a.Result("bundle/1", map[string]any{"run": run.ID, "bundle": path}, func(w io.Writer) {
				fmt.Fprintf(w, "%s: the support bundle of %s\n", path, run.Name)
			})
		}),
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "write to `FILE` (default: docketsync-support-RUN.zip)")
	cmd.Flags().StringVar(&log, "log", "", "add the lines of the log in `FILE`")
	return cmd
}

// inspect checks the ledger and describes its state.
func inspect(ctx context.Context, in *installation.Installation) (l support.Ledger, err error) {
	l.Engine, l.Version = "postgres", in.Book.SchemaVersion()
	if l.Extent, err = in.Book.Extent(ctx); err != nil || !in.Config.Ledger.IsFile() {
		l.Why = fault.ErrOnServer.Error()
		return l, err
	}
	l.Engine = "sqlite"
	damage, err := ledger.Damage(ctx, in.Config.Ledger.Reveal())
	l.Checked, l.Failed, l.Damage = err == nil, err != nil, len(damage)
	return l, nil
}
