package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"docketsync/importer/report"
)

func newCheck(a *app) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "check [JOB…]",
		Short: "Read and map everything, send nothing, need no network",
		Long: `check reads every row of the named jobs (all of the configuration when none is named), maps it, and says what would keep
rows from going in. It sends nothing and needs no network: lists of the service are used as they were fetched last. The same
reports are written as after a run.`,
		RunE: func(cmd *cobra.Command, names []string) (err error) {
			in, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			defer func() { err = closing(in, err) }()
			results, code, err := a.checkJobs(cmd.Context(), in, names, file)
			if printing := a.result(map[string]any{"checks": results, "exit": code}, func(w io.Writer) { a.printResults(w, results) }); err == nil {
				err = printing
			}
			return exitWith(code, err)
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "read this `FILE` instead of the job's source")
	return cmd
}

// checkJobs checks all jobs, also those behind one that cannot be read: whoever asks wants to know all that is wrong.
func (a *app) checkJobs(ctx context.Context, in *installation, names []string, file string) (results []runResult, code int, err error) {
	jobs, err := in.jobs(names, file)
	if err != nil {
		return nil, classify(err), err
	}
	var failure error
	for _, job := range jobs {
		shown := a.display(job.Name)
		run, err := in.importer(shown.update).Check(ctx, job)
		shown.done()
		if err != nil {
			fmt.Fprintf(a.stderr, "docketsync: job %s: %s\n", job.Name, explain(err))
			failure = exitStatus{code: classify(err)}
			continue
		}
		summary, err := report.Build(context.WithoutCancel(ctx), in.book, run.ID)
		if err != nil {
			return results, code, err
		}
		files, err := summary.Write(ctx, in.book, in.config.Reports)
		if err != nil && ctx.Err() == nil {
			return results, code, err
		}
		results = append(results, runResult{summary, files})
		if code = graver(code, runStatus(summary)); code == exitInterrupted {
			return results, code, nil
		}
	}
	return results, code, failure
}
