package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"docketsync/importer/ledger/fault"
)

// A standby that takes over may lack what the previous server had acknowledged, and what was created last would be
// created again. Each process can compare what it committed itself, but not what another process did that died with the
// server. So the ledger stores on which server it was used, from when it is first opened, and whether commits waited
// for all standbys there. A standby that takes over begins another timeline, and a copy in another place has another
// system identifier. Only a timeline that follows one whose commits waited has all of them. Any other server has to be
// accepted by a person: a process that used the previous one writes nothing to it, and no other process sends.
//
// A standby that is cut off keeps its own copy of the row. So nothing is sent either from a server whose commits no
// longer wait for any standby, unless the configuration accepts it. A server that was restored to a point in time, and
// began a timeline there, cannot be told from a standby.
//
// What pg_dump made and was loaded into another database or schema is a copy too, though its server is the same. A dump
// contains the row home, which says by which numbers the server knows the database and the table that the row is in.
// For a standby both are the same, and for nothing else.

// waits is the suffix of the name of a server whose commits wait for all of its standbys.
const waits = " waits"

const (
	names = `current_setting('synchronous_standby_names')`
	// required is how many standbys a commit waits for, if it waits for any.
	required = `coalesce(cast(substring(` + names + ` from '(?i)^\s*(?:any\s+|first\s+)?(\d+)\s*\(') as int), 1)`
	// standbys are what follows the server's log and may take over, without subscribers of logical replication, backups
	// and archives. Each commit waits for a member of a quorum only if it waits for the whole quorum. A user with few
	// rights sees no sync_state.
	standbys = `select coalesce(nullif(r.application_name, ''), 'unnamed') as name, sync_state is null as hidden,
			coalesce(` + names + ` <> '' and (sync_state = 'sync' or sync_state = 'quorum'
				and ` + required + ` >= (select count(*) from pg_stat_replication where sync_state = 'quorum')), false) as waited
		from pg_stat_replication r
		where coalesce(state, 'streaming') <> 'backup' and application_name not in ('pg_basebackup', 'pg_receivewal', 'barman_receive_wal')
			and not exists (select 1 from pg_replication_slots s where s.active_pid = r.pid and s.slot_type = 'logical')`
	// selectServer names the server, "" for a standby. A server that waits for fewer standbys than its setting names
	// may have others that are away.
	selectServer = `case when pg_is_in_recovery() then '' else (select system_identifier from pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
		|| case when (select coalesce(bool_and(waited), false) from (` + standbys + `) s) and cardinality(string_to_array(` + names + `, ',')) <= ` + required + ` then '` + waits + `' else '' end end`

	home = `(select cast(oid as text) from pg_database where datname = current_database()) || '.' || cast(to_regclass('accounts')::oid as text)`

	// SelectStanding selects a Standing.
	SelectStanding = `select ` + selectServer + `, ` + names + ` = '', ` + names + ` <> '' and not exists (` + standbys + `), coalesce((select convert_from(kept, 'UTF8') from accounts where name = 'server'), ''),
		exists (select from accounts where name = 'home' and convert_from(kept, 'UTF8') <> ` + home + `), not exists (select from accounts where name = 'home')`
	// KeepServer stores the server that the ledger is used on.
	KeepServer = `insert into accounts (name, kept) values ('server', convert_to($1, 'UTF8')) on conflict (name) do update set kept = excluded.kept`
	// KeepHome stores the database that the ledger is used in.
	KeepHome = `insert into accounts (name, kept) select 'home', convert_to(` + home + `, 'UTF8') on conflict (name) do update set kept = excluded.kept`
)

// SelectLagging finds the standbys that not every commit waits for.
const SelectLagging = `select name || case when hidden and ` + names + ` <> '' then ' (this user may not see whether they wait: grant pg_read_all_stats to it)' else '' end
	from (` + standbys + `) s where not waited order by 1`

// Standing says which server a ledger is on, "" for a standby, and which one is stored, "" for none yet.
type Standing struct {
	Now      string
	Alone    bool // commits wait for nobody
	Away     bool // they wait for standbys that are not there, so that there are none
	Kept     string
	Loaded   bool // the ledger was stored in another database, and is a copy of that one
	Homeless bool // its database was not stored, as in earlier releases
}

// In returns where SelectStanding is scanned to.
func (s *Standing) In() []any {
	return []any{&s.Now, &s.Alone, &s.Away, &s.Kept, &s.Loaded, &s.Homeless}
}

