package postgres

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

	"docketsync/importer/ledger/fault"
	"docketsync/importer/ledger/store"
)

// readers is how many connections read.
const readers = 4

// Engine keeps a ledger in a PostgreSQL database.
type Engine struct {
	config    *pgx.ConnConfig
	heartbeat time.Duration

	locks  *sql.DB       // one connection for each lock
	outage time.Duration // for how long a lost lock is tried to be held again
	mu     sync.Mutex
	mine   map[*advisory]bool // the locks that this process holds or tries to
}

func New(dsn string, trust Trust) (*Engine, error) {
	config, err := trust.trusted(dsn)
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	config.RuntimeParams["application_name"] = fmt.Sprintf("%s%d@%.40s", holderPrefix, os.Getpid(), host)
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 10 * time.Second
	}
	return &Engine{config: config, heartbeat: heartbeat, mine: map[*advisory]bool{}}, nil
}

// holderPrefix begins the name by which the server knows a connection of ours; behind it stand process and host.
const holderPrefix = "docketsync "

func (e *Engine) Label() string {
	c := e.config
	if strings.HasPrefix(c.Host, "/") {
		return fmt.Sprintf("postgres://%s@/%s?host=%s", c.User, c.Database, c.Host)
	}
	return fmt.Sprintf("postgres://%s@%s/%s", c.User, net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))), c.Database)
}

func (e *Engine) Connect(ctx context.Context) (write, read *sql.DB, err error) {
	open := func(connections int, config *pgx.ConnConfig) *sql.DB {
		db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(lasting))
		db.SetMaxOpenConns(connections)
		db.SetMaxIdleConns(connections)
		return db
	}
	reading := e.config.Copy()
	reading.RuntimeParams["default_transaction_read_only"] = "on"
	write, read = open(2, e.config.Copy()), open(readers, reading)
	e.locks = stdlib.OpenDB(*e.config.Copy())
	e.locks.SetMaxIdleConns(0)
	if err := write.PingContext(ctx); err != nil {
		return nil, nil, errors.Join(err, write.Close(), read.Close())
	}
	return write, read, nil
}

func (e *Engine) Dialect() goose.Dialect { return goose.DialectPostgres }

var words = strings.NewReplacer("{identity}", "bigint generated always as identity primary key", "{exact}", `text collate "C"`, "{clustered}", "",
	"{counted}", "bigint generated always as identity primary key", "{bytes}", "bytea", "{stamp}", store.PostgresStamp, "{restamp}", "")

func (e *Engine) Spell(schema string) string { return words.Replace(schema) }

func (e *Engine) Param(n int) string { return "$" + strconv.Itoa(n) }

func (e *Engine) Relax(relaxed bool) (before, within string) {
	if relaxed {
		return "", "set local synchronous_commit = off"
	}
	return "", ""
}

func (e *Engine) Begin() string { return "begin" }

func (e *Engine) Keep(mine bool) string {
	if mine {
		return " for update skip locked"
	}
	return " for key share"
}

func (e *Engine) Remote() bool { return true }

// Changes is empty: other processes write at the same time, and only the tables' indexes keep their intents apart.
func (e *Engine) Changes() string { return "" }

func (e *Engine) Locked(error) bool { return false }

func (e *Engine) Repeated(err error) bool {
	var said *pgconn.PgError
	return errors.As(err, &said) && said.Code == "23505"
}

func (e *Engine) Judge(err error) (hint string, kind error) {
	var said *pgconn.PgError
	if hint := distrust(err); hint != "" {
		return hint, fault.ErrUnreachable
	}
	if !errors.As(err, &said) {
		return "Check that the database server runs and can be reached from here, and start again: what was acknowledged is kept.", fault.ErrUnreachable
	}
	switch {
	case said.Code == "53100":
		return "Free some space on the database server and start again: what was acknowledged is kept.", fault.ErrFull
	case slices.Contains([]string{"25006", "42501", "3F000", "42P01"}, said.Code):
		// Read-only, no right, no schema; and a schema that may not be used looks like one without tables.
		return "Give the user " + e.config.User + " the right to create and write tables in " + e.config.Database + ", on a server that is not a replica.", fault.ErrReadOnly
	case strings.HasPrefix(said.Code, "XX"):
		return "Restore the database from its last backup.", fault.ErrCorrupt
	case said.Code == "55P03", said.Code == "40P01":
		return "Find out who holds locks on the tables of the ledger, and start again.", fault.ErrLocked
	case strings.HasPrefix(said.Code, "28"), said.Code == "3D000":
		return "Check the user, the password and the name of the database in the ledger's address.", fault.ErrUnreachable
	case strings.HasPrefix(said.Code, "57"), strings.HasPrefix(said.Code, "08"), strings.HasPrefix(said.Code, "53"):
		return "The database server stopped or refuses connections: start again when it is back. What was acknowledged is kept.", fault.ErrUnreachable
	}
	return "", nil
}

func (e *Engine) Reserve() {}

func (e *Engine) Close() error {
	if e.locks == nil {
		return nil
	}
	return e.locks.Close()
}

// Config is what connections are made with, for tests that put a false network or a false server in their way.
func (e *Engine) Config() *pgx.ConnConfig { return e.config }

// Beat has the engine look so often whether locks that are taken from now on are still held.
func (e *Engine) Beat(every time.Duration) { e.heartbeat = every }
