package installation

import (
	"context"
	"fmt"
	"strings"
	"time"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
)

// RestoredError says that a ledger is older than what was sent.
type RestoredError struct{ said string }

func (e *RestoredError) Error() string {
	return e.said + "\nNothing is sent until this is resolved: see 'docketsync ledger accept-restore --help' for how to find out what is missing"
}

// NotRestored makes sure that the ledger knows everything that was sent, as far as that can be told.
func (in *Installation) NotRestored(ctx context.Context) error {
	taken, err := in.Book.BackupTaken(ctx)
	if err != nil {
		return err
	}
	outrun, err := in.Book.Outrun(ctx)
	if err != nil {
		return err
	}
	moved, err := in.Book.Moved(ctx)
	if err != nil {
		return err
	}
	return Restored(in.Config.Ledger.String(), taken, outrun, moved)
}

// WarnRestored says what a plan is worth that is made where NotRestored fails, and a run would send nothing.
func (in *Installation) WarnRestored(ctx context.Context) {
	if err := in.NotRestored(ctx); err != nil {
		fmt.Fprintf(in.Screen.Err, "Warning: %v\n", err)
	}
}

// Restored is a *RestoredError when something tells that a ledger is an older copy.
func Restored(name string, taken time.Time, outrun *ledger.HighWaterMark, moved bool) error {
	const again = "Anything sent since then is not in it and would be sent again"
	switch {
	case !taken.IsZero():
		return &RestoredError{fmt.Sprintf("the ledger %s is a backup that was taken on %s. %s", name, moment.Of(taken), again)}
	case outrun != nil && outrun.Has < outrun.Commits && outrun.Has > 0:
		return &RestoredError{fmt.Sprintf("the ledger %s is older than what run %s of job %s sent: it has %d of the %d intents and outcomes that were committed. %s",
			name, outrun.Run, outrun.Job, outrun.Has, outrun.Commits, again)}
	case outrun != nil && outrun.Ended:
		return &RestoredError{fmt.Sprintf("the ledger %s is older than run %s of job %s, which ended on %s, or it is a new ledger in place of another. %s",
			name, outrun.Run, outrun.Job, moment.Of(outrun.At), again)}
	case outrun != nil:
		return &RestoredError{fmt.Sprintf("the ledger %s is older than run %s of job %s, which started to send on %s, or it is a new ledger in place of another. %s",
			name, outrun.Run, outrun.Job, moment.Of(outrun.At), again)}
	case moved:
		return &RestoredError{fmt.Sprintf("the ledger %s is on a different server or in a different database from the one it last sent from, and may lack what was sent there last: "+
			"a standby took over that commits did not wait for, this is a copy such as one that was loaded from a dump, or the server was upgraded with pg_upgrade. What is missing would be sent again", name)}
	}
	return nil
}

// NoLaggingStandby refuses a ledger whose server has standbys that not every commit waits for, unless the configuration accepts them.
func (in *Installation) NoLaggingStandby(ctx context.Context) error {
	if in.Config.LedgerServer.LaggingStandby == "accept" {
		return nil
	}
	names, err := in.Book.LaggingStandbys(ctx)
	if err != nil || len(names) == 0 {
		return err
	}
	return exit.As(exit.Usage, fmt.Errorf("the server of the ledger %s has standbys that not every commit waits for: %s\n"+
		"One that takes over may lack what was sent last, and it would be sent a second time; nothing was sent\n"+
		"Have commits wait for all of them (synchronous_standby_names on the server), or write ledger_server: {lagging_standby: accept} if none of them ever takes over",
		in.Config.Ledger, strings.Join(names, ", ")))
}
