package runner

import (
	"context"
	"errors"
	"fmt"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/planfile"
	"docketsync/importer/report"
)

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

// PlanStatus gives what is wrong with a plan file its exit status.
func PlanStatus(err error) error {
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
