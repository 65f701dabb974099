// Package postgres is the engine that keeps a ledger in a PostgreSQL database, for a firm that wants it on a server.
//
// Several processes may write at the same instant; the tables' unique indexes keep their intents apart. Every commit
// waits for the server's disk and its synchronous standbys (lasting). A lock is an advisory lock on a connection of its
// own, which is watched, because a process that loses it lives on (lock.go). A server that is not on this machine has
// to prove its name before it gets the password (trust.go).
package postgres

import (
	"cmp"
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
	"github.com/pressly/goose/v3/database"

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
	outage time.Duration // for how long a lost lock is retried
	again  func(string)  // called with the name of each lock that is held again
	silent time.Duration // how long a holder may be silent before it loses its lock, 0 for ever
	mu     sync.Mutex
	mine   map[*advisory]bool // the locks that this process holds or tries to hold
	server string             // the server that this process has written to, "" for none yet
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
	return &Engine{config: config, heartbeat: heartbeat, again: func(string) {}, mine: map[*advisory]bool{}}, nil
}

// holderPrefix is the prefix of the name by which the server knows our connections; process and host follow it.
const holderPrefix = "docketsync "

func (e *Engine) Label() string {
	c := e.config
	if strings.HasPrefix(c.Host, "/") {
		return fmt.Sprintf("postgres://%s@/%s?host=%s", c.User, c.Database, c.Host)
	}
	return fmt.Sprintf("postgres://%s@%s/%s", c.User, net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))), c.Database)
}

func (e *Engine) Connect(ctx context.Context) (write, read *sql.DB, err error) {
	open := func(connections int, config *pgx.ConnConfig, prepare func(context.Context, *pgx.Conn) error) *sql.DB {
		db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
			err := prepare(ctx, conn)
			if err != nil { // nobody else closes it, and a server that is refused would soon have no connection left
				_ = conn.Close(context.WithoutCancel(ctx))
			}
			return err
		}))
		db.SetMaxOpenConns(connections)
		db.SetMaxIdleConns(connections)
		return db
	}
	reading := e.config.Copy()
	reading.RuntimeParams["default_transaction_read_only"] = "on"
	write, read = open(2, e.config.Copy(), e.prepareWriting), open(readers, reading, e.prepareReading)
	e.locks = stdlib.OpenDB(*e.config.Copy())
	e.locks.SetMaxIdleConns(0)
	if err := write.PingContext(ctx); err != nil {
		return nil, nil, errors.Join(err, write.Close(), read.Close())
	}
	return write, read, nil
}

// schemaError says that a connection is not in the schema of the address. A missing schema is never created here: if a
// schema was renamed, or the address misspells it, a new one would be an empty ledger, and everything would be sent
// again.
type schemaError struct {
	asked, now string // now is "" for none
	there      bool   // whether the schema that was asked for exists
}

func (e *schemaError) Error() string {
	switch {
	case e.now != "":
		return "the connection is in the schema " + e.now + ", not in " + e.asked
	case e.there:
		return "the schema " + e.asked + " cannot be used"
	}
	return "there is no schema " + e.asked
}

// inSchema refuses a connection that is in another schema than the address asks for. A proxy between may ignore that
// part of the address, and then all firms of a server would write into one ledger.
func (e *Engine) inSchema(ctx context.Context, conn *pgx.Conn) error {
	path := e.config.RuntimeParams["search_path"]
	if path == "" {
		return nil
	}
	asked := onlySchema(path)
	is := &schemaError{asked: cmp.Or(asked, path)}
	err := conn.QueryRow(ctx, `select coalesce(current_schema(), ''), exists (select from pg_namespace where nspname = $1)`, asked).Scan(&is.now, &is.there)
	if err != nil || is.now != "" && (asked == "" || is.now == asked) {
		return err
	}
	return is
}

// onlySchema returns the schema that a search_path names, or "" if it is a list or not a plain name.
func onlySchema(path string) string {
	name, quoted := strings.CutPrefix(strings.TrimSpace(path), `"`)
	if quoted {
		name = strings.TrimSuffix(name, `"`)
	} else {
		name = strings.ToLower(name)
	}
	if strings.ContainsAny(name, `",$`) {
		return ""
	}
	return name
}

var dialect = store.Dialect{
	Goose: database.DialectPostgres,
	Words: strings.NewReplacer("{identity}", "bigint generated always as identity primary key", "{exact}", `text collate "C"`, "{clustered}", "",
		"{counted}", "bigint generated always as identity primary key", "{numbered}", "bigint primary key", "{bytes}", "bytea", "{stamp}", store.PostgresStamp, "{restamp}", "",
		"{clock}", "cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)"),
	Numbered:      true,
	Begin:         "begin",
	RelaxedWithin: "set local synchronous_commit = off",
	KeepForAll:    " for key share",
	KeepMine:      " for update skip locked",
	Remote:        true,
	Pipeline:      pipeline,
}

func pipeline(ctx context.Context, conn *sql.Conn, list []store.Statement) (changed []int64, err error) {
	err = conn.Raw(func(driver any) (err error) {
		var batch pgx.Batch
		for _, statement := range list {
			batch.Queue(statement.Text, statement.Args...)
		}
		results := driver.(*stdlib.Conn).Conn().SendBatch(ctx, &batch)
		defer func() { err = cmp.Or(err, results.Close()) }()
		for range list {
			tag, err := results.Exec()
			if err != nil {
				return err
			}
			changed = append(changed, tag.RowsAffected())
		}
		return nil
	})
	return changed, err
}

func (e *Engine) Dialect() store.Dialect { return dialect }

func (e *Engine) Locked(error) bool { return false }

