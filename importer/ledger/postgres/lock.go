package postgres

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/store"
)

// heartbeat is how often the connection that holds a lock is checked.
const heartbeat = 5 * time.Second

// lockKey is the number under which PostgreSQL keeps the lock of a name. Ledgers in different schemas of one database
// have different numbers.
const lockKey = `hashtextextended('docketsync/' || current_schema() || '/' || cast($1 as text), 0)`

// holding selects the connections that hold the lock of a name.
const holding = ` from pg_locks l join pg_stat_activity a on a.pid = l.pid where l.locktype = 'advisory' and l.granted and l.objsubid = 1
	and ((cast(l.classid as bigint) << 32) | cast(l.objid as bigint)) = ` + lockKey

// advisory is an advisory lock on a connection of its own, which the server releases when the connection is gone. A
// process that lives on without the connection has lost the lock, so it is watched.
type advisory struct {
	engine *Engine
	name   string
	mu     sync.Mutex
	conn   *sql.Conn     // nil while the lock is lost
	sign   string        // what it stored when it was taken, "" for nothing
	gone   chan struct{} // closed when it is lost for good
	why    error         // why it is lost for good
}

func (e *Engine) Lock(ctx context.Context, name string, how store.Locking) (release func() error, lost <-chan struct{}, err error) {
	a := &advisory{engine: e, name: name, gone: make(chan struct{})}
	if a.conn, err = e.take(ctx, name, how == store.AwaitLock); err != nil {
		return nil, nil, err
	}
	if how == store.KeepLock {
		a.sign = rand.Text()
		if _, err := a.conn.ExecContext(ctx, signed, signature+name, []byte(a.sign)); err != nil {
			return nil, nil, errors.Join(err, a.conn.Close())
		}
	}
	e.mu.Lock()
	e.mine[a] = true
	e.mu.Unlock()
	stop := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { a.watch(stop) })
	return func() error {
		close(stop)
		watch.Wait()
		return a.release()
	}, a.gone, nil
}

// signature is the prefix of the names under which the table accounts keeps who had a lock last, and signed writes
// that.
const (
	signature = "lock/"
	signed    = `insert into accounts (name, kept) values ($1, $2) on conflict (name) do update set kept = excluded.kept`
)

