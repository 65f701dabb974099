package main

import (
	"context"
	"fmt"
	"strings"

	"docketsync/importer"
	"docketsync/importer/stop"
)

// runState is what became of a job that was asked for and was not run.
type runState string

const (
	notBegun    runState = "not_begun"     // another job kept it from being begun
	couldNotRun runState = "could_not_run" // its source, its mapping or the machine did
)

// words are a state's words for people.
func (s runState) words() string {
	if s == notBegun {
		return "not begun"
	}
	return "could not run"
}

// runEach runs jobs that are ready, one after the other, until one is stopped. Each job has a result, in their order.
func (a *app) runEach(ctx context.Context, in *installation, jobs []importer.Job, run runWith) (results []runResult, code int, err error) {
	if err := in.makeReady(ctx, jobs); err != nil {
		var names []string
		for _, job := range jobs {
			names = append(names, job.Name)
		}
		in.watch.failed(ctx, names, err)
		return noneRan(names, err), classify(err), err
	}
	stalled := map[string]string{} // the job that kept a scope from being brought up to date
	for n, job := range jobs {
		if cause := waitsFor(job, stalled); cause != "" {
			stalled[job.Mapping.Scope()] = job.Name
			results = append(results, in.keepBack(ctx, jobs[n:n+1], cause, "it takes ids from job "+cause+", which did not run to its end")...)
			continue
		}
		result, ended, err := a.runAndTell(ctx, in, job, run)
		results, code = append(results, result), graver(code, ended)
		if why := stopsAll(ctx, result, err); why != "" {
			return append(results, in.keepBack(ctx, jobs[n+1:], job.Name, why)...), code, nil
		}
		if err != nil || ended == exitStopped {
			stalled[job.Mapping.Scope()] = job.Name
		}
	}
	return results, code, nil
}

// runAndTell runs a job and tells people how it came out. code is the exit status that it stands for.
func (a *app) runAndTell(ctx context.Context, in *installation, job importer.Job, run runWith) (result runResult, code int, err error) {
	in.watch.began(ctx, job.Name)
	if result, err = a.runJob(ctx, in, job, run); err != nil {
		result.Job, result.State, result.Reason = job.Name, couldNotRun, explain(err)
		a.sayFailed(ctx, in, job.Name, result, err)
		return result, exitOf(err), err
	}
	in.watch.ended(ctx, result)
	return result, runStatus(result.Summary), nil
}

// stopsAll says why no job behind this one is begun, "" when they are: a bad file or a bad export says nothing of the others.
func stopsAll(ctx context.Context, result runResult, err error) string {
	switch {
	case err != nil && ctx.Err() == nil:
		return ""
	case err != nil:
		return "docketsync was interrupted in job " + result.Job
	case result.Run.StopCode == stop.Guard:
		return ""
	}
	switch runStatus(result.Summary) {
	case exitInterrupted:
		return "docketsync was interrupted in job " + result.Run.Job
	case exitStopped:
		return "job " + result.Run.Job + " was stopped: " + strings.ReplaceAll(result.Run.Stop, "\n", " ")
	}
	return ""
}

// keepBack tells that jobs are not begun. What has to be run for them to be begun is the job that is the cause, and then they.
func (in *installation) keepBack(ctx context.Context, jobs []importer.Job, cause, why string) (results []runResult) {
	command := "docketsync run " + cause
	for _, job := range jobs {
		command += " " + job.Name
		reason := strings.TrimRight(why, ".") + ". Run it again: " + command
		in.watch.failed(ctx, []string{job.Name}, fmt.Errorf("job %s was not begun: %s", job.Name, reason))
		results = append(results, runResult{Job: job.Name, State: notBegun, Reason: reason})
	}
	return results
}

// noneRan are the results of jobs all of which were kept from running by one error.
func noneRan(names []string, err error) (results []runResult) {
	for _, name := range names {
		results = append(results, runResult{Job: name, State: couldNotRun, Reason: explain(err)})
	}
	return results
}

// waitsFor names the job that has to run before this one can be trusted to find the ids it asks the ledger for, "" for
// none: an id that is not there yet would be a reject that nobody has to correct.
func waitsFor(job importer.Job, stalled map[string]string) string {
	for _, spec := range job.Mapping.Lookups() {
		if cause := stalled[spec.Ledger]; spec.Ledger != "" && cause != "" {
			return cause
		}
	}
	return ""
}