func (e *Engine) Repeated(err error) bool { return codeOf(err) == "23505" }

// codeOf returns the code of an error, or "" if it is not one of the server's.
func codeOf(err error) string {
	if said, ok := errors.AsType[*pgconn.PgError](err); ok {
		return said.Code
	}
	return ""
}

func (e *Engine) Judge(err error) (hint string, kind error) {
	code := codeOf(err)
	rights := "Give the user " + e.config.User + " the right to create and write tables in " + e.config.Database + ", on a server that is not a replica."
	var schema *schemaError
	switch {
	case !errors.As(err, &schema):
	case schema.now != "":
		return "What stands between docketsync and the server, such as PgBouncer, has to pass on search_path (not to list it under ignore_startup_parameters). " +
			"Nothing was read or written.", fault.ErrReadOnly
	case schema.there:
		return rights, fault.ErrReadOnly
	default:
		return "If it is new, have it made: create schema " + schema.asked + " authorization " + e.config.User + ". If the firm's folder was renamed, rename the schema instead: " +
			"a new one knows nothing of what was sent.", fault.ErrReadOnly
	}
	if errors.Is(err, errLockGone) || errors.Is(err, errLockUsed) {
		return "Another run may start now, so this one stops. Run it again.", fault.ErrStopped
	}
	if hint := distrust(err); hint != "" {
		return hint, fault.ErrUnreachable
	}
	if hint, kind := e.judgeServer(err); hint != "" {
		return hint, kind
	}
	if code == "" {
		return "Check that the database server runs and can be reached from here, and run again: everything acknowledged is kept.", fault.ErrUnreachable
	}
	switch {
	case code == "53100":
		return "Free some space on the database server and run again: everything acknowledged is kept.", fault.ErrFull
	case slices.Contains([]string{"25006", "42501", "3F000", "42P01"}, code):
		// Read-only, no right, no schema; a schema that may not be used looks like one without tables.
		return rights, fault.ErrReadOnly
	case strings.HasPrefix(code, "XX"):
		return "Restore the database from its last backup.", fault.ErrCorrupt
	case code == "55P03", code == "40P01":
		return "Find out who holds locks on the tables of the ledger, and run again.", fault.ErrLocked
	case strings.HasPrefix(code, "28"), code == "3D000":
		return "Check the user, the password and the name of the database in the ledger's address.", fault.ErrUnreachable
	case strings.HasPrefix(code, "57"), strings.HasPrefix(code, "08"), strings.HasPrefix(code, "53"):
		return "The database server stopped or refuses connections: run again when it is available. Everything acknowledged is kept.", fault.ErrUnreachable
	}
	return "", nil
}

// WritesNothing reports whether an error is that of a server which is read-only, as it may be for a while.
func WritesNothing(err error) bool { return codeOf(err) == "25006" }

func (e *Engine) Reserve() {}

func (e *Engine) Close() error {
	if e.locks == nil {
		return nil
	}
	return e.locks.Close()
}

// Config returns the configuration of connections, for tests that put a false network or a false server in between.
func (e *Engine) Config() *pgx.ConnConfig { return e.config }

// Beside opens the database for data beside the ledger there. The ledger loses nothing without it.
func (e *Engine) Beside() *sql.DB {
	db := stdlib.OpenDB(*e.config.Copy())
	db.SetMaxOpenConns(readers)
	return db
}

// Beat sets how often the engine checks whether locks taken from now on are still held.
func (e *Engine) Beat(every time.Duration) { e.heartbeat = every }

// prepare is what each connection begins with.
func (e *Engine) prepare(ctx context.Context, conn *pgx.Conn) error {
	err := e.inSchema(ctx, conn)
	if err == nil {
		err = lasting(ctx, conn)
	}
	if err == nil && e.silent > 0 {
		_, err = conn.Exec(ctx, LetGo)
	}
	return err
}

// prepareWriting is prepare for connections that write. In another schema nothing may be written, not even which server
// this is.
func (e *Engine) prepareWriting(ctx context.Context, conn *pgx.Conn) error {
	if err := e.prepare(ctx, conn); err != nil {
		return err
	}
	return e.sameServer(ctx, conn)
}

// prepareReading is prepare for connections that read. The server keeps the plan of a statement that it made while a table
// was small, and would read all of the table for each key until it counts the rows again, a minute and 50,000 creates
// later. Nearly all that a ledger is asked has an index. A plan without one then seems so expensive that the server would
// compile it first, so that is switched off.
func (e *Engine) prepareReading(ctx context.Context, conn *pgx.Conn) error {
	err := e.prepare(ctx, conn)
	if err == nil {
		_, err = conn.Exec(ctx, `set enable_seqscan = off; set jit = off`)
	}
	return err
}

// LetGo makes the server end a connection whose process stands still in the middle of a transaction, because that may
// hold rows which all other nodes need for their next commit.
const LetGo = `set idle_in_transaction_session_timeout = '10s'`

// lasting makes a commit wait for the server's disk, and for the standbys that the server calls synchronous, whatever
// the default of the server, the database or the user is. It does not change settings that ask for more (remote_apply),
// nor remote_write, which is somebody's decision about those standbys. It changes local, which would not wait for them.
func lasting(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local')`)
	return err
}

// LaggingStandbys names the standbys that follow the database's server at this moment although not every commit waits
// for them. If one takes over, it may lack the newest commits, and what they were about would be sent again. A standby
// that is not connected at the moment cannot be seen.
func LaggingStandbys(ctx context.Context, read *store.Reader) ([]string, error) {
	names, err := store.List(ctx, read, store.Column[string], SelectLagging)
	return names, read.Wrap("look for standbys", err)
}
