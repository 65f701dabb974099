package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"docketsync/config"
	"docketsync/importer/inbox"
	"docketsync/importer/ledger"
	"docketsync/importer/stop"
)

// admission is a file of an inbox that the guards stopped, and that somebody lets through.
type admission struct {
	folder *inbox.Folder
	path   string
}

// chooseAccepted finds the settings of the jobs whose guards somebody has looked at. A job with an inbox reads the file that its
// guards stopped, where it lies among the rejected.
func (in *installation) chooseAccepted(ctx context.Context, names []string) (jobs []config.Job, admitted map[string]admission, err error) {
	chosen, err := chooseJobs(in.config.Jobs, names)
	if err != nil {
		return nil, nil, err
	}
	admitted = map[string]admission{}
	for _, job := range chosen {
		if job.Source.Inbox != nil {
			path, err := in.stoppedFile(ctx, job)
			if err != nil {
				return nil, nil, err
			}
			admitted[job.Name] = admission{in.inboxOf(job), path}
			job.Source.Files, job.Source.Inbox = config.Files{path}, nil
		}
		jobs = append(jobs, job)
	}
	return jobs, admitted, nil
}

// stoppedFile is where the file lies that the guards of a job stopped last.
func (in *installation) stoppedFile(ctx context.Context, job config.Job) (string, error) {
	runs, err := in.book.Runs(ctx, ledger.RunFilter{Job: job.Name, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Stopped}, Exports: true})
	if err != nil {
		return "", err
	}
	for _, run := range runs {
		if run.StopCode != stop.Guard || len(run.Sources) == 0 {
			continue
		}
		name := filepath.Base(run.Sources[0].File)
		path, err := in.inboxOf(job).RejectedFile(run.Sources[0].SHA256)
		if err == nil && path == "" {
			err = usage("%s, which the guards of job %q stopped, is no longer in %s\nPut it into the inbox %s again; when it is stopped once more, let it through",
				name, job.Name, job.Source.Inbox.Rejected, job.Source.Inbox.Folder)
		}
		return path, err
	}
	return "", usage("no file of the job %q was stopped by its guards", job.Name)
}

// admit archives what was let through and run.
func (a *app) admit(results []runResult, admitted map[string]admission) {
	for _, result := range results {
		if result.Summary == nil {
			continue
		}
		file, ok := admitted[result.Run.Job]
		if !ok || result.Run.Phase != ledger.Finished {
			continue
		}
		path, err := file.folder.ArchiveRejected(file.path, result.Run.ID, time.Now())
		if err != nil {
			fmt.Fprintf(a.stderr, "docketsync: job %s: the file was run, and could not be archived: %v\n", result.Run.Job, err)
			continue
		}
		fmt.Fprintf(a.stderr, "docketsync: job %s: %s is archived as %s\n", result.Run.Job, filepath.Base(file.path), path)
	}
}
