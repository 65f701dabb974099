package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/importer/ledger/fault"
)

// openAgain is the longest pause between two tries to reach a ledger.
const openAgain = time.Minute

// openPatiently is runner.Open for a process that stays up: it waits for a ledger whose server cannot be reached, as during its
// upgrade. People are told once and then daily, which a process that is started again and again could not do: what was told is
// kept in the ledger. When ctx ends before that, both results are nil.
func openPatiently(ctx context.Context, setup *installation.Setup) (*installation.Installation, error) {
	in, err := runner.Open(ctx, setup, nil, true)
	if !errors.Is(err, fault.ErrUnreachable) {
		return in, err
	}
	fmt.Fprintf(setup.Err, "docketsync: %s\ndocketsync: retrying until the ledger can be reached\n", exit.Explain(err))
	for pause := time.Second; errors.Is(err, fault.ErrUnreachable); pause = min(2*pause, openAgain) {
		select {
		case <-ctx.Done():
			return nil, in.Close()
		case <-time.After(pause):
		}
		if err = in.OpenLedger(ctx); err != nil {
			in.Observers.Failed(ctx, in.NamesOf(nil), err)
		}
	}
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(setup.Err, "docketsync: the ledger can be reached again")
	in.Observers.Notifier.Keep(ctx, in.Book)
	runner.WriteOwed(ctx, in)
	return in, in.ObserveRuns(ctx)
}
