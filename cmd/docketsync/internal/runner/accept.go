package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/inbox"
	"docketsync/importer/ledger"
	"docketsync/importer/planfile"
	"docketsync/importer/report"
	"docketsync/importer/stop"
)

// admission is a file of an inbox that the guards stopped, and that somebody accepts.
type admission struct {
	folder *inbox.Folder
	path   string // "" if it is no longer among the rejected
	run    ledger.Run
}

// ChooseAccepted returns the settings of the jobs whose guards somebody accepts. A job with an inbox reads the file
// that its guards stopped, from the folder of rejected files. run is the run that was looked at, "" for the next one.
func ChooseAccepted(ctx context.Context, in *installation.Installation, names []string, run string) (jobs []config.Job, admitted map[string]admission, err error) {
	chosen, err := installation.ChooseJobs(in.Config.Jobs, names)
	if err != nil {
		return nil, nil, err
	}
	admitted = map[string]admission{}
	for _, job := range chosen {
		if job.Source.Inbox != nil {
			stopped, err := stoppedFiles(ctx, in, job)
			if err != nil {
				return nil, nil, err
			}
			next := stopped[0]
			if next.folder.Changes && run != "" && next.run.ID != run {
				return nil, nil, exit.Mistakef("%s, which run %s stopped, is older: let it through first, or remove it from %s", filepath.Base(next.path), next.run.Name, job.Source.Inbox.Rejected)
			}
			admitted[job.Name] = next
			job.Source.Files = config.Names{next.path}
		}
		jobs = append(jobs, job)
	}
	return jobs, admitted, nil
}

// stoppedFiles are the files that the guards of a job stopped, in the order in which they may be accepted: only the
// newest export, or all files of changes, the oldest first. A file older than one that has gone in is left out, because
// it would bring older values back.
func stoppedFiles(ctx context.Context, in *installation.Installation, job config.Job) (stopped []admission, err error) {
	folder := in.Inbox(job)
	runs, err := in.Book.Runs(ctx, ledger.RunFilter{Job: job.Name, Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Stopped, ledger.Finished}, Exports: !folder.Changes})
	if err != nil {
		return nil, err
	}
	rejected, err := folder.RejectedFiles()
	if err != nil {
		return nil, err
	}
	why := exit.Mistakef("no file of the job %q was stopped by a guard and is in %s", job.Name, job.Source.Inbox.Rejected)
	first := map[string]time.Time{} // when a content was first stopped: if it is accepted later, it counts as that old
	for _, run := range slices.Backward(runs) {
		if len(run.Sources) == 0 || folder.Changes && !folder.Took(run.Sources[0].File) {
			continue
		}
		content := run.Sources[0].SHA256
		if run.Phase == ledger.Finished {
			at := run.Started
			if since, ok := first[content]; ok {
				at = since
			}
			stopped = slices.DeleteFunc(stopped, func(s admission) bool {
				of := s.run.Sources[0]
				older := first[of.SHA256].Before(at)
				if older {
					why = exit.Mistakef("%s was stopped by run %s, and run %s has sent a later file since: letting it through would take newer values back\n"+
						"If its values are to be sent all the same, put it into the inbox %s again", filepath.Base(of.File), s.run.Name, run.Name, folder.Path)
				}
				return older || of.SHA256 == content
			})
			continue
		}
		if run.StopCode != stop.Guard || run.Fingerprint == "" {
			continue
		}
		if _, ok := first[content]; !ok {
			first[content] = run.Started
		}
		stopped = slices.DeleteFunc(stopped, func(s admission) bool { return !folder.Changes || s.run.Sources[0].SHA256 == content })
		stopped = append(stopped, admission{folder, rejected[content], run})
	}
	there := slices.DeleteFunc(slices.Clone(stopped), func(s admission) bool { return s.path == "" })
	if len(there) == 0 && len(stopped) > 0 {
		why = exit.Mistakef("%s, which the guards of job %q stopped, is no longer in %s\nPut it into the inbox %s again; if it is stopped again, accept it with --accept-guard",
			filepath.Base(stopped[0].run.Sources[0].File), job.Name, job.Source.Inbox.Rejected, job.Source.Inbox.Folder)
	}
	if len(there) == 0 {
		return nil, why
	}
	return there, nil
}

// Admit archives files that were accepted and run. A file of changes is kept if something of it is left to send.
func Admit(ctx context.Context, in *installation.Installation, results []Result, admitted map[string]admission) {
	for _, result := range results {
		if result.Summary == nil {
			continue
		}
		file, ok := admitted[result.Run.Job]
		if !ok || result.Run.Phase != ledger.Finished {
			continue
		}
		if open, err := in.Open(ctx, result.Run); file.folder.Changes && (open > 0 || err != nil) {
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

// Accepted is Jobs for jobs whose guards somebody accepts.
func Accepted(ctx context.Context, in *installation.Installation, names []string) (results []Result, code int, err error) {
	chosen, admitted, err := ChooseAccepted(ctx, in, names, "")
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

// Accept runs a job past the guards that stopped it, in somebody's name; stopped is the run that was looked at, "" for
// the newest.
func Accept(who, stopped string) how {
	return func(ctx context.Context, i *importer.Importer, job importer.Job) (ledger.Run, error) {
		return i.RunAccepting(ctx, job, who, stopped)
	}
}

// WritePlan writes the plan of a run to a new file and returns its seal.
func WritePlan(ctx context.Context, in *installation.Installation, path string, job importer.Job, s *report.Summary) (seal string, err error) {
	service, err := in.Config.Service.Address()
	if err != nil {
		return "", err
	}
	account, err := in.Account()
	if err != nil {
		return "", err
	}
	return planfile.Write(ctx, in.Book.Reader, path, job, s, service, account, in.Version)
}

// Approved sends exactly the approved plan of a job, or nothing; the error says what has changed since.
func Approved(ctx context.Context, in *installation.Installation, file *planfile.File, job importer.Job) (how, error) {
	if file.Head.Job != job.Name {
		return nil, fmt.Errorf("the plan is one of the job %s", file.Head.Job)
	}
	if err := in.FetchSources(ctx, job); err != nil {
		return nil, err
	}
	service, err := in.Config.Service.Address()
	if err != nil {
		return nil, err
	}
	if in.Config.Rehearses() {
		service = file.Head.Service // a plan for the service is rehearsed before it is carried out there
	}
	other, err := in.OtherThanPlanned(file.Head.Account)
	if err != nil {
		return nil, err
	}
	if err := file.SameIngredients(job, service, in.Config.Service.WasCalled, other); err != nil {
		return nil, PlanStatus(err)
	}
	return func(ctx context.Context, i *importer.Importer, job importer.Job) (ledger.Run, error) {
		return i.RunApproved(ctx, job, file.Seal, func(ctx context.Context, run ledger.Run) error {
			return PlanStatus(file.Compare(ctx, in.Book.Reader, run, job.AsksLedger()))
		})
	}, nil
}

// PlanStatus gives the error of a plan file its exit status.
func PlanStatus(err error) error {
	if _, broken := errors.AsType[*planfile.FormError](err); broken {
		return exit.As(exit.Usage, err)
	}
	if _, changed := errors.AsType[*planfile.ChangedError](err); changed {
		return exit.As(exit.Stopped, err)
	}
	return err
}
