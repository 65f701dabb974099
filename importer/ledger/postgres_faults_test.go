package ledger

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"net"
	"strings"
	"testing"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/ledgertest"
	"docketsync/importer/ledger/postgres"
)

func TestPostgreSQLServerThatIsNotThereIsNamedWithoutPassword(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{
		"postgres://ann:s3cret-word@127.0.0.1:1/ledger?connect_timeout=2",
		"postgres://ann:s3cret-word@/ledger?host=/nowhere",
		"postgresql://ann:s3cret-word@no-such-host.invalid/ledger?connect_timeout=2",
	} {
		_, err := Open(t.Context(), dsn)
		advice(t, err, fault.ErrUnreachable, "ann@")
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the password is in %q", err)
		}
	}
}

func TestPostgreSQLUserWithoutRightsIsNamed(t *testing.T) {
	t.Parallel()
	s := ledgertest.Shared(t)
	dsn := s.Database(t)
	_, schema, _ := strings.Cut(dsn, "search_path=")
	weak := "weak_" + schema
	must(t, second(s.Admin.Exec(`create role `+weak+` login`)))
	var err error
	for _, right := range []string{"", "usage"} {
		if right != "" {
			must(t, second(s.Admin.Exec(`grant usage on schema `+schema+` to `+weak)))
		}
		_, err = Open(t.Context(), strings.Replace(dsn, "ledger:", weak+":", 1))
		advice(t, err, fault.ErrReadOnly, weak+"@", "the right to create")
	}
	_, err = Open(t.Context(), strings.Replace(dsn, "ledger:", "nobody-there:", 1))
	advice(t, err, fault.ErrUnreachable, "nobody-there@")
	_, err = Open(t.Context(), dsn+"&default_transaction_read_only=on")
	advice(t, err, fault.ErrReadOnly)
}

// deaf is a connection through a proxy that drops the requested schema, as PgBouncer does with
// ignore_startup_parameters = search_path.
type deaf struct{ net.Conn }

func (c deaf) Write(text []byte) (int, error) {
	return c.Conn.Write(bytes.Replace(text, []byte("search_path\x00"), []byte("ignored.set\x00"), 1))
}

// A proxy may ignore the schema of the address. Then the ledger of another firm, or of none, is not used.
func TestPostgreSQLConnectionInAnotherSchemaIsRefused(t *testing.T) {
	t.Parallel()
	s := ledgertest.Shared(t)
	engine, err := postgres.New(s.Database(t), postgres.Trust{})
	must(t, err)
	dial := engine.Config().DialFunc
	engine.Config().DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return deaf{conn}, err
	}
	l, err := openOn(t.Context(), engine)
	if err == nil {
		_ = l.Close()
	}
	advice(t, err, fault.ErrReadOnly, "schema public", "PgBouncer")
	var tables int
	must(t, s.Admin.QueryRow(`select count(*) from pg_tables where schemaname = 'public'`).Scan(&tables))
	same(t, tables, 0)
}

func TestPostgreSQLConnectionLostBetweenCommitsIsMadeAnew(t *testing.T) {
	t.Parallel()
	s := ledgertest.Shared(t)
	dsn := s.Database(t)
	l := open(t, dsn)
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"))
	send(t, l, "1", 1)
	kill(t, s, l.w.Store.Connection())
	settle(t, l, Outcome{Run: "1", Seq: 1, State: Accepted})
	state(t, l, "1", 1, Accepted)
}

func TestPostgreSQLConnectionLostWithinACommitStopsTheLedger(t *testing.T) {
	t.Parallel()
	s := ledgertest.Shared(t)
	l := open(t, s.Database(t))
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"))
	send(t, l, "1", 1)
	err := l.do(t.Context(), false, func(tx *transaction) error {
		var pid int
		must(t, tx.One("select pg_backend_pid()", nil, &pid))
		if _, err := tx.Exec(`update records set state = 'accepted'`); err != nil {
			return err
		}
		must(t, second(s.Admin.Exec("select pg_terminate_backend($1)", pid)))
		_, err := tx.Exec("commit")
		return err
	})
	if err == nil {
		t.Fatal("no error")
	}
	advice(t, l.stop(&l.locked, l.h.Wrap("commit", err)), fault.ErrUnreachable)
	state(t, l, "1", 1, Sending)
	if err := l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 2}}); !errors.Is(err, fault.ErrStopped) {
		t.Errorf("got %v", err)
	}
}

func TestPostgreSQLLockThatIsLostStopsTheLedger(t *testing.T) {
	t.Parallel()
	s := ledgertest.Shared(t)
	l := open(t, s.Database(t))
	l.Beat()
	release, lost, err := l.LockWatched(t.Context(), "create_case")
	must(t, err)
	pushed(t, l, 1)
	l.LoseLock(t, "create_case")
	<-lost // it checks its lock every 5 ms, and a check without an answer gives the lock up
	err = l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 1}})
	advice(t, err, fault.ErrStopped, "lock")
	state(t, l, "1", 1, Planned)
	_ = release()
	release, err = l.Lock(t.Context(), "create_case")
	must(t, err)
	finish(t, l, "1", Pushing)
	send(t, l, "1", 1)
	must(t, release())
}

// kill ends the server's side of a connection.
func kill(t *testing.T, s *ledgertest.Server, conn *sql.Conn) {
	t.Helper()
	var pid int
	must(t, conn.QueryRowContext(t.Context(), "select pg_backend_pid()").Scan(&pid))
	must(t, second(s.Admin.Exec("select pg_terminate_backend($1)", pid)))
}
