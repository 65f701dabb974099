package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/stop"
)

// runResult is what run says about one job. One that was not begun has no run: Summary is nil. One that could not be run
// has one when the ledger keeps that it was tried.
type runResult struct {
	*report.Summary
	Reports report.Files `json:"reports,omitzero"`

	Job    string   `json:"job,omitempty"` // this and what follows only for a job that was not run
	State  runState `json:"state,omitempty"`
	Reason string   `json:"reason,omitempty"`
}

func newRun(a *app) *cobra.Command {
	var file, plan string
	var accept, retryRefused bool
	cmd := &cobra.Command{
		Use:   "run [JOB…]",
		Short: "Send what is new or changed, and write the report",
		Long: `run runs the named jobs, or all jobs of the configuration in order. Each job reads and maps its whole source before anything
is sent. An interrupted run is resumed. A source without rows is not an error: nothing is sent.

If a job cannot run, for example because its file is missing, later jobs that take ids from it (lookups: {…: {ledger: …}}) are
skipped and the others run. If a job is stopped because the sign-in was lost or the service is down, all later jobs are
skipped. Every job you asked for is reported: with --json, "runs" has an entry for each; one without a run has a state,
not_begun or could_not_run, and the reason.

An export that differs too much from the last one (guards: in the configuration) stops its job with status 5 before anything
is sent. Check the report and the export. With --accept-guard the named jobs may pass the guards that stopped them, for that
export only: if the export has changed since, or other guards fire, the job is stopped again. The ledger records who accepted
it and when. For a job with an inbox, this means the file that was stopped last, in the folder of rejected files; it is
archived after the run.

Records that the service refused are not sent again unchanged until retry.refused has passed; --retry-refused sends them now.
A corrected row goes out with the next run.

With --rehearse everything goes to a sandbox in this process instead of the service. It accepts any id that a record refers to,
unless sandbox.directory says which exist. A rehearsal has its own ledger and reports (docketsync.rehearsal.db,
reports.rehearsal), and its output begins with "Rehearsal". Delete them to start afresh.

With --file a job reads that file instead of its source, with the same mapping, for example a corrected rejects.xlsx.

With --plan, a plan written by 'docketsync plan JOB --out FILE' is carried out exactly as approved, or refused with what has
changed since.`,
		RunE: func(cmd *cobra.Command, names []string) (err error) {
			in, err := a.openWatched(cmd.Context(), names, file == "" && plan == "")
			if err != nil && (in == nil || plan != "") {
				return err
			}
			if err != nil {
				return a.answerRuns(noneRan(in.namesOf(names), err), 0, err)
			}
			defer func() { err = closing(in, err) }()
			if retryRefused {
				in.config.Retry.Refused = 0
			}
			if plan != "" && (len(names) > 0 || file != "") {
				return usage("--plan stands alone: the plan says which job it is of, and what it read")
			}
			if accept && (len(names) == 0 || file != "" || plan != "") {
				return usage("--accept-guard goes with the names of the jobs whose guards you have looked at, and with neither --file nor --plan")
			}
			var results []runResult
			var code int
			switch {
			case plan != "":
				results, code, err = a.runPlan(cmd.Context(), in, plan)
			case accept:
				results, code, err = a.runAccepted(cmd.Context(), in, names)
			default:
				results, code, err = a.runJobs(cmd.Context(), in, names, file)
			}
			return a.answerRuns(results, code, err)
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "read `FILE` instead of the job's source")
	cmd.Flags().StringVar(&plan, "plan", "", "carry out exactly the plan in `FILE`")
	cmd.Flags().BoolVar(&accept, "accept-guard", false, "accept the export that guards stopped, for the named jobs")
	retryRefusedFlag(cmd, &retryRefused)
	return cmd
}

// retryRefusedFlag is the flag of those who do not want to wait until retry.refused is over.
func retryRefusedFlag(cmd *cobra.Command, set *bool) {
	cmd.Flags().BoolVar(set, "retry-refused", false, "send unchanged records that the service refused again now")
}

// openWatched opens the installation and lets whoever is to know of runs be told of them, also when it cannot be opened. A run
// of a file or a plan that a person names says nothing about how the job fares, and nobody is told.
func (a *app) openWatched(ctx context.Context, names []string, watched bool) (*installation, error) {
	in, err := a.open(ctx)
	if watched {
		return a.watched(ctx, in, err, names)
	}
	if err == nil {
		a.writeOwed(ctx, in)
	}
	return in, err
}

// watched lets whoever is to know of runs be told of those of an installation, and that it could not be opened.
func (a *app) watched(ctx context.Context, in *installation, err error, names []string) (*installation, error) {
	if err == nil && in.book.View() == nil {
		a.writeOwed(ctx, in)
	}
	if in == nil {
		return nil, err
	}
	if watching := in.startWatch(ctx); err == nil && watching != nil {
		return in, errors.Join(watching, in.close())
	}
	in.watch.failed(ctx, in.namesOf(names), err)
	return in, err
}

// answerRuns writes what became of the jobs. An error kept all of them from running, and is told once: only the JSON form has
// it for each job.
func (a *app) answerRuns(results []runResult, code int, err error) error {
	if err != nil {
		code = exitOf(err)
	}
	printing := a.result(map[string]any{"runs": results, "exit": code}, func(w io.Writer) {
		if err == nil {
			a.printResults(w, results)
		}
	})
	if err == nil {
		err = printing
	}
	return exitWith(code, err)
}

// exitWith is the error that ends a command with a status: none for 0, the cause's own status when it has one.
func exitWith(code int, err error) error {
	if err != nil {
		return err
	}
	if code == exitAllIn {
		return nil
	}
	return exitStatus{code: code}
}

// runJobs runs jobs one after the other until one is stopped. code is the gravest status of all.
func (a *app) runJobs(ctx context.Context, in *installation, names []string, file string) (results []runResult, code int, err error) {
	jobs, err := in.jobs(names, file)
	if err != nil {
		in.watch.failed(ctx, in.namesOf(names), err)
		return noneRan(in.namesOf(names), err), classify(err), err
	}
	return a.runEach(ctx, in, jobs, sendRun)
}

// sendRun runs a job from its source to the service.
func sendRun(ctx context.Context, i *importer.Importer, job importer.Job) (ledger.Run, error) {
	return i.Run(ctx, job)
}

// runAccepted is runJobs for somebody who lets jobs through the guards that stopped them.
func (a *app) runAccepted(ctx context.Context, in *installation, names []string) (results []runResult, code int, err error) {
	chosen, admitted, err := in.chooseAccepted(ctx, names)
	if err != nil {
		return nil, classify(err), err
	}
	jobs, err := in.jobsOf(chosen, false)
	if err != nil {
		in.watch.failed(ctx, in.namesOf(names), err)
		return noneRan(in.namesOf(names), err), classify(err), err
	}
	results, code, err = a.runEach(ctx, in, jobs, acceptRun(orElse(machineUser(), "somebody"), ""))
	a.admit(results, admitted)
	return results, code, err
}

// acceptRun lets a job through the guards that stopped it, in somebody's name; stopped is the run that was looked at, "" for the
// newest.
func acceptRun(who, stopped string) runWith {
	return func(ctx context.Context, i *importer.Importer, job importer.Job) (ledger.Run, error) {
		return i.RunAccepting(ctx, job, who, stopped)
	}
}

// runWith runs one job.
type runWith func(context.Context, *importer.Importer, importer.Job) (ledger.Run, error)

// makeReady makes sure that jobs can be run: that the service may be sent to, that it gives the lists they need, and that
// reports can be written.
func (in *installation) makeReady(ctx context.Context, jobs []importer.Job) error {
	if err := in.connect(ctx, jobs); err != nil {
		return err
	}
	if err := in.fetchLists(ctx, jobs); err != nil {
		return err
	}
	return in.proveReports()
}

// runJob runs a job and writes its reports. When it could not be run, what there is to say of it comes with the error.
func (a *app) runJob(ctx context.Context, in *installation, job importer.Job, with runWith) (runResult, error) {
	shown := a.display(job.Name)
	defer in.run.clear()
	i := in.importer(func(p importer.Progress) { shown.update(p); in.watch.progress(p) })
	owed := in.oweReport(i)
	defer func() { _ = owed.Leave() }() // forgotten already when the report was written
	var run ledger.Run
	err := a.fetchSources(ctx, in, job)
	switch {
	case err == nil:
		run, err = with(ctx, i, job)
	case ctx.Err() == nil:
		run, err = i.CouldNotRun(ctx, job, err)
	}
	shown.done()
	if err != nil && run.Phase != ledger.Stopped {
		return runResult{}, err
	}
	// An interrupted run still gets its report, and so does one that could not be made.
	result, reporting := a.reportRun(context.WithoutCancel(ctx), in, run.ID)
	if result.Reports.HTML != "" {
		reporting = errors.Join(reporting, owed.Forget())
	}
	if err == nil {
		err = reporting
	}
	return result, err
}

// reportRun writes the reports of a run that has ended.
func (a *app) reportRun(ctx context.Context, in *installation, run string) (runResult, error) {
	summary, err := report.Build(ctx, in.book, run)
	if err != nil {
		return runResult{}, err
	}
	files, err := summary.Write(ctx, in.book, in.config.Reports)
	if err != nil {
		// What was sent was sent: the summary is shown, and the report can be written again.
		fmt.Fprintf(a.stderr, "docketsync: %v\nWrite it again with: docketsync report %s\n", err, run)
	}
	a.copyReports(ctx, in, files)
	return runResult{Summary: summary, Reports: files}, nil
}

// sayFailed tells that a job could not be run, and where that stands.
func (a *app) sayFailed(ctx context.Context, in *installation, job string, result runResult, err error) {
	fmt.Fprintf(a.stderr, "docketsync: job %s: %s\n", job, explain(err))
	if result.Reports.HTML != "" {
		fmt.Fprintf(a.stderr, "  report: %s\n", result.Reports.HTML)
	}
	in.watch.failedRun(ctx, job, result, err)
}

// runStatus is the exit status that one run stands for.
func runStatus(s *report.Summary) int {
	switch {
	case s.Run.StopCode == stop.Interrupted:
		return exitInterrupted
	case s.Run.Phase == ledger.Stopped:
		return exitStopped
	case s.Count(report.InDoubt).Records > 0:
		return exitInDoubt
	case s.Count(report.Rejected).Records+s.Count(report.Failed).Records > 0, s.Differs != nil:
		return exitRejects
	}
	return exitAllIn
}

// graver is the status that matters more: what stopped the run before what is in doubt before what was rejected.
func graver(a, b int) int {
	order := []int{exitAllIn, exitRejects, exitInDoubt, exitStopped, exitUsage, exitCouldNotRun, exitInterrupted}
	rank := map[int]int{}
	for n, status := range order {
		rank[status] = n
	}
	if rank[b] > rank[a] {
		return b
	}
	return a
}
