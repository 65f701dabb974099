package installation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
	"docketsync/importer/cluster"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/postgres"
	"docketsync/importer/report/remedy"
)

// DefaultConfig is the configuration that is read if none is named.
const DefaultConfig = "docketsync.yaml"

// Setup is what an installation is made from: the command line's global flags, the environment, and where a command
// writes.
type Setup struct {
	*terminal.Screen
	Env        func(string) (string, bool)
	ConfigFile string
	Rehearse   bool             // send to the built-in sandbox, with a ledger and reports of their own
	Version    string           // of this program
	Firm       string           // the firm, in a process that serves several
	Console    string           // the address of the firm's pages, if its people sign in at the console of all firms
	Log        *zap.Logger      // nil to log as the configuration says
	Now        func() time.Time // nil for the clock of the machine
	AnyFirm    bool             // the ledger may be another firm's
	Less       less
}

// Settings reads the configuration. For a missing file it adds advice, because that is what happens at a first start.
func (s *Setup) Settings() (*config.Config, error) {
	read := os.ReadFile
	if s.Firm != "" {
		read = ReadFile
	}
	settings, err := config.Load(s.ConfigFile, s.Env, read, FilesOf, OpenToAll)
	if errors.Is(err, fs.ErrNotExist) && s.ConfigFile == DefaultConfig {
		return nil, exit.Mistakef("there is no %s in this folder\nName the configuration with --config FILE, or see 'docketsync demo' for one that works", s.ConfigFile)
	}
	if err == nil {
		_, err = Timetable(settings)
	}
	if err != nil {
		return nil, exit.As(exit.Usage, err)
	}
	if s.Rehearse {
		settings.Rehearse()
	}
	return settings, nil
}

// ReadFile reads a file of a firm. The file must be regular, because opening a pipe would wait until somebody writes
// into it.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// OfOneFirm refuses the configuration of many firms where one firm's is needed.
func OfOneFirm(settings *config.Config) error {
	if settings.Firms == "" {
		return nil
	}
	return exit.Mistakef("this configuration names firms; use --config %s", filepath.Join(settings.Firms, "NAME", config.FirmFile))
}

// ReadWith returns a function that reads files, one of them as if it had this text.
func ReadWith(path string, text []byte) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if name == path {
			return text, nil
		}
		return os.ReadFile(name)
	}
}

// FilesOf names the files of a folder.
func FilesOf(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		if !entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	return names, err
}

// less holds what tests need less of, from environment variables; zero means the usual.
type less struct {
	Lease time.Duration // by how much leases are longer than requests may take
	Shard int           // how many records a part has that nodes share
	Firms int           // how many firms a process has open at the same time
}

// LessBy reads the variables. It refuses one that it does not understand: otherwise nobody would see that it has no
// effect.
func LessBy(env func(string) (string, bool)) (l less, err error) {
	read := func(name string, parse func(text string) error) {
		if text, _ := env(name); text != "" && err == nil && parse(text) != nil {
			err = exit.Mistakef("the environment variable %s is %q, which is invalid\nUnset it: it is for tests", name, text)
		}
	}
	read("DOCKETSYNC_LEASE_SLACK", func(text string) (err error) { l.Lease, err = time.ParseDuration(text); return err })
	read("DOCKETSYNC_SHARD", func(text string) (err error) { l.Shard, err = strconv.Atoi(text); return err })
	read("DOCKETSYNC_FIRMS_AT_ONCE", func(text string) (err error) { l.Firms, err = strconv.Atoi(text); return err })
	if err == nil && (l.Lease < 0 || l.Shard < 0 || l.Firms < 0) {
		err = exit.Mistakef("an environment variable of tests is negative\nUnset DOCKETSYNC_LEASE_SLACK, DOCKETSYNC_SHARD and DOCKETSYNC_FIRMS_AT_ONCE")
	}
	return l, err
}

// New returns an installation with settings. Its ledger is not opened, and nobody observes its runs.
func (s *Setup) New(settings *config.Config) *Installation {
	in := &Installation{Screen: s.Screen, Version: s.Version, Now: s.Now, Config: settings, Site: s.Site(settings), leaseSlack: cmp.Or(s.Less.Lease, ledger.LeaseSlack), Shard: s.Less.Shard,
		anyFirm: s.AnyFirm}
	log := s.Log
	if log == nil {
		log = s.Logger(settings.Log.Level, settings.Log.Format)
	}
	in.Log = in.run.wrap(log)
	return in
}

// Site says where people do what has to be done about runs with these settings.
func (s *Setup) Site(settings *config.Config) remedy.Site {
	site := remedy.Site{Console: strings.TrimRight(settings.Console.URL, "/"), Rehearse: s.Rehearse}
	if settings.Console.OfFirms() {
		site.Console = s.Console
	}
	if s.ConfigFile != DefaultConfig {
		path, err := filepath.Abs(s.ConfigFile)
		if err != nil {
			path = s.ConfigFile
		}
		site.Flags = []string{"--config", path}
	}
	for _, job := range settings.Jobs {
		if job.Source.Inbox != nil {
			site.Inboxes = append(site.Inboxes, job.Name)
		}
	}
	return site
}

// Open reads the configuration and opens the ledger. The installation is nil if the configuration cannot be read; if
// only the ledger cannot be opened, it is returned with the error, so that somebody can be told.
func (s *Setup) Open(ctx context.Context) (*Installation, error) {
	settings, err := s.Settings()
	if err != nil {
		return nil, err
	}
	in := s.New(settings)
	return in, in.OpenLedger(ctx)
}

// LedgerServer returns the PostgreSQL server of the configured ledger, which is not opened. For a ledger in a file the
// error is cluster.ErrNoServer.
func (s *Setup) LedgerServer() (*postgres.Engine, error) {
	settings, err := s.Settings()
	if err != nil {
		return nil, err
	}
	server, err := ledger.ServerOf(settings.Ledger.Reveal(), trustIn(settings))
	if err == nil && server == nil {
		err = exit.As(exit.Usage, cluster.ErrNoServer)
	}
	return server, err
}

// View is Open for a command that only reads, and so also works if the disk of an SQLite ledger is full or read-only.
// scratch says that the command writes a plan to the ledger, which may be lost.
func (s *Setup) View(ctx context.Context, scratch bool) (*Installation, error) {
	settings, err := s.Settings()
	if err != nil {
		return nil, err
	}
	in := s.New(settings)
	return in, in.OpenView(ctx, scratch)
}

// OpenView is OpenLedger for the purpose of View.
func (in *Installation) OpenView(ctx context.Context, scratch bool) error {
	err := in.openLedgerBy(ctx, func(dsn string, trust postgres.Trust) (*ledger.Ledger, error) {
		return ledger.OpenView(ctx, dsn, trust, scratch)
	})
	if err == nil && in.Book.View() != nil {
		fmt.Fprintf(in.Screen.Err, "%v\nUntil then docketsync reads a copy of the ledger and changes nothing in it.\n", in.Book.View())
	}
	return err
}
