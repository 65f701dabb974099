package ledger

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
)

// lasting sees to it that a commit waits for the server's disk, and for the standbys that the server calls synchronous, whatever
// the server, the database or the user has as its default. What asks for more stays as it is (remote_apply), and so does
// remote_write, which is somebody's decision about those standbys; local would not wait for them.
func lasting(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local')`)
	return err
}

// selectLagging finds what follows the server's log and is nowhere waited for. Subscribers of logical replication, backups and
// archives follow it as well, but do not take over. Whoever may not see more than that something follows it counts it.
const selectLagging = `select coalesce(nullif(application_name, ''), 'unnamed') from pg_stat_replication r
	where current_setting('synchronous_standby_names') = '' and coalesce(state, 'streaming') <> 'backup'
		and application_name not in ('pg_basebackup', 'pg_receivewal', 'barman_receive_wal')
		and not exists (select 1 from pg_replication_slots s where s.active_pid = r.pid and s.slot_type = 'logical')
	order by 1`

// LaggingStandbys names the standbys that follow the database's server at this moment though no commit waits for any: one that
// takes over lacks the newest commits, and what they were about would be sent again. There are none with SQLite. A standby that is
// not connected at the moment cannot be seen.
func (l *Reader) LaggingStandbys(ctx context.Context) ([]string, error) {
	if !l.engine.remote() {
		return nil, nil
	}
	rows, err := l.read.QueryContext(ctx, selectLagging)
	if err != nil {
		return nil, l.wrap("look for standbys", err)
	}
	names, err := collect(rows, func(rows *sql.Rows) (name string, err error) {
		err = rows.Scan(&name)
		return name, err
	})
	return names, l.wrap("look for standbys", err)
}
