package ledger

import (
	"context"
	"errors"
	"time"

	"docketsync/importer/ledger/fault"
)

// firstLook and lastLook are how soon it is tried again whether the database is back, and how seldom at last.
const (
	firstLook = 50 * time.Millisecond
	lastLook  = time.Second
)

// Outlast lets a push outlast a database server that is away for up to so long, because it is restarted or the network is cut.
// Nothing new is begun meanwhile, since no intent can be committed; the outcomes in hand are kept, and committed when the server is
// back, this process holds its locks again, and the ledger has all that it acknowledged. When another process has taken a lock
// or the run meanwhile, or commits are missing, nothing more is sent. It must be called before the ledger is used, and says
// nothing to SQLite.
func (l *Ledger) Outlast(outage time.Duration) {
	l.outage = outage
	l.engine.Outlast(outage)
}

// patiently tries until it succeeds, or fails for another reason than that the database is away, or that lasts too long.
func (l *Ledger) patiently(ctx context.Context, try func() error) error {
	err := try()
	if l.outage == 0 || !l.away(err) || !l.pushes.any() {
		return err
	}
	end := time.Now().Add(l.outage)
	for wait := firstLook; ; wait = min(2*wait, lastLook) {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		case <-l.store.Closing():
			return err
		}
		if err = l.engine.Hold(context.WithoutCancel(ctx)); err == nil {
			err = try()
		}
		if !l.away(err) || time.Now().After(end) {
			return err
		}
	}
}

// away tells whether an error means that the database cannot be reached at the moment.
func (l *Ledger) away(err error) bool {
	return err != nil && l.engine.Remote() && errors.Is(l.wrap("reach the database", err), fault.ErrUnreachable)
}