// take takes a lock on a new connection.
func (e *Engine) take(ctx context.Context, name string, wait bool) (*sql.Conn, error) {
	conn, err := e.locks.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if e.silent > 0 && !wait {
		if err := e.evict(ctx, conn, name); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	taken := true
	if wait {
		_, err = conn.ExecContext(ctx, `select pg_advisory_lock(`+lockKey+`)`, name)
	} else {
		err = conn.QueryRowContext(ctx, `select pg_try_advisory_lock(`+lockKey+`)`, name).Scan(&taken)
	}
	if err == nil && !taken {
		err = &fault.BusyError{Name: name, Holder: holder(ctx, conn, name)}
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// Evict allows locks to be taken from holders that were silent for so long. Each holder queries its connection every
// few seconds (watch); a process that is frozen, or on a machine that is cut off, does not. The server ends its
// connection.
func (e *Engine) Evict(silent time.Duration) { e.silent = max(silent, 2*heartbeat+2*time.Second) }

// evict ends the connection that holds a lock if it was silent for too long, and waits until it is gone.
func (e *Engine) evict(ctx context.Context, conn *sql.Conn, name string) error {
	_, err := conn.ExecContext(ctx, `select count(pg_terminate_backend(a.pid, 2000))`+holding+` and a.application_name like $2 || '%'
		and a.state_change < clock_timestamp() - make_interval(secs => $3)`, name, holderPrefix, e.silent.Seconds())
	return err
}

// watch gives the lock up for good if it cannot be had again in time. stop never interrupts a query, because that would
// close the connection.
func (a *advisory) watch(stop <-chan struct{}) {
	tick := time.NewTicker(a.engine.heartbeat)
	defer tick.Stop()
	for last := time.Now(); ; {
		select {
		case <-tick.C:
			switch err := a.again(context.Background()); {
			case err == nil:
				last = time.Now()
			case time.Since(last) > a.engine.outage:
				a.mu.Lock()
				if a.conn == nil { // a commit may have taken it again since
					a.giveUp(errLockGone)
				}
				a.mu.Unlock()
			}
		case <-a.gone:
			return
		case <-stop:
			return
		}
	}
}

// giveUp marks the lock as lost for good.
func (a *advisory) giveUp(why error) {
	if a.why == nil {
		a.why = why
		close(a.gone)
	}
}

// again makes sure that the lock is held: it queries the connection, and takes the lock once more if that does not
// answer. The error is a *fault.BusyError if another process has taken the lock, which is then lost for good. Until the
// server notices that the old connection is gone, that connection still holds the lock; if it notices between two
// queries, no holder is found.
func (a *advisory) again(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, heartbeat)
	defer cancel()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.why != nil {
		return a.why
	}
	if a.conn != nil {
		if _, err := a.conn.ExecContext(ctx, "select 1"); err == nil {
			return nil
		}
		_ = a.conn.Close()
		a.conn = nil
	}
	if a.engine.outage == 0 {
		return errLockLost
	}
	conn, err := a.engine.take(ctx, a.name, false)
	if busy, ok := errors.AsType[*fault.BusyError](err); ok {
		if busy.Holder == (fault.Holder{}) || ours(busy.Holder) {
			return errLockLost
		}
		a.giveUp(err)
	}
	if err == nil {
		if err = a.signedLast(ctx, conn); err != nil {
			return errors.Join(err, conn.Close())
		}
		a.engine.again(a.name)
	}
	a.conn = conn
	return err
}

// signedLast makes sure that nobody had the lock between two connections of this process. A process that wakes up from
// being frozen may find the lock free although another process has taken it, used it and given it back. Then the lock
// is lost for good, and its former holder has to start afresh.
func (a *advisory) signedLast(ctx context.Context, conn *sql.Conn) error {
	if a.sign == "" {
		return nil
	}
	var last []byte
	err := conn.QueryRowContext(ctx, `select kept from accounts where name = $1`, signature+a.name).Scan(&last)
	if errors.Is(err, sql.ErrNoRows) || err == nil && string(last) != a.sign {
		a.giveUp(errLockUsed)
		return errLockUsed
	}
	return err
}

var (
	errLockLost = errors.New("the connection that held the lock was lost")
	errLockGone = fmt.Errorf("%w, and it could not be had again in time", errLockLost)
	errLockUsed = fmt.Errorf("%w, and another process has had it since", errLockLost)
)

// lost returns an error while the lock is known to be lost.
func (a *advisory) lost() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.why != nil:
		return a.why
	case a.conn == nil:
		return errLockLost
	}
	return nil
}

func (a *advisory) release() error {
	a.engine.mu.Lock()
	delete(a.engine.mine, a)
	a.engine.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.conn == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), heartbeat)
	defer cancel()
	_, err := a.conn.ExecContext(ctx, `select pg_advisory_unlock(`+lockKey+`)`, a.name)
	return errors.Join(err, a.conn.Close()) // the connection is not kept, so the lock goes with it in any case
}

func (e *Engine) Outlast(outage time.Duration, again func(name string)) {
	e.outage, e.again = outage, again
}

func (e *Engine) Hold(ctx context.Context, which store.Locks) error {
	return e.each(which, func(a *advisory) error { return a.again(ctx) })
}

func (e *Engine) Held(which store.Locks) error { return e.each(which, (*advisory).lost) }

// each checks locks. A lost lock does not matter if this process has taken it again since.
func (e *Engine) each(which store.Locks, ask func(*advisory) error) error {
	e.mu.Lock()
	list := slices.Collect(maps.Keys(e.mine))
	e.mu.Unlock()
	for _, a := range list {
		if which != nil && !which(a.name) {
			continue
		}
		err := ask(a)
		if err != nil && !slices.ContainsFunc(list, func(b *advisory) bool { return b != a && b.name == a.name && ask(b) == nil }) {
			return &store.LostLock{Name: a.name, Err: err}
		}
	}
	return nil
}

// holder reads who holds a lock, from the name of its connection.
func holder(ctx context.Context, conn *sql.Conn, name string) (h fault.Holder) {
	var said string
	err := conn.QueryRowContext(ctx, `select a.application_name, a.backend_start`+holding, name).Scan(&said, &h.Since)
	if err != nil {
		return fault.Holder{}
	}
	if _, err := fmt.Sscanf(strings.Replace(strings.TrimPrefix(said, holderPrefix), "@", " ", 1), "%d %s", &h.PID, &h.Host); err != nil {
		return fault.Holder{}
	}
	return h
}

// ours reports whether this process is the holder.
func ours(h fault.Holder) bool {
	host, _ := os.Hostname()
	return h.PID == os.Getpid() && h.Host == fmt.Sprintf("%.40s", host)
}
