package runner

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/inbox"
	"docketsync/importer/ledger"
	"docketsync/importer/stop"
)

// admission is a file of an inbox that the guards stopped, and that somebody lets through.
type admission struct {
	folder *inbox.Folder
	path   string
}

// ChooseAccepted finds the settings of the jobs whose guards somebody has looked at. A job with an inbox reads the file that its
// guards stopped, where it lies among the rejected.
func ChooseAccepted(ctx context.Context, in *installation.Installation, names []string) (jobs []config.Job, admitted map[string]admission, err error) {
	chosen, err := installation.ChooseJobs(in.Config.Jobs, names)
	if err != nil {
		return nil, nil, err
	}
	admitted = map[string]admission{}
	for _, job := range chosen {
		if job.Source.Inbox != nil {
			path, err := stoppedFile(ctx, in, job)
			if err != nil {
				return nil, nil, err
			}
			admitted[job.Name] = admission{in.Inbox(job), path}
			job.Source.Files = config.Names{path}
		}
		jobs = append(jobs, job)
	}
	return jobs, admitted, nil
}

// stoppedFile is where the file lies that the guards of a job stopped last.
func stoppedFile(ctx context.Context, in *installation.Installation, job config.Job) (string, error) {
	folder := in.Inbox(job)
	runs, err := in.Book.Runs(ctx, ledger.RunFilter{Job: job.Name, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Stopped}, Exports: !folder.Changes})
	if err != nil {
		return "", err
	}
	for _, run := range runs {
		if run.StopCode != stop.Guard || run.Fingerprint == "" || len(run.Sources) == 0 || folder.Changes && !folder.Took(run.Sources[0].File) {
			continue
		}
		name := filepath.Base(run.Sources[0].File)
		path, err := folder.RejectedFile(run.Sources[0].SHA256)
		if err == nil && path == "" {
			err = exit.Mistakef("%s, which the guards of job %q stopped, is no longer in %s\nPut it into the inbox %s again; if it is stopped again, accept it with --accept-guard",
				name, job.Name, job.Source.Inbox.Rejected, job.Source.Inbox.Folder)
		}
		if err == nil {
			err = newest(ctx, in, run, folder)
		}
		return path, err
	}
	return "", exit.Mistakef("no file of the job %q was stopped by a guard", job.Name)
}

// newest makes sure that no file of the inbox has gone in since a run was stopped: the older one would take newer values back.
func newest(ctx context.Context, in *installation.Installation, stopped ledger.Run, folder *inbox.Folder) error {
	runs, err := in.Book.Runs(ctx, ledger.RunFilter{Job: stopped.Job, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Finished}, Exports: !folder.Changes})
	for _, run := range runs {
		if run.Started.After(stopped.Started) && len(run.Sources) > 0 && (!folder.Changes || folder.Took(run.Sources[0].File)) {
			return exit.Mistakef("%s was stopped by run %s, and run %s has sent a later file since: letting it through would take newer values back\n"+
				"If its values are to be sent all the same, put it into the inbox %s again", filepath.Base(stopped.Sources[0].File), stopped.Name, run.Name, folder.Path)
		}
	}
	return err
}

// Admit archives what was let through and run. A file of changes of which something is left is to be run again.
func Admit(ctx context.Context, in *installation.Installation, results []Result, admitted map[string]admission) {
	for _, result := range results {
		if result.Summary == nil {
			continue
		}
		file, ok := admitted[result.Run.Job]
		if !ok || result.Run.Phase != ledger.Finished {
			continue
		}
		if open, err := in.Open(ctx, result.Run, true); file.folder.Changes && (open > 0 || err != nil) {
			fmt.Fprintf(in.Screen.Err, "docketsync: job %s: not all of %s is in; to run the rest, move it into the inbox %s\n", result.Run.Job, file.path, file.folder.Path)
			continue
		}
		path, err := file.folder.ArchiveRejected(file.path, result.Run.ID, time.Now())
		if err != nil {
			fmt.Fprintf(in.Screen.Err, "docketsync: job %s: the file was run but could not be archived: %v\n", result.Run.Job, err)
			continue
		}
		fmt.Fprintf(in.Screen.Err, "docketsync: job %s: %s is archived as %s\n", result.Run.Job, filepath.Base(file.path), path)
	}
}

// Accepted is Jobs for somebody who lets jobs through the guards that stopped them.
func Accepted(ctx context.Context, in *installation.Installation, names []string) (results []Result, code int, err error) {
	chosen, admitted, err := ChooseAccepted(ctx, in, names)
	if err != nil {
		return nil, exit.Of(err), err
	}
	jobs, err := in.JobsOf(chosen, false)
	if err != nil {
		in.Observers.Failed(ctx, in.NamesOf(names), err)
		return NoneRan(in.NamesOf(names), err), exit.Of(err), err
	}
	results, code, err = Each(ctx, in, jobs, Accept(cmp.Or(terminal.User(), "somebody"), ""))
	Admit(ctx, in, results, admitted)
	return results, code, err
}

// Accept lets a job through the guards that stopped it, in somebody's name; stopped is the run that was looked at, "" for the
// newest.
func Accept(who, stopped string) how {
	return func(ctx context.Context, i *importer.Importer, job importer.Job) (ledger.Run, error) {
		return i.RunAccepting(ctx, job, who, stopped)
	}
}
