package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/samples"
)

func newDemo(a *app) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run a sample firm from end to end against a local test server",
		Long: `demo writes the sample firm to a folder, runs its jobs over HTTP against a sandbox in this process, and shows where the reports
are. The exports contain the errors that real exports contain, so some rows are rejected. Run it again: nothing is sent
twice.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), dir) },
	}
	cmd.Flags().StringVar(&dir, "dir", "docketsync-demo", "the `FOLDER` for the sample firm")
	return cmd
}

func (a *app) demo(ctx context.Context, dir string) (err error) {
	if err := unpackSamples(dir); err != nil {
		return err
	}
	// The demo is about this process's own sandbox, whatever the environment says of a service.
	demo := *a
	demo.ConfigFile = filepath.Join(dir, "docketsync.yaml")
	demo.Env = func(string) (string, bool) { return "", false }
	in, err := demo.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = in.End(err) }()
	results, code, err := runner.Jobs(ctx, in, nil, "")
	if err != nil {
		return err
	}
	// Rejected rows are what the demo has to show; only a run that did not end is a failure of it.
	if code == exit.Rejects {
		code = exit.AllIn
	}
	err = demo.Result(map[string]any{"folder": dir, "runs": results, "exit": code}, func(w io.Writer) {
		runner.Print(demo.Screen, w, results)
		fmt.Fprintf(w, "The sample firm is in %s: its exports, mappings and configuration, and the ledger.\n", dir)
		if len(results) > 0 && results[0].Reports.HTML != "" {
			fmt.Fprintf(w, "Open %s in a browser.\nRun the demo again: nothing is sent twice.\n", results[0].Reports.HTML)
		}
	})
	return exit.With(code, err)
}

// unpackSamples writes the sample firm's files that are not there yet, so that what someone changed in them stays.
func unpackSamples(dir string) error {
	return fs.WalkDir(samples.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if entry.IsDir() {
			return os.MkdirAll(path, 0o755)
		}
		if _, err := os.Stat(path); err == nil {
			return nil
		}
		text, err := fs.ReadFile(samples.Files, name)
		if err != nil {
			return err
		}
		return os.WriteFile(path, text, 0o644)
	})
}
