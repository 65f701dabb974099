package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// postgresEngine keeps a ledger in a PostgreSQL database.
type postgresEngine struct {
	config    *pgx.ConnConfig
	heartbeat time.Duration

	locks  *sql.DB       // one connection for each lock
	outage time.Duration // for how long a lost lock is tried to be held again
	mu     sync.Mutex
	mine   map[*advisory]bool // the locks that this process holds or tries to
}

func newPostgres(dsn string, trust Trust) (*postgresEngine, error) {
	config, err := trust.trusted(dsn)
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	config.RuntimeParams["application_name"] = fmt.Sprintf("%s%d@%.40s", holderPrefix, os.Getpid(), host)
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 10 * time.Second
	}
	return &postgresEngine{config: config, heartbeat: heartbeat, mine: map[*advisory]bool{}}, nil
}

// holderPrefix begins the name by which the server knows a connection of ours; behind it stand process and host.
const holderPrefix = "docketsync "

func (e *postgresEngine) label() string {
	c := e.config
	if strings.HasPrefix(c.Host, "/") {
		return fmt.Sprintf("postgres://%s@/%s?host=%s", c.User, c.Database, c.Host)
	}
	return fmt.Sprintf("postgres://%s@%s/%s", c.User, net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))), c.Database)
}

func (e *postgresEngine) connect(ctx context.Context) (write, read *sql.DB, err error) {
	open := func(connections int) *sql.DB {
		db := stdlib.OpenDB(*e.config.Copy(), stdlib.OptionAfterConnect(lasting))
		db.SetMaxOpenConns(connections)
		db.SetMaxIdleConns(connections)
		return db
	}
	write, read = open(2), open(readers)
	e.locks = stdlib.OpenDB(*e.config.Copy())
	e.locks.SetMaxIdleConns(0)
	if err := write.PingContext(ctx); err != nil {
		return nil, nil, errors.Join(err, write.Close(), read.Close())
	}
	return write, read, nil
}

func (e *postgresEngine) dialect() goose.Dialect { return goose.DialectPostgres }

var postgresWords = strings.NewReplacer("{identity}", "bigint generated always as identity primary key", "{exact}", `text collate "C"`, "{clustered}", "",
	"{counted}", "bigint generated always as identity primary key", "{bytes}", "bytea", "{stamp}", postgresStamp, "{restamp}", "")

func (e *postgresEngine) spell(schema string) string { return postgresWords.Replace(schema) }

func (e *postgresEngine) param(n int) string { return "$" + strconv.Itoa(n) }

func (e *postgresEngine) relax(relaxed bool) (before, within string) {
	if relaxed {
		return "", "set local synchronous_commit = off"
	}
	return "", ""
}

func (e *postgresEngine) begin() string { return "begin" }

func (e *postgresEngine) keep(mine bool) string {
	if mine {
		return " for update skip locked"
	}
	return " for key share"
}

func (e *postgresEngine) remote() bool { return true }

// changes is empty: other processes write at the same time, and only the tables' indexes keep their intents apart.
func (e *postgresEngine) changes() string { return "" }

func (e *postgresEngine) locked(error) bool { return false }

func (e *postgresEngine) repeated(err error) bool {
	var said *pgconn.PgError
	return errors.As(err, &said) && said.Code == "23505"
}

func (e *postgresEngine) judge(err error) (hint string, kind error) {
	var said *pgconn.PgError
	if hint := distrust(err); hint != "" {
		return hint, ErrUnreachable
	}
	if !errors.As(err, &said) {
		return "Check that the database server runs and can be reached from here, and start again: what was acknowledged is kept.", ErrUnreachable
	}
	switch {
	case said.Code == "53100":
		return "Free some space on the database server and start again: what was acknowledged is kept.", ErrFull
	case slices.Contains([]string{"25006", "42501", "3F000", "42P01"}, said.Code):
		// Read-only, no right, no schema; and a schema that may not be used looks like one without tables.
		return "Give the user " + e.config.User + " the right to create and write tables in " + e.config.Database + ", on a server that is not a replica.", ErrReadOnly
	case strings.HasPrefix(said.Code, "XX"):
		return "Restore the database from its last backup.", ErrCorrupt
	case said.Code == "55P03", said.Code == "40P01":
		return "Find out who holds locks on the tables of the ledger, and start again.", ErrLocked
	case strings.HasPrefix(said.Code, "28"), said.Code == "3D000":
		return "Check the user, the password and the name of the database in the ledger's address.", ErrUnreachable
	case strings.HasPrefix(said.Code, "57"), strings.HasPrefix(said.Code, "08"), strings.HasPrefix(said.Code, "53"):
		return "The database server stopped or refuses connections: start again when it is back. What was acknowledged is kept.", ErrUnreachable
	}
	return "", nil
}

func (e *postgresEngine) reserve() {}

func (e *postgresEngine) close() error {
	if e.locks == nil {
		return nil
	}
	return e.locks.Close()
}
