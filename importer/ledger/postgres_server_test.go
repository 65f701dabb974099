package ledger

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/ledgertest"
	"docketsync/importer/ledger/postgres"
)

// follow makes standbys of a server by these names, and waits until they follow.
func follow(t *testing.T, s *ledgertest.Server, names ...string) map[string]*ledgertest.Server {
	t.Helper()
	all := map[string]*ledgertest.Server{}
	for _, name := range names {
		all[name] = s.Standby(t, name)
	}
	until(t, s.Admin, fmt.Sprintf(`select count(*) = %d from pg_stat_replication where state = 'streaming'`, len(names)))
	return all
}

// until waits until a query returns true.
func until(t *testing.T, db *sql.DB, query string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; {
		var so bool
		must(t, db.QueryRowContext(t.Context(), query).Scan(&so))
		if so {
			return
		}
		if time.Now().After(end) {
			t.Fatal(query)
		}
	}
}

// waitFor sets synchronous_standby_names, and waits until it is in effect.
func waitFor(t *testing.T, s *ledgertest.Server, setting, becomes string) {
	t.Helper()
	must(t, second(s.Admin.Exec(`alter system set synchronous_standby_names = '`+setting+`'`)))
	must(t, second(s.Admin.Exec(`select pg_reload_conf()`)))
	until(t, s.Admin, `select current_setting('synchronous_standby_names') = '`+setting+`' and
		coalesce((select string_agg(application_name || ' ' || sync_state, ', ' order by application_name) from pg_stat_replication), '') = '`+becomes+`'`)
}

func kept(t *testing.T, l *Ledger) string {
	t.Helper()
	var s postgres.Standing
	must(t, l.h.Read.One(t.Context(), postgres.SelectStanding, nil, s.In()...))
	return s.Kept
}

// Commits count as waiting for standbys only if all followers have acknowledged each of them.
func TestPostgreSQLStandbysThatNotEveryCommitWaitsFor(t *testing.T) {
	t.Parallel()
	s := ledgertest.Own(t)
	follow(t, s, "s1", "s2")
	l := open(t, s.Database(t))
	l.AcceptLagging()
	for _, c := range []struct {
		setting, becomes, lagging string
		waits                     bool
	}{
		{"", "s1 async, s2 async", "s1 s2", false},
		{"s1", "s1 sync, s2 async", "s2", false},
		{"FIRST 1 (s1, s2)", "s1 sync, s2 potential", "s2", false},
		{"ANY 1 (s1, s2)", "s1 quorum, s2 quorum", "s1 s2", false},
		{"ANY 2 (s1, s2)", "s1 quorum, s2 quorum", "", true},
		{"2 (s1, s2)", "s1 sync, s2 sync", "", true},
	} {
		waitFor(t, s, c.setting, c.becomes)
		must(t, l.SendHere(t.Context()))
		names, err := l.LaggingStandbys(t.Context())
		must(t, err)
		same(t, strings.Join(names, " "), c.lagging)
		if got := strings.HasSuffix(kept(t, l), " waits"); got != c.waits {
			t.Errorf("%s: %v", c.setting, got)
		}
	}
	waitFor(t, s, "", "s1 async, s2 async")
	must(t, second(s.Admin.Exec(`create role weak login`)))
	must(t, second(s.Admin.Exec(`alter system set synchronous_standby_names = '2 (s1, s2)'`)))
	waitFor(t, s, "2 (s1, s2)", "s1 sync, s2 sync")
	conn, err := s.Admin.Conn(t.Context())
	must(t, err)
	defer conn.Close()
	must(t, second(conn.ExecContext(t.Context(), `set role weak`)))
	var seen string
	must(t, conn.QueryRowContext(t.Context(), postgres.SelectLagging).Scan(&seen))
	same(t, seen, "s1 (this user may not see whether they wait: grant pg_read_all_stats to it)")
}

// A ledger that was only opened and never sent from, such as that of nodes serving firms, is used on a standby that
// commits waited for. On another standby it is used once that is accepted, also by processes that had it open before.
func TestPostgreSQLStandbyTakesOverFromALedgerThatWasOnlyOpened(t *testing.T) {
	t.Parallel()
	for _, waits := range []bool{true, false} {
		t.Run(fmt.Sprintf("commits wait %v", waits), func(t *testing.T) {
			t.Parallel()
			s := ledgertest.Own(t)
			standby := follow(t, s, "s1")["s1"]
			if waits {
				waitFor(t, s, "s1", "s1 sync")
			}
			dsn := s.Database(t)
			l := open(t, dsn)
			until(t, s.Admin, `select pg_current_wal_lsn() <= replay_lsn from pg_stat_replication`)
			s.Halt()
			must(t, second(standby.Admin.Exec(`select pg_promote()`)))
			err := l.SetService(t.Context(), "one")
			for end := time.Now().Add(30 * time.Second); errors.Is(err, fault.ErrUnreachable) && time.Now().Before(end); {
				err = l.SetService(t.Context(), "one")
			}
			fresh := open(t, dsn)
			moved, failed := fresh.Moved(t.Context())
			must(t, failed)
			if moved == waits {
				t.Errorf("moved: %v", moved)
			}
			if !waits {
				advice(t, err, fault.ErrMoved, "accept-restore")
				advice(t, fresh.SendHere(t.Context()), fault.ErrMoved, "accept-restore")
				must(t, fresh.AcceptRestore(t.Context()))
				err = l.SetService(t.Context(), "one")
			}
			must(t, err)
			must(t, l.SendHere(t.Context()))
			must(t, fresh.SendHere(t.Context()))
		})
	}
}

