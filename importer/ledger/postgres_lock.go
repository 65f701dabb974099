package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// heartbeat is how often the connection that holds a lock is asked whether it is still there.
const heartbeat = 5 * time.Second

// lockKey is the number under which PostgreSQL keeps the lock of a name; ledgers in different schemas of one database
// have different ones.
const lockKey = `hashtextextended('docketsync/' || current_schema() || '/' || cast($1 as text), 0)`

// lock takes an advisory lock on a connection of its own, which the server releases when the connection is gone. A
// process that lives on without the connection has lost the lock, so it is watched.
func (e *postgresEngine) lock(ctx context.Context, name string, wait bool) (release func() error, lost <-chan struct{}, err error) {
	conn, err := e.locks.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := e.take(ctx, conn, name, wait); err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	gone, stop := make(chan struct{}), make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { watchLock(conn, e.heartbeat, gone, stop) })
	return func() error {
		close(stop)
		watch.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), heartbeat)
		defer cancel()
		_, err := conn.ExecContext(ctx, `select pg_advisory_unlock(`+lockKey+`)`, name)
		return errors.Join(err, conn.Close()) // the connection is not kept, so the lock goes with it in any case
	}, gone, nil
}

func (e *postgresEngine) take(ctx context.Context, conn *sql.Conn, name string, wait bool) error {
	if wait {
		_, err := conn.ExecContext(ctx, `select pg_advisory_lock(`+lockKey+`)`, name)
		return err
	}
	var taken bool
	if err := conn.QueryRowContext(ctx, `select pg_try_advisory_lock(`+lockKey+`)`, name).Scan(&taken); err != nil || taken {
		return err
	}
	return &BusyError{Name: name, Holder: holder(ctx, conn, name)}
}

// watchLock closes gone when the connection no longer answers. A question is never cut off by stop: that would close the
// connection.
func watchLock(conn *sql.Conn, every time.Duration, gone chan<- struct{}, stop <-chan struct{}) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			asking, cancel := context.WithTimeout(context.Background(), heartbeat)
			_, err := conn.ExecContext(asking, "select 1")
			cancel()
			if err != nil {
				close(gone)
				return
			}
		case <-stop:
			return
		}
	}
}

// holder reads who holds a lock, from the name that its connection bears.
func holder(ctx context.Context, conn *sql.Conn, name string) (h Holder) {
	var said string
	err := conn.QueryRowContext(ctx, `select a.application_name, a.backend_start from pg_locks l join pg_stat_activity a on a.pid = l.pid
		where l.locktype = 'advisory' and l.granted and l.objsubid = 1
			and ((cast(l.classid as bigint) << 32) | cast(l.objid as bigint)) = `+lockKey, name).Scan(&said, &h.Since)
	if err != nil {
		return Holder{}
	}
	if _, err := fmt.Sscanf(strings.Replace(strings.TrimPrefix(said, holderPrefix), "@", " ", 1), "%d %s", &h.PID, &h.Host); err != nil {
		return Holder{}
	}
	return h
}
