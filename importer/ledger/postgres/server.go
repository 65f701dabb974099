package postgres

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
)

// A standby that takes over may lack what the server before it had acknowledged, and what was created last would be created once more. Each
// process can compare what it committed itself, but not what one did that died with the server. So the ledger keeps on which server it
// was used to send, and whether commits waited for a standby there. A standby that takes over begins another timeline, and a copy in another
// place has another system identifier; only a timeline that follows one whose commits waited has all of them. Every other server is for a
// person to accept: a process that used the one before writes nothing to it, and no other one sends.

// waits stands behind the name of a server whose commits wait for a standby.
const waits = " waits"

const (
	// SelectServer names the server, "" for one that is a standby.
	SelectServer = `select case when pg_is_in_recovery() then '' else (select system_identifier from pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
		|| case when current_setting('synchronous_standby_names') <> '' then '` + waits + `' else '' end end`
	// SelectKept is the server that the ledger was last used on to send, and KeepServer keeps it.
	SelectKept = `select convert_from(kept, 'UTF8') from accounts where name = 'server'`
	KeepServer = `insert into accounts (name, kept) values ('server', convert_to($1, 'UTF8')) on conflict (name) do update set kept = excluded.kept`
)

// HasAll tells whether a server has all that was acknowledged on the one that is kept.
func HasAll(kept, now string) bool {
	before, waited := strings.CutSuffix(kept, waits)
	is := strings.TrimSuffix(now, waits)
	return is == before || waited && later(before, is)
}

// later tells whether a server took over from another, as far as timelines tell.
func later(before, is string) bool {
	system, _, _ := strings.Cut(before, "/")
	return strings.HasPrefix(is, system+"/") && before < is
}

var (
	errStandby = errors.New("the server is a standby")
	errMoved   = errors.New("another server has taken over, and commits on the one before did not wait for it")
)

// sameServer refuses a connection to another server than the one that this process has written to, unless it has all of that.
func (e *Engine) sameServer(ctx context.Context, conn *pgx.Conn) error {
	var now, kept string
	if err := conn.QueryRow(ctx, SelectServer).Scan(&now); err != nil {
		return err
	}
	if now == "" {
		return errStandby
	}
	is := strings.TrimSuffix(now, waits)
	e.mu.Lock()
	before := e.server
	if before == "" {
		e.server = is
	}
	e.mu.Unlock()
	if before == "" || before == is {
		return nil
	}
	switch err := conn.QueryRow(ctx, SelectKept).Scan(&kept); {
	case errors.Is(err, pgx.ErrNoRows), err == nil && (!HasAll(kept, now) || later(is, before)): // or it is the old one, back again
		return errMoved
	case err != nil:
		return err
	}
	if _, err := conn.Exec(ctx, KeepServer, now); err != nil {
		return err
	}
	e.mu.Lock()
	e.server = is
	e.mu.Unlock()
	return nil
}
