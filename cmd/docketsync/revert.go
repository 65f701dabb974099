package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/config"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/wording"
	"docketsync/importer/revert"
)

func newRevertFile(a *app) *cobra.Command {
	var dir string
	var force bool
	cmd := &cobra.Command{
		Use:   "revert-file RUN",
		Short: "Write a source file that reverts the updates of a run",
		Long: `revert-file writes the values that the service held before a run to a new source (revert.csv) with a mapping (revert.yaml)
that sends them back. It sends nothing itself: add the job that it prints to the configuration, check it with
'docketsync plan', and run it. left.csv lists what cannot be reverted and why: records that were never sent before the run,
records changed again since, records in doubt, and values or entries that can only be removed by hand. created.csv lists what
the run created with the ids from the service, because the service cannot delete records.

Records that a later run has changed are left out unless you use --force.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: a.viewed(func(ctx context.Context, in *installation.Installation, args []string) error {
			return a.revertFile(ctx, in, args[0], dir, force)
		}),
	}
	cmd.Flags().StringVar(&dir, "dir", "", "new output `FOLDER` (default: revert-JOB-… beside the configuration)")
	cmd.Flags().BoolVar(&force, "force", false, "also revert records that a later run has changed")
	return cmd
}

func (a *app) revertFile(ctx context.Context, in *installation.Installation, prefix, dir string, force bool) error {
	run, err := in.Book.Run(ctx, prefix)
	if err != nil {
		return fmt.Errorf("%w\nList the runs with 'docketsync runs'", err)
	}
	if run.Kind != ledger.Push {
		return exit.Mistakef("%s is a %s and sent nothing", run.ID, run.Kind)
	}
	if !run.Pruned.IsZero() {
		return fmt.Errorf("run %s was pruned on %s: what it sent is no longer in the ledger, so it cannot be reverted", run.ID, moment.Day(run.Pruned))
	}
	dir = cmp.Or(dir, filepath.Join(in.Config.Dir(), revert.JobName(run)))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("the output folder must be new: %w", err)
	}
	result, err := revert.Write(ctx, revert.Order{Book: in.Book, Run: run, Dir: dir, Force: force, Switches: installation.Spelling(in.Config.Service),
		Check: func(ctx context.Context, source, mapping string) (ledger.Run, error) {
			job, err := in.Job(config.Job{Name: revert.JobName(run), Mapping: mapping,
				Source: config.Source{Files: config.Names{source}, Format: "csv", Encoding: "utf-8", Delimiter: ",", Header: 1, HeaderRows: 1}})
			if err != nil {
				return ledger.Run{}, fmt.Errorf("the mapping that was written cannot be read: %w", err)
			}
			return in.Importer(nil).Check(ctx, job)
		}})
	if err != nil {
		return err
	}
	code := exit.AllIn
	if result.Left > 0 {
		code = exit.Rejects
	}
	return exit.With(code, a.Result("revert-file/1", result, func(w io.Writer) { printRevert(w, result, run.Name, in.Config.Dir()) }))
}

// printRevert says what can be reverted. config is the folder of the configuration; the job names its files relative to
// it.
func printRevert(w io.Writer, s revert.Result, run, config string) {
	fmt.Fprintf(w, "%s of run %s can be reverted, %s cannot; %s created.\n", wording.Counted(s.SendBack, "update"), run, wording.Thousands(s.Left),
		wording.Counted(s.Created, "record was", "records were"))
	if len(s.Changed) > 0 {
		fmt.Fprintf(w, "Changed again since and left out (--force reverts them too): %s\n", strings.Join(s.Changed, ", "))
	}
	if s.Left+s.Remaining > 0 {
		fmt.Fprintf(w, "What cannot be reverted, and why: %s\n", filepath.Join(s.Dir, revert.LeftFile))
	}
	if s.Created > 0 {
		fmt.Fprintf(w, "What was created; remove it in the service by hand: %s\n", filepath.Join(s.Dir, revert.CreatedFile))
	}
	if s.SendBack == 0 {
		return
	}
	fmt.Fprintf(w, "To revert the run, add this job to the configuration and check it with 'docketsync plan %s' before you run it:\n\n", s.Job)
	fmt.Fprintf(w, "  - name: %s\n    source: {file: %q, format: csv, encoding: utf-8, delimiter: comma, header: 1, header_rows: 1}\n    mapping: %q\n",
		s.Job, pathFrom(config, filepath.Join(s.Dir, revert.SourceFile)), pathFrom(config, filepath.Join(s.Dir, revert.MappingFile)))
}

// pathFrom returns a path as a file in a folder would name it.
func pathFrom(folder, path string) string {
	base, err1 := filepath.Abs(folder)
	whole, err2 := filepath.Abs(path)
	if relative, err := filepath.Rel(base, whole); errors.Join(err, err1, err2) == nil {
		return filepath.ToSlash(relative)
	}
	return cmp.Or(whole, path)
}
