package ledger

import (
	"context"
	"errors"
	"sync"
	"time"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/postgres"
	"docketsync/importer/ledger/store"
)

// Lock takes the lock of a name for this process: one name, one run at a time, across processes. It does not wait: if
// another process holds the lock, the error is a *fault.BusyError (fault.ErrBusy). The lock dies with the process,
// however that ends. release may be called more than once.
//
// Lock also ends the refusal of commits after an earlier failure, because a process that takes the lock starts afresh.
// It returns fault.ErrNewer if a newer docketsync has opened the ledger since this one did, so a process that stays up
// through an upgrade sends nothing more.
func (l *Ledger) Lock(ctx context.Context, name string) (release func() error, err error) {
	release, _, err = l.lockHow(ctx, name, store.TryLock)
	return release, err
}

// LockWatched is Lock for a lock that is held for long, across runs that take locks of their own. lost is closed if the
// lock is gone although the process is not, for example because the connection to the server broke and another process
// took the lock first. lost is nil if that cannot happen.
func (l *Ledger) LockWatched(ctx context.Context, name string) (release func() error, lost <-chan struct{}, err error) {
	return l.lockHow(ctx, name, store.KeepLock)
}

func (l *Ledger) lockHow(ctx context.Context, name string, how store.Locking) (release func() error, lost <-chan struct{}, err error) {
	doing := "lock " + name
	free, lost, err := l.h.Engine.Lock(ctx, name, how)
	if err != nil {
		return nil, nil, l.h.Wrap(doing, err)
	}
	l.pushes.lapseScope(name)
	if err := l.w.Store.StillOurs(ctx, doing); err != nil {
		return nil, nil, errors.Join(err, free())
	}
	l.locked.broken.Store(nil)
	lock := l.pushes.lock(name)
	return sync.OnceValue(func() error {
		l.pushes.release(name, lock)
		return l.h.Wrap("release the lock of "+name, free())
	}), lost, nil
}

// firstLook and lastLook are the first and the longest wait between checks whether the database is back.
const (
	firstLook = 50 * time.Millisecond
	lastLook  = time.Second
)

// Outlast lets a push survive a database server that is away for up to outage: because it restarts, the network is cut,
// or it is read-only. Meanwhile nothing that needs an intent begins, because none can be committed. What is safe to
// repeat is sent as long as the last commit proves that the run is this process's, which is seconds (see package push).
// Outcomes are kept, and committed when the server is back, this process holds again the locks that they rely on, and
// the ledger has everything that it acknowledged. If another process has taken such a lock or the run meanwhile, or
// commits are missing, nothing more is sent. Outlast must be called before the ledger is used, and has no effect on
// SQLite.
func (l *Ledger) Outlast(outage time.Duration) {
	l.outage = outage
	l.h.Engine.Outlast(outage, l.pushes.lapseScope)
}

// Evict lets Lock take a lock from a process that was silent for so long, although its connection stands: one that is
// frozen, or on a machine that is cut off. That process finds out when it is back. Evict also makes the server end this
// process's open transactions if it stands still, so that they do not block others. It has no effect on SQLite.
func (l *Ledger) Evict(ctx context.Context, silent time.Duration) error {
	e, ok := l.h.Engine.(*postgres.Engine)
	if !ok {
		return nil
	}
	e.Evict(silent)
	return l.h.Wrap("prepare to be one of several nodes", l.do(ctx, false, func(tx *transaction) error { return tx.Run(postgres.LetGo) }))
}

// patiently tries until it succeeds, fails for another reason than an unreachable database, or the outage lasts too
// long.
func (l *Ledger) patiently(ctx context.Context, try func() error) error {
	err := try()
	if !l.pushes.any() {
		return err
	}
	return l.outlast(ctx, err, try)
}

// Back waits, if err means that the database is away, until it can be written again, for as long as Outlast says. It
// returns false if err means something else, or the outage lasts too long. It is for callers outside a push, who begin
// anew.
func (l *Ledger) Back(ctx context.Context, err error) bool {
	return l.away(err) && l.outlast(ctx, err, func() error { return l.Writable(ctx) }) == nil
}

// outlast tries until it succeeds, after a first try that ended with err.
func (l *Ledger) outlast(ctx context.Context, err error, try func() error) error {
	if l.outage == 0 || !l.away(err) {
		return err
	}
	end := time.Now().Add(l.outage)
	for wait := firstLook; ; wait = min(2*wait, lastLook) {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		case <-l.w.Store.Closing():
			return err
		}
		if err = try(); !l.away(err) || time.Now().After(end) {
			return err
		}
	}
}

// away reports whether an error means that the database cannot be reached at the moment, or cannot be written, as while
// it moves to another server.
func (l *Ledger) away(err error) bool {
	return err != nil && l.h.Engine.Dialect().Remote && (postgres.WritesNothing(err) || errors.Is(l.h.Wrap("reach the database", err), fault.ErrUnreachable))
}