func (s Standing) is() string { return strings.TrimSuffix(s.Now, waits) }

// Moved reports whether the server may lack what the previous one acknowledged. before is the server that this process
// has written to, "" if it has written to none. A process that has written knows that a server was stored.
func (s Standing) Moved(before string) bool {
	kept, waited := strings.CutSuffix(s.Kept, waits)
	switch {
	case s.Now == "" || before == s.is():
		return false
	case s.Loaded:
		return true
	case s.Kept == "":
		return before != ""
	}
	return later(s.is(), before) || s.is() != kept && !(waited && later(kept, s.is())) // or it is the old one, back again
}

// Gains reports whether the server is to be stored even if nothing is sent from it: none is stored yet, or its commits
// have come to wait.
func (s Standing) Gains() bool {
	return s.Now != "" && !s.Loaded && (s.Kept == "" || s.Now == s.Kept+waits)
}

// Changed reports whether the server is to be stored because the ledger is used to send there.
func (s Standing) Changed() bool { return s.Now != s.Kept && (!s.Away || s.Now+waits != s.Kept) }

// Settles reports whether the database is to be stored, because none is yet.
func (s Standing) Settles() bool { return s.Homeless && s.Now != "" && !s.Moved("") }

// Refused returns why nothing may be sent from the server. accepted says that standbys for which commits do not wait
// are accepted.
func (s Standing) Refused(accepted bool) error {
	switch {
	case s.Now == "":
		return errStandby
	case s.Loaded:
		return errLoaded
	case s.Moved(""):
		return errMoved
	case s.Alone && s.Kept == s.Now+waits && !accepted:
		return errAlone
	}
	return nil
}

// later reports whether a server took over from another, as far as timelines tell.
func later(before, is string) bool {
	system, _, there := strings.Cut(before, "/")
	return there && strings.HasPrefix(is, system+"/") && before < is
}

var (
	errStandby = errors.New("the server is a standby")
	errMoved   = errors.New("another server has taken over, and commits on the one before did not wait for it")
	errLoaded  = errors.New("the ledger was loaded from a dump of another database")
	errAlone   = errors.New("commits do not wait for a standby any more")
	// ErrUnknown says that the server does not say which one it is.
	ErrUnknown = errors.New("the server does not say which one it is")
)

// Unknown marks an error of SelectStanding as ErrUnknown if it is one.
func Unknown(err error) error {
	if slices.Contains([]string{"42501", "0A000", "42883"}, codeOf(err)) {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return err
}

// judgeServer is Judge for errors about the server that the ledger is on.
func (e *Engine) judgeServer(err error) (hint string, kind error) {
	switch {
	case errors.Is(err, errMoved), errors.Is(err, errLoaded):
		return "What it lacks would be sent again, so nothing is written to it. 'docketsync ledger accept-restore --help' says how to find out what that is. " +
			"Restart processes that refuse it even after that.", fault.ErrMoved
	case errors.Is(err, errStandby):
		return "Name all servers in the ledger's address, with target_session_attrs=primary.", fault.ErrUnreachable
	case errors.Is(err, errAlone):
		return "The standby that they waited for would pass as complete if it took over, so nothing is sent. Set synchronous_standby_names on the server again, " +
			"or write ledger_server: {lagging_standby: accept} if that standby never takes over.", nil
	case errors.Is(err, ErrUnknown):
		return "Nothing is sent unless it does, since one that lacks what was sent could take its place. As a superuser: grant execute on function pg_control_system() to " + e.config.User + ".", nil
	}
	return "", nil
}

// sameServer refuses a connection to another server than the one that this process has written to, unless it has
// everything that was written there.
func (e *Engine) sameServer(ctx context.Context, conn *pgx.Conn) error {
	e.mu.Lock()
	before := e.server
	e.mu.Unlock()
	var s Standing
	err := conn.QueryRow(ctx, `select `+selectServer).Scan(&s.Now)
	switch err = Unknown(err); {
	case before == "" && errors.Is(err, ErrUnknown):
		return nil // nothing is sent
	case err != nil:
		return err
	case s.Now == "":
		return errStandby
	case before != "" && before != s.is():
		if err := conn.QueryRow(ctx, SelectStanding).Scan(s.In()...); err != nil {
			return err
		}
		if s.Moved(before) {
			return errMoved
		}
		if _, err := conn.Exec(ctx, KeepServer, s.Now); err != nil {
			return err
		}
	}
	e.mu.Lock()
	e.server = s.is()
	e.mu.Unlock()
	return nil
}
