package ledger

import (
	"bufio"
	"bytes"
	"cmp"
	"database/sql"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

func TestPostgreSQL(t *testing.T) {
	t.Parallel()
	server := postgresServer(t)
	for name, test := range suite() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := open(t, server.database(t))
			test(t, l)
			fitsAfter(t, l, name)
		})
	}
}

// server is a PostgreSQL server of the tests' own, on a socket in a temporary folder.
type server struct {
	dir     string
	as      func(string, ...string) *exec.Cmd
	program string // postgres
	port    int    // 0 for PostgreSQL's own
	made    atomic.Int64
	process *exec.Cmd
	admin   *sql.DB
}

var (
	theServer = sync.OnceValues(func() (*server, error) {
		s, err := startServer()
		running.Store(s)
		return s, err
	})
	running atomic.Pointer[server]
)

func TestMain(m *testing.M) {
	if task := os.Getenv(childEnv); task != "" {
		os.Exit(child(task))
	}
	code := m.Run()
	if s := running.Load(); s != nil {
		s.stop()
	}
	os.Exit(code)
}

// postgresServer is the server, started by the first test that asks for it. Without PostgreSQL's programs the test is
// skipped, unless it is required.
func postgresServer(t testing.TB) *server {
	t.Helper()
	s, err := theServer()
	if err == nil {
		return s
	}
	if strings.Contains(os.Getenv("DOCKETSYNC_REQUIRE"), "postgres") {
		t.Fatal(err)
	}
	t.Skip(err)
	return nil
}

func startServer() (*server, error) {
	initdb, err := findProgram("initdb")
	if err != nil {
		return nil, err
	}
	postgres, err := findProgram("postgres")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir, program: postgres}
	if s.as, err = s.unprivileged(); err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	if out, err := s.as(initdb, "-D", data, "-U", "ledger", "-A", "trust", "-E", "UTF8", "--locale=C", "-N").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	return s, s.start()
}

// start starts the server on the data that are there.
func (s *server) start() error { return s.startOn(filepath.Join(s.dir, "data")) }

func (s *server) startOn(data string, more ...string) error {
	args := append([]string{"-D", data, "-k", s.dir, "-c", "listen_addresses=", "-c", "shared_buffers=64MB", "-c", "max_connections=500", "-F"}, more...)
	s.process = s.as(s.program, args...)
	log, err := s.process.StderrPipe()
	if err != nil {
		return err
	}
	if err := s.process.Start(); err != nil {
		return err
	}
	return s.await(log)
}

// halt stops the server as a crash would (pg_ctl stop -m immediate).
func (s *server) halt() {
	_ = s.process.Process.Signal(syscall.SIGQUIT)
	_ = s.process.Wait()
}

// standby makes a copy of the server that follows it, by the name of second, and is not waited for. stop ends it.
func (s *server) standby(t testing.TB) (stop func()) {
	t.Helper()
	basebackup, err := findProgram("pg_basebackup")
	must(t, err)
	follower := &server{dir: s.dir, as: s.as, program: s.program}
	data := filepath.Join(s.dir, "second")
	if out, err := s.as(basebackup, "-D", data, "-d", "host="+s.dir+" user=ledger application_name=second", "-R", "-X", "stream", "-c", "fast").CombinedOutput(); err != nil {
		t.Fatalf("pg_basebackup: %v: %s", err, out)
	}
	must(t, follower.startOn(data, "-p", "5433"))
	return follower.halt
}

// ownServer is a server that a test may stop.
func ownServer(t testing.TB) *server {
	t.Helper()
	postgresServer(t) // which skips the test where there is none
	s, err := startServer()
	must(t, err)
	t.Cleanup(s.stop)
	return s
}

func findProgram(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	found = append(found, "/usr/local/bin/"+name)
	for _, path := range slices.Backward(found) {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("skipped: PostgreSQL's %s is not installed (Debian: apt-get install postgresql)", name)
}

// await reads the server's log until it says that it is ready, and connects. The rest of the log is read over, so that
// the server never waits for its reader.
func (s *server) await(log io.Reader) error {
	var said bytes.Buffer
	lines := bufio.NewScanner(io.TeeReader(log, &said))
	for lines.Scan() && !strings.Contains(lines.Text(), "ready to accept") {
	}
	if !strings.Contains(lines.Text(), "ready to accept") {
		return fmt.Errorf("the server did not start: %w\n%s", s.process.Wait(), bytes.TrimSpace(said.Bytes()))
	}
	go func() { _, _ = io.Copy(io.Discard, log) }()
	config, err := pgx.ParseConfig(s.dsn("postgres"))
	if err != nil {
		return err
	}
	s.admin = stdlib.OpenDB(*config)
	return s.admin.Ping()
}

func (s *server) dsn(database string) string {
	return fmt.Sprintf("postgres://ledger:s3cret-word@/%s?host=%s&port=%d", database, url.QueryEscape(s.dir), cmp.Or(s.port, 5432))
}

// database makes an empty schema, which a ledger sees as its database, and returns its address.
func (s *server) database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test_%d", s.made.Add(1))
	_, err := s.admin.ExecContext(t.Context(), "create schema "+name)
	must(t, err)
	return s.dsn("postgres") + "&search_path=" + name
}

func (s *server) stop() {
	if s.admin != nil {
		_ = s.admin.Close()
	}
	if s.process != nil && s.process.Process != nil {
		s.halt()
	}
	_ = os.RemoveAll(s.dir)
}
