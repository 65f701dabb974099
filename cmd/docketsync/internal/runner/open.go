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

// Open opens an installation whose jobs are to be run, and writes the reports that killed processes still owe. observed has
// whoever is to know of runs told of them, also that the installation cannot be opened; names are the jobs that are meant, none
// for all. A run of a file or a plan that a person names says nothing about how the job fares, so nobody observes it.
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

// Observe has whoever is to know of runs told of those of an installation, and of err, with which it could not be opened. It
// returns err, or closes the installation when nobody can be told.
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

// oweReport has a run's report owed from the run's beginning, so that a kill leaves it to the next start. The report owed is
// that of the importer's next run, nil until that has begun.
func oweReport(in *installation.Installation, i *importer.Importer) *owedReport {
	o, began := &owedReport{}, i.Began
	i.Began = func(run ledger.Run) {
		began(run)
		if run.Kind != ledger.Push {
			return // a plan or a check is made again
		}
		var err error
		if o.Owed, err = files.Owe(in.Config.Reports, run.ID); err != nil {
			in.Log.Info("if this process is killed, this run will have no report", zap.Error(err))
		}
	}
	return o
}

type owedReport struct{ *files.Owed }

// WriteOwed writes the reports that processes which were killed have left to be written. That one cannot be written keeps
// nobody from running jobs.
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
		return owed.Leave() // it is another ledger's
	case err != nil:
		return errors.Join(owed.Leave(), err)
	case run.Phase == ledger.Reading:
		return owed.Forget() // nothing was sent, and it is never resumed
	case run.Phase != ledger.Finished && run.Phase != ledger.Stopped:
		return owed.Leave() // whoever goes on with it owes its report
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
