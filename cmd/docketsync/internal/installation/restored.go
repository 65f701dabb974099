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

// Signs are what may tell that a ledger is older than what was sent.
type Signs struct {
	BackupTaken time.Time             `json:"backup_taken,omitzero"` // it is a backup of that time that nobody has accepted
	Outrun      *ledger.HighWaterMark `json:"outrun_by,omitempty"`   // the run that it should know and does not
	Moved       bool                  `json:"moved,omitempty"`       // it is on another server, which may lack what was sent
}

// Signs asks the ledger. The others are known where the error is ledger.ErrServerUnknown.
func (in *Installation) Signs(ctx context.Context) (s Signs, err error) {
	if s.BackupTaken, err = in.Book.BackupTaken(ctx); err == nil {
		s.Outrun, err = in.Book.Outrun(ctx)
	}
	if err == nil {
		s.Moved, err = in.Book.Moved(ctx)
	}
	return s, err
}

// NotRestored makes sure that the ledger knows everything that was sent, as far as that can be told.
func (in *Installation) NotRestored(ctx context.Context) error {
	signs, err := in.Signs(ctx)
	if err != nil {
		return err
	}
	return signs.Restored(in.Config.Ledger.String())
}

// Restored is a *RestoredError when something tells that a ledger is an older copy.
func (s Signs) Restored(name string) error {
	const again = "Anything sent since then is not in it and would be sent again"
	outrun := s.Outrun
	switch {
	case !s.BackupTaken.IsZero():
		return &RestoredError{fmt.Sprintf("the ledger %s is a backup that was taken on %s. %s", name, moment.Of(s.BackupTaken), again)}
	case outrun != nil && outrun.Has < outrun.Commits && outrun.Has > 0:
		return &RestoredError{fmt.Sprintf("the ledger %s is older than what run %s of job %s sent: it has %d of the %d intents and outcomes that were committed. %s",
			name, outrun.Run, outrun.Job, outrun.Has, outrun.Commits, again)}
	case outrun != nil:
		did := "started to send"
		if outrun.Ended {
			did = "ended"
		}
		return &RestoredError{fmt.Sprintf("the ledger %s is older than run %s of job %s, which %s on %s, or it is a new ledger in place of another. %s",
			name, outrun.Run, outrun.Job, did, moment.Of(outrun.At), again)}
	case s.Moved:
		return &RestoredError{fmt.Sprintf("the ledger %s is on a different server from the one it last sent from, and may lack what was sent there last: "+
			"a standby took over that commits did not wait for, this is a copy, or the server was upgraded with pg_upgrade. What is missing would be sent again", name)}
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
