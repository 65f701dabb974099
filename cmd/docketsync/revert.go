package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer/ledger"
)

// The files of a revert.
const (
	revertSource  = "revert.csv"
	revertMapping = "revert.yaml"
	revertLeft    = "left.csv"
	revertCreated = "created.csv"
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
the run created with the ids from the service, because the service has no delete.

Records that a later run has changed are left out unless you use --force.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			in, err := a.View(cmd.Context(), false)
			if err != nil {
				return err
			}
			defer func() { err = in.End(err) }()
			return a.revertFile(cmd.Context(), in, args[0], dir, force)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "new output `FOLDER` (default: revert-JOB-… beside the configuration)")
	cmd.Flags().BoolVar(&force, "force", false, "also revert records that a later run has changed")
	return cmd
}

// revertResult is what revert-file says.
type revertResult struct {
	Run       string   `json:"run"`
	Job       string   `json:"job"` // the name for the job that sends it back
	Dir       string   `json:"dir"`
	SendBack  int      `json:"send_back"`
	Created   int      `json:"created"`
	Left      int      `json:"left"`      // records that cannot be taken back
	Remaining int      `json:"remaining"` // records of which something stays
	Changed   []string `json:"changed_since,omitempty"`
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
		return fmt.Errorf("run %s was pruned on %s: what it sent is no longer in the ledger, so it cannot be reverted", run.ID, run.Pruned.UTC().Format("2006-01-02"))
	}
	r := &reverter{in: in, run: run, force: force, unfit: map[string]bool{}}
	r.result = revertResult{Run: run.ID, Job: "revert-" + run.Job + "-" + run.ID[len(run.ID)-6:], Dir: dir}
	if r.result.Dir == "" {
		r.result.Dir = filepath.Join(in.Config.Dir(), r.result.Job)
	}
	if err := os.Mkdir(r.result.Dir, 0o700); err != nil {
		return fmt.Errorf("the output folder must be new: %w", err)
	}
	if err := r.write(ctx); err != nil {
		return err
	}
	code := exit.AllIn
	if r.result.Left > 0 {
		code = exit.Rejects
	}
	return exit.With(code, a.Result(r.result, r.print))
}

func (r *reverter) print(w io.Writer) {
	s := r.result
	fmt.Fprintf(w, "%d updates of run %s can be reverted, %d cannot; %d records were created.\n", s.SendBack, s.Run, s.Left, s.Created)
	if len(s.Changed) > 0 {
		fmt.Fprintf(w, "Changed again since and left out (--force reverts them too): %s\n", strings.Join(s.Changed, ", "))
	}
	if s.Left+s.Remaining > 0 {
		fmt.Fprintf(w, "What cannot be reverted, and why: %s\n", r.path(revertLeft))
	}
	if s.Created > 0 {
		fmt.Fprintf(w, "What was created; remove it in the service by hand: %s\n", r.path(revertCreated))
	}
	if s.SendBack == 0 {
		return
	}
	fmt.Fprintf(w, "To revert the run, add this job to the configuration and check it with 'docketsync plan %s' before you run it:\n\n", s.Job)
	fmt.Fprintf(w, "  - name: %s\n    source: {file: %q, format: csv, encoding: utf-8, delimiter: comma, header: 1, header_rows: 1}\n    mapping: %q\n",
		s.Job, r.fromConfig(revertSource), r.fromConfig(revertMapping))
}

// fromConfig is a file's path as the configuration would name it.
func (r *reverter) fromConfig(name string) string {
	base, err := filepath.Abs(r.in.Config.Dir())
	if err != nil {
		return r.path(name)
	}
	path, err := filepath.Abs(r.path(name))
	if err != nil {
		return r.path(name)
	}
	if relative, err := filepath.Rel(base, path); err == nil {
		return filepath.ToSlash(relative)
	}
	return path
}
