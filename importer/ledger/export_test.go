package ledger

import (
	"testing"
	"time"

	"docketsync/importer/ledger/ledgertest"
	"docketsync/importer/ledger/postgres"
)

// PostgresDatabase returns the address of an empty database on the tests' server; without a server, the test is
// skipped.
func PostgresDatabase(t *testing.T) string { return ledgertest.Shared(t).Database(t) }

// OwnPostgres returns the address of an empty database on a server of its own; restart kills the server and starts it
// again.
func OwnPostgres(t *testing.T) (dsn string, restart func()) {
	s := ledgertest.Own(t)
	return s.Database(t), func() {
		s.Halt()
		s.Start(t)
	}
}

// LoseLock ends the server's side of the connection that holds a lock. From then on the ledger checks its locks very
// often.
func (l *Ledger) LoseLock(t *testing.T, name string) {
	t.Helper()
	s := ledgertest.Shared(t)
	var pid int
	must(t, s.Admin.QueryRow(`select pid from pg_locks where locktype = 'advisory' and granted and objsubid = 1
		and (cast(classid as bigint) << 32 | cast(objid as bigint)) = hashtextextended('docketsync/' || cast($1 as text) || '/' || cast($2 as text), 0)`,
		l.h.Engine.(*postgres.Engine).Config().RuntimeParams["search_path"], name).Scan(&pid))
	must(t, second(s.Admin.Exec("select pg_terminate_backend($1)", pid)))
}

// Beat makes the ledger check very often whether it still holds the locks that it takes from now on.
func (l *Ledger) Beat() { l.h.Engine.(*postgres.Engine).Beat(5 * time.Millisecond) }
