package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// Lock takes the lock of a name for this process; one name, one run at a time, across processes. It does not wait: when
// another holds it, the error is a *BusyError (ErrBusy). The lock dies with the process, however that ends. release may
// be called more than once.
//
// Lock also ends the refusal of commits after an earlier failure: whoever takes the lock begins anew. It is ErrNewer when a
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
	free, lost, err := l.engine.lock(ctx, name, false)
	if err != nil {
		return nil, nil, l.wrap(doing, err)
	}
	if err := l.stillOurs(ctx, doing); err != nil {
		return nil, nil, errors.Join(err, free())
	}
	l.broken.Store(nil)
	lock := l.writer.pushes.lock(name)
	released := make(chan struct{})
	if lost != nil {
		go func() {
			select {
			case <-lost:
				_ = l.stop(&Error{Ledger: l.engine.label(), Doing: "hold the lock of " + name, Kind: ErrUnreachable,
					Err:  errors.New("the connection that held the lock is gone"),
					Hint: "Another run may begin now, so this one stops. Start it again."})
			case <-released:
			}
		}()
	}
	return sync.OnceValue(func() error {
		close(released)
		l.writer.pushes.release(name, lock)
		return l.wrap("release the lock of "+name, free())
	}), lost, nil
}

// lock takes a lock on a file beside the database, which the system releases when the process is gone. The file stays
// and names its last holder.
func (e *sqliteEngine) lock(ctx context.Context, name string, wait bool) (release func() error, lost <-chan struct{}, err error) {
	path := e.path
	// A ledger that is reached by two paths is still one.
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	path += "." + lockName(name) + ".lock"
	file := flock.New(path)
	var taken bool
	if wait {
		taken, err = file.TryLockContext(ctx, 20*time.Millisecond)
	} else {
		taken, err = file.TryLock()
	}
	if err != nil {
		return nil, nil, err
	}
	if !taken {
		return nil, nil, &BusyError{Name: name, Holder: readHolder(path)}
	}
	writeHolder(path)
	return file.Unlock, nil, nil
}

// lockName makes a name fit for a file.
func lockName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return -1
	}, name)
	if plain == name && len(name) <= 60 {
		return plain
	}
	sum := fnv.New64a()
	sum.Write([]byte(name))
	return fmt.Sprintf("%.40s-%x", plain, sum.Sum64())
}

// The holder stands behind the first byte of the lock file, which is the one that is locked: Windows lets nobody read a
// locked byte.

func writeHolder(path string) {
	host, _ := os.Hostname()
	data, err := json.Marshal(Holder{PID: os.Getpid(), Host: host, Since: time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt(append(data, '\n'), 1)
	}
}

func readHolder(path string) (h Holder) {
	f, err := os.Open(path)
	if err != nil {
		return h
	}
	defer f.Close()
	data := make([]byte, 1024)
	n, _ := f.ReadAt(data, 1)
	_ = json.Unmarshal([]byte(strings.TrimSpace(string(data[:n]))), &h)
	return h
}
