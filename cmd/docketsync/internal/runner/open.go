package runner

import (
	"context"
	"errors"

	"docketsync/cmd/docketsync/internal/installation"
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