// A part that a node holds only by its lease is not sent either from a server that took over without all acknowledged
// commits.
func TestPostgreSQLPartIsNotSentFromAServerThatTookOver(t *testing.T) {
	t.Parallel()
	s := ledgertest.Own(t)
	standby := follow(t, s, "s1")["s1"]
	dsn := s.Database(t)
	l := open(t, dsn)
	l.Outlast(time.Minute)
	l.AcceptLagging()
	list := cut(t, l, 4, 2)
	take(t, l, list[0])
	send(t, l, "1", 1)
	until(t, s.Admin, `select pg_current_wal_lsn() <= replay_lsn from pg_stat_replication`)
	s.Halt()
	must(t, second(standby.Admin.Exec(`select pg_promote()`)))
	advice(t, l.Commit(t.Context(), []Outcome{{Run: "1", Seq: 1, State: Accepted, At: noon}}, []Intent{{Run: "1", Seq: 2}}), fault.ErrMoved, "accept-restore")
	fresh := open(t, dsn)
	fresh.AcceptLagging()
	take(t, fresh, list[1])
	advice(t, fresh.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 3}}), fault.ErrMoved, "accept-restore")
	for seq, want := range map[int64]State{1: Sending, 2: Planned, 3: Planned} {
		state(t, fresh, "1", seq, want)
	}
}

// The setting is emptied during a push: the standby that commits waited for would otherwise pass as complete.
func TestPostgreSQLNothingIsSentWhenCommitsWaitNoMore(t *testing.T) {
	t.Parallel()
	s := ledgertest.Own(t)
	follow(t, s, "s1")
	waitFor(t, s, "s1", "s1 sync")
	dsn := s.Database(t)
	l := open(t, dsn)
	begin(t, l, "1")
	add(t, l, planned("1", 1, "a"), planned("1", 2, "b"))
	must(t, l.SendHere(t.Context()))
	send(t, l, "1", 1)
	waitFor(t, s, "", "s1 async")
	l.locked.noted = time.Time{}
	err := l.Commit(t.Context(), nil, []Intent{{Run: "1", Seq: 2}})
	if err == nil || !strings.Contains(err.Error(), "lagging_standby: accept") {
		t.Errorf("%v", err)
	}
	state(t, l, "1", 2, Planned)
	accepting := open(t, dsn)
	accepting.AcceptLagging()
	must(t, accepting.SendHere(t.Context()))
	must(t, open(t, dsn).SendHere(t.Context()))
}

// A user who may not ask which server it is can still read, and is told what to grant before anything is sent.
func TestPostgreSQLUserWhoMayNotAskWhichServerItIs(t *testing.T) {
	t.Parallel()
	s := ledgertest.Own(t)
	dsn := s.Database(t)
	_, schema, _ := strings.Cut(dsn, "search_path=")
	must(t, second(s.Admin.Exec(`create role weak login; grant all on schema `+pgx.Identifier{schema}.Sanitize()+` to weak`)))
	must(t, second(s.Admin.Exec(`revoke execute on function pg_control_system() from public`)))
	dsn = strings.Replace(dsn, "ledger:", "weak:", 1)
	l := open(t, dsn)
	begin(t, l, "1")
	for _, err := range []error{second(l.Moved(t.Context())), l.SendHere(t.Context())} {
		if !errors.Is(err, ErrServerUnknown) || !strings.Contains(err.Error(), "grant execute on function pg_control_system() to weak") {
			t.Errorf("%v", err)
		}
	}
	must(t, second(s.Admin.Exec(`grant execute on function pg_control_system() to weak`)))
	must(t, l.SendHere(t.Context()))
	if kept(t, l) == "" {
		t.Error("no server is kept")
	}
}

// A pg_dump of a ledger replaces it on the same server, and processes that had the ledger open refuse it too. Standbys
// have the numbers of the first server. A ledger of an earlier release has none and is accepted as it is.
func TestPostgreSQLLedgerThatWasLoadedFromADump(t *testing.T) {
	t.Parallel()
	s := ledgertest.Shared(t)
	dsn := s.Database(t)
	l := open(t, dsn)
	l.AcceptLagging()
	must(t, l.SendHere(t.Context()))
	_, schema, _ := strings.Cut(dsn, "search_path=")
	s.Ask(t, "delete from "+schema+".accounts where name = 'home'")
	must(t, l.SendHere(t.Context()))
	load := s.Dump(t, dsn)
	must(t, open(t, dsn).SendHere(t.Context()))
	load()
	fresh := open(t, dsn)
	for _, of := range []*Ledger{l, fresh} {
		moved, err := of.Moved(t.Context())
		must(t, err)
		if !moved {
			t.Error("it passes for the ledger that it is a copy of")
		}
		advice(t, of.SendHere(t.Context()), fault.ErrMoved, "accept-restore")
	}
	must(t, fresh.AcceptRestore(t.Context()))
	for _, of := range []*Ledger{l, fresh, open(t, dsn)} {
		must(t, of.SendHere(t.Context()))
	}
}

// A plan that was made for an empty table would read all of a large one; see postgres.Engine.
func TestReadingIsPlannedForTheTablesAsTheyAre(t *testing.T) {
	t.Parallel()
	l := open(t, PostgresDatabase(t))
	var mode string
	must(t, l.h.Read.One(t.Context(), `select current_setting('plan_cache_mode')`, nil, &mode))
	if mode != "force_custom_plan" {
		t.Errorf("statements that read are planned by %s", mode)
	}
}
