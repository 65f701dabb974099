package runner

import (
	"context"
	"errors"
	"fmt"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/files"
)

// How runs one job.
type How func(context.Context, *importer.Importer, importer.Job) (ledger.Run, error)

// Send runs a job from its source to the service.
func Send(ctx context.Context, i *importer.Importer, job importer.Job) (ledger.Run, error) {
	return i.Run(ctx, job)
}

// Job runs a job and writes its reports. When it could not be run, what there is to say of it comes with the error.
func Job(ctx context.Context, in *installation.Installation, job importer.Job, with How) (Result, error) {
	shown := in.Screen.Display(job.Name)
	defer in.RunEnded()
	i := in.Importer(func(p importer.Progress) { shown.Update(p); in.Observers.Progress(p) })
	owed := oweReport(in, i)
	defer func() { _ = owed.Leave() }() // forgotten already when the report was written
	var run ledger.Run
	err := in.FetchSources(ctx, job)
	switch {
	case err == nil:
		run, err = with(ctx, i, job)
	case ctx.Err() == nil:
		run, err = i.CouldNotRun(ctx, job, err)
	}
	shown.Done()
	if err != nil && run.Phase != ledger.Stopped {
		return Result{}, err
	}
	// An interrupted run still gets its report, and so does one that could not be made.
	result, reporting := reportRun(context.WithoutCancel(ctx), in, run.ID)
	if result.Reports.HTML != "" || result.Summary != nil && report.Abandoned(result.Run) {
		reporting = errors.Join(reporting, owed.Forget())
	}
	if err == nil {
		err = reporting
	}
	return result, err
}

// reportRun writes the reports of a run that has ended.
func reportRun(ctx context.Context, in *installation.Installation, run string) (Result, error) {
	summary, err := report.Build(ctx, in.Book.Reader, run)
	if err != nil {
		return Result{}, err
	}
	if report.Abandoned(summary.Run) {
		return Result{Summary: summary}, nil
	}
	files, err := files.WriteSummary(ctx, in.Book.Reader, summary, in.Config.Reports)
	if err != nil {
		// What was sent was sent: the summary is shown, and the report can be written again.
		fmt.Fprintf(in.Screen.Err, "docketsync: %v\nWrite it again with: docketsync report %s\n", err, run)
	}
	in.CopyReports(ctx, files)
	return Result{Summary: summary, Reports: files}, nil
}

// SayFailed tells that a job could not be run, and where that stands.
func SayFailed(ctx context.Context, in *installation.Installation, job string, result Result, err error) {
	fmt.Fprintf(in.Screen.Err, "docketsync: job %s: %s\n", job, exit.Explain(err))
	if result.Reports.HTML != "" {
		fmt.Fprintf(in.Screen.Err, "  report: %s\n", result.Reports.HTML)
	}
	in.Observers.FailedRun(ctx, job, result.Summary, result.Reports, err)
}
