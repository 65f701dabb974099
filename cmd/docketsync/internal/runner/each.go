package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer"
	"docketsync/importer/stop"
)

// Jobs runs jobs one after the other until one is stopped, each with run (Send or Accept). code is the gravest status
// of all.
func Jobs(ctx context.Context, in *installation.Installation, names []string, file string, run how) (results []Result, code int, err error) {
	jobs, err := in.Jobs(names, file)
	if err != nil {
		in.Observers.Failed(ctx, in.NamesOf(names), err)
		return NoneRan(in.NamesOf(names), err), exit.Of(err), err
	}
	return Each(ctx, in, jobs, run)
}

// Each runs prepared jobs one after the other until one is stopped. Every job has a result, in order.
func Each(ctx context.Context, in *installation.Installation, jobs []importer.Job, run how) (results []Result, code int, err error) {
	if err := in.MakeReady(ctx, jobs); err != nil {
		var names []string
		for _, job := range jobs {
			names = append(names, job.Name)
		}
		in.Observers.Failed(ctx, names, err)
		return NoneRan(names, err), exit.Of(err), err
	}
	stalled := map[string]string{} // by scope: the job that kept it from being brought up to date
	var unsent []string            // jobs that could not be run, were stopped or not begun
	for n, job := range jobs {
		cause, why := waitsFor(job, stalled), "it takes ids from job %s, which did not finish"
		if at := slices.IndexFunc(unsent, func(name string) bool {
			return slices.ContainsFunc(job.After, func(before importer.Predecessor) bool { return before.Name == name })
		}); at >= 0 {
			cause, why = unsent[at], "it comes after job %s, which did not finish"
		}
		if cause != "" {
			stalled[job.Mapping.Scope()], unsent = job.Name, append(unsent, job.Name)
			results = append(results, keepBack(ctx, in, jobs[n:n+1], cause, fmt.Sprintf(why, cause))...)
			continue
		}
		result, ended, err := runAndTell(ctx, in, job, run)
		results, code = append(results, result), exit.Graver(code, ended)
		if result.ReportError != "" {
			code = exit.Graver(code, exit.CouldNotRun)
		}
		if why := stopsAll(ctx, result, err); why != "" {
			return append(results, keepBack(ctx, in, jobs[n+1:], job.Name, why)...), code, nil
		}
		if err != nil || ended == exit.Stopped {
			stalled[job.Mapping.Scope()], unsent = job.Name, append(unsent, job.Name)
		}
	}
	return results, code, nil
}

// runAndTell runs a job and tells people how it ended. code is its exit status.
func runAndTell(ctx context.Context, in *installation.Installation, job importer.Job, run how) (result Result, code int, err error) {
	in.Observers.Began(ctx, job.Name)
	if result, err = Job(ctx, in, job, run); err != nil {
		result.Job, result.State, result.Reason = job.Name, CouldNotRun, exit.Explain(err)
		SayFailed(ctx, in, job.Name, result, err)
		return result, exit.Of(err), err
	}
	in.Observers.Ended(ctx, result.Summary, result.Reports)
	return result, StatusOf(result.Summary), nil
}

// stopsAll says why no later job is begun, "" if they are: a bad file or a bad export says nothing about the others.
func stopsAll(ctx context.Context, result Result, err error) string {
	switch {
	case err != nil && ctx.Err() == nil:
		return ""
	case err != nil:
		return "docketsync was interrupted in job " + result.Job
	case result.Run.StopCode == stop.Guard:
		return ""
	}
	switch StatusOf(result.Summary) {
	case exit.Interrupted:
		return "docketsync was interrupted in job " + result.Run.Job
	case exit.Stopped:
		return "job " + result.Run.Job + " was stopped: " + strings.ReplaceAll(result.Run.Stop, "\n", " ")
	}
	return ""
}

// keepBack reports jobs that are not begun. To run them, the job that is the cause must be run first.
func keepBack(ctx context.Context, in *installation.Installation, jobs []importer.Job, cause, why string) (results []Result) {
	command := "docketsync run " + cause
	for _, job := range jobs {
		command += " " + job.Name
		reason := strings.TrimRight(why, ".") + ". Run it again: " + command
		in.Observers.Failed(ctx, []string{job.Name}, fmt.Errorf("job %s was not started: %s", job.Name, reason))
		results = append(results, Result{Job: job.Name, State: NotBegun, Reason: reason})
	}
	return results
}

// NoneRan returns the results of jobs that one error kept from running.
func NoneRan(names []string, err error) (results []Result) {
	for _, name := range names {
		results = append(results, Result{Job: name, State: CouldNotRun, Reason: exit.Explain(err)})
	}
	return results
}

// waitsFor names the job that must run before this one can rely on the ids it takes from the ledger, "" for none: an id
// that is not there yet would be a reject that nobody has to correct.
func waitsFor(job importer.Job, stalled map[string]string) string {
	for _, spec := range job.Mapping.Lookups() {
		if cause := stalled[spec.Ledger]; spec.Ledger != "" && cause != "" {
			return cause
		}
	}
	return ""
}
