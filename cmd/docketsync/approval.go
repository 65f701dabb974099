package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/planfile"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
)

// runPlan carries out an approved plan, or refuses with all that has changed since.
func (a *app) runPlan(ctx context.Context, in *installation.Installation, path string) (results []runner.Result, code int, err error) {
	file, err := planfile.Open(path)
	if err != nil {
		err = planStatus(err)
		return nil, exit.Of(err), err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	job, with, err := approvedRun(ctx, in, file)
	if err != nil {
		return nil, exit.Of(err), err
	}
	return runner.Each(ctx, in, []importer.Job{job}, with)
}

// approvedRun is the job of an approved plan, and what carries it out.
func approvedRun(ctx context.Context, in *installation.Installation, file *planfile.File) (importer.Job, runner.How, error) {
	jobs, err := in.Jobs([]string{file.Head.Job}, "")
	if err != nil {
		return importer.Job{}, nil, err
	}
	job := jobs[0]
	if err := in.FetchSources(ctx, job); err != nil {
		return job, nil, err
	}
	service, err := in.Config.Service.Address()
	if err != nil {
		return job, nil, err
	}
	if err := file.SameIngredients(job, service, in.Config.Service.WasCalled); err != nil {
		return job, nil, planStatus(err)
	}
	return job, func(ctx context.Context, i *importer.Importer, job importer.Job) (ledger.Run, error) {
		return i.RunApproved(ctx, job, file.Seal, func(ctx context.Context, run ledger.Run) error {
			return planStatus(file.Compare(ctx, in.Book.Reader, run, job.AsksLedger()))
		})
	}, nil
}

// planStatus gives what is wrong with a plan file its exit status.
func planStatus(err error) error {
	var broken *planfile.FormError
	var changed *planfile.ChangedError
	switch {
	case errors.As(err, &broken):
		return exit.As(exit.Usage, err)
	case errors.As(err, &changed):
		return exit.As(exit.Stopped, err)
	}
	return err
}

// planOut makes the plan of one job and writes it to a file to be approved.
func (a *app) planOut(ctx context.Context, in *installation.Installation, names []string, path string) error {
	if len(names) != 1 {
		return exit.Mistakef("--out needs the name of one job: what one job sends changes the plan of the next")
	}
	jobs, err := in.Jobs(names, "")
	if err != nil {
		return err
	}
	if err := in.FetchSources(ctx, jobs[0]); err != nil {
		return err
	}
	shown := a.Display(jobs[0].Name)
	run, err := in.Importer(shown.Update).Plan(ctx, jobs[0])
	shown.Done()
	if err != nil {
		return fmt.Errorf("job %s: %w", jobs[0].Name, err)
	}
	summary, err := report.Build(context.WithoutCancel(ctx), in.Book.Reader, run.ID)
	if err != nil {
		return err
	}
	code := runner.StatusOf(summary)
	if code == exit.Interrupted {
		return exit.With(code, nil)
	}
	seal, err := writePlan(ctx, in, path, jobs[0], summary)
	if err != nil {
		return err
	}
	result := map[string]any{"summary": summary, "plan": path, "seal": seal, "to_be_sent": summary.Count(outcome.Planned).Records}
	err = a.Result(result, func(w io.Writer) {
		a.PrintSummary(w, summary)
		fmt.Fprintf(w, "  plan: %s (%d records to be sent), sealed %s\n  to send exactly this: docketsync run --plan %s\n",
			path, summary.Count(outcome.Planned).Records, seal[:12], path)
	})
	return exit.With(code, err)
}

// writePlan writes the plan of a run to a new file and returns its seal.
func writePlan(ctx context.Context, in *installation.Installation, path string, job importer.Job, s *report.Summary) (seal string, err error) {
	service, err := in.Config.Service.Address()
	if err != nil {
		return "", err
	}
	return planfile.Write(ctx, in.Book.Reader, path, job, s, service, readVersion().Version)
}
