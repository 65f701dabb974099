package ledger

import (
	"context"
	"errors"
	"sync"

	"docketsync/importer/ledger/fault"
)

// Lock takes the lock of a name for this process; one name, one run at a time, across processes. It does not wait: when
// another holds it, the error is a *fault.BusyError (fault.ErrBusy). The lock dies with the process, however that ends. release may
// be called more than once.
//
// Lock also ends the refusal of commits after an earlier failure: whoever takes the lock begins anew. It is fault.ErrNewer when a
// newer docketsync has opened the ledger since this one did, so that a process which stays up through an upgrade sends
// nothing more.
func (l *Ledger) Lock(ctx context.Context, name string) (release func() error, err error) {
	release, _, err = l.LockWatched(ctx, name)
	return release, err
}

// LockWatched is Lock for who holds a lock for long, across runs that take locks of their own: lost is closed when the lock is
// gone though the process is not, as with the connection to a server. It is nil where that cannot happen.
func (l *Ledger) LockWatched(ctx context.Context, name string) (release func() error, lost <-chan struct{}, err error) {
	doing := "lock " + name
	free, lost, err := l.engine.Lock(ctx, name, false)
	if err != nil {
		return nil, nil, l.wrap(doing, err)
	}
	if err := l.store.StillOurs(ctx, doing); err != nil {
		return nil, nil, errors.Join(err, free())
	}
	l.broken.Store(nil)
	lock := l.pushes.lock(name)
	released := make(chan struct{})
	if lost != nil {
		go func() {
			select {
			case <-lost:
				_ = l.stop(&fault.Error{Ledger: l.read.Label(), Doing: "hold the lock of " + name, Kind: fault.ErrUnreachable,
					Err:  errors.New("the connection that held the lock is gone"),
					Hint: "Another run may begin now, so this one stops. Start it again."})
			case <-released:
			}
		}()
	}
	return sync.OnceValue(func() error {
		close(released)
		l.pushes.release(name, lock)
		return l.wrap("release the lock of "+name, free())
	}), lost, nil
}
