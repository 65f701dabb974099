package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docketsync/importer/ledger"
)

// openAgain is the longest pause between two tries to reach a ledger.
const openAgain = time.Minute

// openPatiently is openWatched for a process that stays up: it waits for a ledger whose server cannot be reached, as during its
// upgrade. People are told once and then daily, which a process that is started again and again could not do: what was told is
// kept in the ledger. When ctx ends before that, both results are nil.
func (a *app) openPatiently(ctx context.Context) (*installation, error) {
	in, err := a.openWatched(ctx, nil, true)
	if !errors.Is(err, ledger.ErrUnreachable) {
		return in, err
	}
	fmt.Fprintf(a.stderr, "docketsync: %s\ndocketsync: it is tried again until the ledger can be reached\n", explain(err))
	for pause := time.Second; errors.Is(err, ledger.ErrUnreachable); pause = min(2*pause, openAgain) {
		select {
		case <-ctx.Done():
			return nil, in.close()
		case <-time.After(pause):
		}
		if err = in.openLedger(ctx); err != nil {
			in.watch.failed(ctx, in.namesOf(nil), err)
		}
	}
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(a.stderr, "docketsync: the ledger can be reached again")
	in.watch.notifier.Keep(ctx, in.book)
	a.writeOwed(ctx, in)
	return in, in.startWatch(ctx)
}
