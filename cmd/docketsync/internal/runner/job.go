// Package runner runs jobs of an installation, in the same way for commands, the schedule and the console: it prepares
// them, runs one after the other, shows their progress, writes and copies their reports, and tells the observers how
// each ended.
//
// Every job that was asked for has a result, in order: a run with its summary and reports, or the reason why there is
// none. A bad file or a guard says nothing about later jobs, so they are run; a lost sign-in or a service that is down
// stops all. A job that takes ids from one that did not run to its end is not begun: an id that is not there yet would
// be a reject that nobody has to correct.
//
// From the beginning of a run, a file beside the reports says that its report is owed, so if the process is killed, the
// next start writes the report. The importer decides what reports need and what can stop a run; this package only
// carries it out. It imports installation, terminal and exit.
package runner

import (
	"context"
	"errors"
	"fmt"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/cluster"
	"docketsync/importer/ledger"
	"docketsync/importer/push"
	"docketsync/importer/report"
	"docketsync/importer/report/wording"
)

// how runs one job.
type how func(context.Context, *importer.Importer, importer.Job) (ledger.Run, error)

// Send runs a job from its source to the service.
func Send(ctx context.Context, i *importer.Importer, job importer.Job) (ledger.Run, error) {
	return i.Run(ctx, job)
}

// Job runs a job and writes its reports. If the job could not be run, the result says with the error what there is to
// say.
func Job(ctx context.Context, in *installation.Installation, job importer.Job, with how) (Result, error) {
	shown := in.Screen.Display(job.Name)
	defer in.RunEnded()
	if in.Share == nil && in.Book.Server() != nil {
		in.Share = func(ctx context.Context, run ledger.Run, tell func(map[ledger.State]int)) (push.End, error) {
			guest := cluster.Node{Ledger: in.Book, Log: in.Log, Open: Slices(in), Shard: in.Shard}
			return guest.Guest(ctx, run, in.Requests(), tell)
		}
		defer func() { in.Share = nil }()
	}
	i := in.Importer(func(p importer.Progress) { shown.Update(p); in.Observers.Progress(p) })
	if in.Confirm != nil {
		i.Confirm = func(ctx context.Context, run ledger.Run) error {
			shown.Done() // the question appears below what was read
			defer func() { shown = in.Screen.Display(job.Name) }()
			return confirm(ctx, in, run)
		}
	}
	owed := oweReport(in, i)
	defer func() { _ = owed.Leave() }() // does nothing if the report was written
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
	// An interrupted run still gets its report, and so does a run that could not be made.
	result, reporting := reportRun(context.WithoutCancel(ctx), in, run.ID)
	if result.Reports.HTML != "" || result.Summary != nil && report.Abandoned(result.Run) {
		reporting = errors.Join(reporting, owed.Forget())
	}
	if err == nil {
		err = reporting
	}
	return result, err
}

// Slices returns what sends runs of other processes from here, by the settings of an installation.
func Slices(in *installation.Installation) func(context.Context, ledger.Run) (cluster.Opened, error) {
	return func(ctx context.Context, _ ledger.Run) (cluster.Opened, error) {
		own := in.ForRun()
		pusher, err := own.Pusher(ctx)
		if err != nil {
			return cluster.Opened{}, errors.Join(err, own.Close())
		}
		return cluster.Opened{Pusher: pusher, Settings: own.Requests(), Close: own.Close}, nil
	}
}

// confirm asks whether what a run is about to send may go to the service. It does not ask if there is nothing to send,
// or about a sandbox in this process.
func confirm(ctx context.Context, in *installation.Installation, run ledger.Run) error {
	address, err := in.Config.Service.Address()
	if err != nil || address == config.InProcess {
		return err
	}
	counts, err := in.Book.Tally(ctx, run.ID)
	if err != nil {
		return err
	}
	creates, updates := 0, 0
	for _, c := range counts {
		switch {
		case c.State != ledger.Planned:
		case c.Action == ledger.Create:
			creates += c.N
		default:
			updates += c.N
		}
	}
	if creates+updates == 0 {
		return nil
	}
	what := wording.ToSend(creates, updates)
	if in.First > 0 && in.First < creates+updates {
		what = fmt.Sprintf("the first %s of %s", wording.Thousands(in.First), what)
	}
	yes, err := in.Confirm(ctx, fmt.Sprintf("%s: send %s to %s?", run.Job, what, wording.Host(address)))
	if err == nil && !yes {
		err = errors.New("you did not confirm it, so nothing was sent")
	}
	return err
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
	files, err := in.WriteReport(ctx, summary, in.Config.Reports)
	result := Result{Summary: summary, Reports: files}
	if err != nil {
		// What was sent stays sent: the summary is shown, and the report can be written again.
		result.ReportError = err.Error()
		fmt.Fprintf(in.Screen.Err, "docketsync: %v\nWrite it again with: docketsync report %s\n", err, run)
	}
	in.CopyReports(ctx, files)
	return result, nil
}

// SayFailed says that a job could not be run, and where to read about it.
func SayFailed(ctx context.Context, in *installation.Installation, job string, result Result, err error) {
	fmt.Fprintf(in.Screen.Err, "docketsync: job %s: %s\n", job, exit.Explain(err))
	if result.Reports.HTML != "" {
		fmt.Fprintf(in.Screen.Err, "  report: %s\n", result.Reports.HTML)
	}
	in.Observers.FailedRun(ctx, job, result.Summary, result.Reports, err)
}
