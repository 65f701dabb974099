package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"docketsync/importer/ledger/store"
)

// lasting sees to it that a commit waits for the server's disk, and for the standbys that the server calls synchronous, whatever
// the server, the database or the user has as its default. What asks for more stays as it is (remote_apply), and so does
// remote_write, which is somebody's decision about those standbys; local would not wait for them.
func lasting(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local')`)
	return err
}

// SelectLagging finds what follows the server's log and is nowhere waited for. Subscribers of logical replication, backups and
// archives follow it as well, but do not take over. Whoever may not see more than that something follows it counts it.
const SelectLagging = `select coalesce(nullif(application_name, ''), 'unnamed') from pg_stat_replication r
	where current_setting('synchronous_standby_names') = '' and coalesce(state, 'streaming') <> 'backup'
		and application_name not in ('pg_basebackup', 'pg_receivewal', 'barman_receive_wal')
		and not exists (select 1 from pg_replication_slots s where s.active_pid = r.pid and s.slot_type = 'logical')
	order by 1`

// LaggingStandbys names the standbys that follow the database's server at this moment though no commit waits for any: one that
// takes over lacks the newest commits, and what they were about would be sent again. A standby that is not connected at the moment
// cannot be seen.
func LaggingStandbys(ctx context.Context, read *store.Reader) ([]string, error) {
	rows, err := read.QueryContext(ctx, SelectLagging)
	if err != nil {
		return nil, read.Wrap("look for standbys", err)
	}
	names, err := store.Collect(rows, store.Column[string])
	return names, read.Wrap("look for standbys", err)
}
