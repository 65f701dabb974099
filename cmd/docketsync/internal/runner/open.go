package runner

import (
	"context"
	"errors"
	"fmt"

	"go.uber.org/zap"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/files"
)

// Open opens an installation to run its jobs, and writes the reports that killed processes still owe. If observed is
// set, observers are told of runs, and also if the installation cannot be opened. names are the jobs to run, empty for
// all. A run of a file or a plan that a person names says nothing about the state of the job, so it is not observed.
func Open(ctx context.Context, setup *installation.Setup, names []string, observed bool) (*installation.Installation, error) {
	in, err := setup.Open(ctx)
	if observed {
		return in, Observe(ctx, in, err, names)
	}
	if err == nil {
		WriteOwed(ctx, in)
	}
	return in, err
}

// Observe connects the observers with the runs of an installation. err is the error of opening it: the observers are
// told. Observe returns err, or closes the installation if there is no way to tell people.
func Observe(ctx context.Context, in *installation.Installation, err error, names []string) error {
	if in == nil {
		return err
	}
	if err == nil && in.Book.View() == nil {
		WriteOwed(ctx, in)
	}
	if observing := in.ObserveRuns(ctx); err == nil && observing != nil {
		return errors.Join(observing, in.Close())
	}
	in.Observers.Failed(ctx, in.NamesOf(names), err)
	return err
}

// oweReport records, from the run's beginning, that a report is owed, so that after a kill the next start writes it. It
// is for the importer's next run; the owed report is nil until that has begun.
func oweReport(in *installation.Installation, i *importer.Importer) *owedReport {
	o, began := &owedReport{}, i.Began
	i.Began = func(run ledger.Run) {
		began(run)
		if run.Kind != ledger.Push {
			return // a plan or a check can simply be repeated
		}
		err := o.Forget() // that of a plan that is made again, because the ledger was away
		if err == nil {
			o.Owed, err = files.Owe(in.Config.Reports, run.ID)
		}
		if err != nil {
			in.Log.Info("if this process is killed, this run will have no report", zap.Error(err))
		}
	}
	return o
}

type owedReport struct{ *files.Owed }

// WriteOwed writes the reports that killed processes still owe. Failing to write one keeps nobody from running jobs.
func WriteOwed(ctx context.Context, in *installation.Installation) {
	orphans, err := files.Orphans(in.Config.Reports)
	if err != nil {
		in.Log.Info("not all reports that a killed process left unwritten could be found", zap.Error(err))
	}
	for _, owed := range orphans {
		if err := writeOrphan(ctx, in, owed); err != nil {
			fmt.Fprintf(in.Screen.Err, "docketsync: %s\nWrite it again with: docketsync report %s\n", exit.Explain(err), owed.Run)
		}
	}
}

func writeOrphan(ctx context.Context, in *installation.Installation, owed *files.Owed) (err error) {
	run, err := in.Book.Run(ctx, owed.Run)
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		return owed.Leave() // it belongs to another ledger
	case err != nil:
		return errors.Join(owed.Leave(), err)
	case run.Phase == ledger.Reading:
		return owed.Forget() // nothing was sent, and it is never resumed
	case run.Phase != ledger.Finished && run.Phase != ledger.Stopped:
		return owed.Leave() // whoever resumes it owes its report
	}
	_, files, err := owed.Write(ctx, in.Book.Reader)
	var pruned *report.PrunedError
	switch {
	case errors.As(err, &pruned):
		return owed.Forget()
	case err != nil:
		return errors.Join(err, owed.Leave())
	}
	fmt.Fprintf(in.Screen.Err, "docketsync: the report of %s was missing and has now been written: %s\n", run.Name, files.HTML)
	in.CopyReports(ctx, files)
	return owed.Forget()
}
