package ledgertest

import (
	"bufio"
	"bytes"
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

// Server is a PostgreSQL server for tests, on a socket in a temporary folder.
type Server struct {
	Admin    *sql.DB  // connections of the server's owner, made again with each start
	Port     int      // of its socket
	Listen   string   // an address of this machine, "" for the socket alone
	Settings []string // further arguments of postgres; Port, Listen and Settings take effect at the next start

	dir     string // of the socket, which standbys share
	data    string
	as      func(string, ...string) *exec.Cmd
	made    atomic.Int64
	follows *Server // the standby, nil for none
	process *exec.Cmd
}

var (
	shared = sync.OnceValues(func() (*Server, error) { return newServer("-c", "max_connections=500") })
	// blank is what initdb makes. Each server starts from a copy of it, which takes a tenth of the time.
	blank = sync.OnceValues(func() (*Server, error) {
		s, err := newFolder()
		if err != nil {
			return nil, err
		}
		return s, s.do("initdb", "-D", s.data, "-U", "ledger", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
	})
	leftMu sync.Mutex
	left   []*Server // what Stop removes
)

// Stop ends what tests have shared. A TestMain calls it when they are done.
func Stop() {
	leftMu.Lock()
	defer leftMu.Unlock()
	for _, s := range left {
		s.remove()
	}
}

// Shared returns the server of all tests of this process that need none of their own. The first caller starts it.
// Without PostgreSQL's programs the test is skipped, unless DOCKETSYNC_REQUIRE names postgres.
func Shared(t testing.TB) *Server {
	t.Helper()
	require(t)
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Own returns a server that a test may stop. It ends with the test.
func Own(t testing.TB) *Server {
	t.Helper()
	require(t)
	s, err := newServer()
	if s != nil {
		t.Cleanup(s.remove)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func require(t testing.TB) {
	t.Helper()
	if _, err := Program("initdb"); err != nil {
		if strings.Contains(os.Getenv("DOCKETSYNC_REQUIRE"), "postgres") {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// Program returns the path of one of PostgreSQL's programs.
func Program(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	for _, path := range slices.Backward(append([]string{"/usr/local/bin/" + name}, found...)) {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("skipped: PostgreSQL's %s is not installed (Debian: apt-get install postgresql)", name)
}

// newFolder returns a server that has no data yet.
func newFolder() (*Server, error) {
	dir, err := os.MkdirTemp("", "postgres")
	if err != nil {
		return nil, err
	}
	s := &Server{Port: 5432, dir: dir, data: filepath.Join(dir, "data")}
	s.as, err = unprivileged(dir)
	leftMu.Lock()
	defer leftMu.Unlock()
	left = append(left, s)
	return s, err
}

func newServer(settings ...string) (*Server, error) {
	empty, err := blank()
	if err != nil {
		return nil, err
	}
	s, err := newFolder()
	if err != nil {
		return s, err
	}
	s.Settings = settings
	if out, err := s.as("cp", "-R", empty.data, s.data).CombinedOutput(); err != nil {
		return s, fmt.Errorf("%w: %s", err, out)
	}
	return s, s.start()
}

// do runs one of PostgreSQL's programs to its end.
func (s *Server) do(name string, args ...string) error {
	path, err := Program(name)
	if err != nil {
		return err
	}
	if out, err := s.as(path, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

// Start starts the server on its existing data.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) start() error {
	program, err := Program("postgres")
	if err != nil {
		return err
	}
	args := append([]string{"-D", s.data, "-k", s.dir, "-p", fmt.Sprint(s.Port), "-c", "listen_addresses=" + s.Listen, "-c", "shared_buffers=64MB", "-c", "dynamic_shared_memory_type=mmap", "-F"}, s.Settings...)
	s.process = s.as(program, args...)
	log, err := s.process.StderrPipe()
	if err != nil {
		return err
	}
	if err := s.process.Start(); err != nil {
		return err
	}
	return s.await(log)
}

// await reads the server's log until the server is ready, and connects. It discards the rest of the log, so that the
// server never waits for its reader.
func (s *Server) await(log io.Reader) error {
	var said bytes.Buffer
	lines := bufio.NewScanner(io.TeeReader(log, &said))
	for lines.Scan() && !strings.Contains(lines.Text(), "ready to accept") {
	}
	if !strings.Contains(lines.Text(), "ready to accept") {
		return fmt.Errorf("the server did not start: %w\n%s", s.process.Wait(), bytes.TrimSpace(said.Bytes()))
	}
	go func() { _, _ = io.Copy(io.Discard, log) }()
	config, err := pgx.ParseConfig(s.address(fmt.Sprint(s.Port), s.dir))
	if err != nil {
		return err
	}
	s.Admin = stdlib.OpenDB(*config)
	return s.Admin.Ping()
}

// Halt stops the server as a crash would (pg_ctl stop -m immediate).
func (s *Server) Halt() {
	if s.Admin != nil {
		_ = s.Admin.Close()
	}
	if s.process != nil && s.process.Process != nil {
		_ = s.process.Process.Signal(syscall.SIGQUIT)
		_ = s.process.Wait()
	}
}

// Restart crashes and starts the server.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.Halt()
	s.Start(t)
}

func (s *Server) remove() {
	s.Halt()
	_ = os.RemoveAll(s.dir)
}

// Standby makes a server that follows this one under a name, until the test ends. settings are its own.
func (s *Server) Standby(t testing.TB, name string, settings ...string) *Server {
	t.Helper()
	last := s
	for last.follows != nil {
		last = last.follows
	}
	f := &Server{Port: last.Port + 1, Settings: settings, dir: s.dir, data: filepath.Join(s.dir, name), as: s.as}
	if err := s.do("pg_basebackup", "-D", f.data, "-d", fmt.Sprintf("host=%s port=%d user=ledger application_name=%s", s.dir, s.Port, name), "-R", "-X", "stream", "-c", "fast"); err != nil {
		t.Fatal(err)
	}
	f.Start(t)
	t.Cleanup(f.Halt)
	last.follows = f
	return f
}

// Ask runs statements, each in a transaction of its own, and returns the first value of the last answer.
func (s *Server) Ask(t testing.TB, statements ...string) (last string) {
	t.Helper()
	for _, text := range statements {
		if err := s.Admin.QueryRow(text).Scan(&last); err != nil && err != sql.ErrNoRows {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return last
}

// DSN returns the address of the database by the server's socket, or by that of a standby that has taken over.
func (s *Server) DSN() string {
	if s.follows != nil {
		return s.address(fmt.Sprintf("%d,%d", s.Port, s.follows.Port), s.dir, s.dir) + "&target_session_attrs=primary"
	}
	return s.address(fmt.Sprint(s.Port), s.dir)
}

func (s *Server) address(ports string, hosts ...string) string {
	for at := range hosts {
		hosts[at] = url.QueryEscape(hosts[at])
	}
	return "postgres://ledger@/postgres?host=" + strings.Join(hosts, ",") + "&port=" + ports
}

// Database makes an empty schema, which a ledger sees as its database, and returns its address. The address has a
// password, so that a leak of one is found.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test_%d", s.made.Add(1))
	if _, err := s.Admin.ExecContext(t.Context(), "create schema "+name); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(s.DSN(), "ledger@", "ledger:s3cret-word@", 1) + "&search_path=" + name
}

// Dump dumps the schema of an address with pg_dump. load replaces the schema by the dump.
func (s *Server) Dump(t testing.TB, dsn string) (load func()) {
	t.Helper()
	_, schema, _ := strings.Cut(dsn, "search_path=")
	file, server := filepath.Join(s.dir, schema+".sql"), fmt.Sprintf("host=%s port=%d user=ledger dbname=postgres", s.dir, s.Port)
	if err := s.do("pg_dump", "-n", schema, "-f", file, server); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		s.Ask(t, "drop schema "+schema+" cascade")
		if err := s.do("psql", "-q", "-v", "ON_ERROR_STOP=1", "-f", file, server); err != nil {
			t.Fatal(err)
		}
	}
}

// Put writes a file into the folder of the server's data, owned by the server's user.
func (s *Server) Put(t testing.TB, name string, text []byte) {
	t.Helper()
	write := s.as("sh", "-c", `umask 077; cat > "$0"`, filepath.Join(s.data, name))
	write.Stdin = bytes.NewReader(text)
	if err := write.Run(); err != nil {
		t.Fatal(err)
	}
}
