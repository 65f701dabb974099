// Package installation turns a configuration into the things that a command works with: the ledger, a client of the
// service, jobs with their mappings, sources, lists, inboxes and the timetable, and the observers of runs. It is the
// only place where these concrete types meet; no other package reads the configuration and makes a ledger or a client
// from it.
//
// A Setup holds what the command line and the environment say. Open reads the configuration and opens the ledger, and
// nothing else. The client is made, and lists are fetched, when something is about to be sent (MakeReady), so that
// commands that only read need neither network nor secrets. MakeReady also checks what must be certain before anything
// is sent: that the ledger is about this service and its account and is not an older copy of itself (certain.go), and
// that reports can be written.
//
// Close ends everything in the opposite order of its beginning. A process that keeps running opens one installation and
// derives one from it for each run (ForRun).
package installation

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"go.uber.org/zap"

	"docketsync/apiclient"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/observers"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/postgres"
	"docketsync/importer/metrics"
	"docketsync/importer/push"
	"docketsync/importer/report/remedy"
)

// Installation is what a command works with, made from the configuration. Close ends it.
type Installation struct {
	Screen  *terminal.Screen
	Version string           // of this program
	Now     func() time.Time // of runs; nil for the clock of the machine
	Config  *config.Config
	Site    remedy.Site // where people do what has to be done
	Log     *zap.Logger
	Book    *ledger.Ledger
	// Mappings are the texts of mapping files that have been read, by path; others are read when a job is prepared.
	Mappings  map[string][]byte
	Observers *observers.Observers // nil for nobody
	Numbers   *metrics.Metrics     // of runs, nil until somebody observes or monitors
	Tell      Tell

	// Share lets other nodes send a run together with this one; nil if there are none.
	Share func(ctx context.Context, run ledger.Run, tell func(sent map[ledger.State]int)) (push.End, error)
	// Confirm is asked before a run sends anything, nil to send without asking.
	Confirm terminal.Asker
	// First is the largest number of records that a run sends, 0 for all.
	First int
	// Named says how to read a file that is named instead of a job's source.
	Named config.Source

	Shard      int           // how many records a part of a run has that several nodes send, 0 for the usual number
	leaseSlack time.Duration // by how much leases are longer than requests may take
	anyFirm    bool          // the ledger may be another firm's

	beside  *sql.DB           // see Beside
	client  *apiclient.Client // nil until Client
	run     runFields         // what lines of the log belong to
	spools  map[string]string // folders reserved for fetched files, by the paths that they replace
	closers []func() error
}

// Tell receives what a run does, besides the terminal; either function may be nil.
type Tell struct {
	Began    func(ledger.Run)
	Progress func(importer.Progress)
}

// ForRun returns an installation for one run with the same settings: it has its own client and log fields, and shares
// the ledger, mappings and observers. Closing it leaves those open.
func (in *Installation) ForRun() *Installation {
	own := &Installation{Screen: in.Screen, Version: in.Version, Now: in.Now, Config: in.Config, Site: in.Site, Book: in.Book, Mappings: in.Mappings, Observers: in.Observers, Share: in.Share, Shard: in.Shard}
	own.Log = own.run.wrap(in.Log)
	return own
}

// OpenLedger opens the configured ledger. It refuses another firm's: whoever works in the folder of this firm must not
// see what is in it.
func (in *Installation) OpenLedger(ctx context.Context) error {
	return in.openLedgerBy(ctx, func(dsn string, trust postgres.Trust) (*ledger.Ledger, error) {
		return ledger.OpenTrusting(ctx, dsn, trust)
	})
}

// trustIn returns what the configuration says about the ledger's server.
func trustIn(settings *config.Config) postgres.Trust {
	server := settings.LedgerServer
	return postgres.Trust{CAFile: server.CAFile, Unverified: server.Unverified == "accept"}
}

func (in *Installation) openLedgerBy(ctx context.Context, open func(dsn string, trust postgres.Trust) (*ledger.Ledger, error)) (err error) {
	if in.Book, err = open(in.Config.Ledger.Reveal(), trustIn(in.Config)); err != nil {
		return err
	}
	if err := in.sameFirm(ctx); err != nil && !in.anyFirm {
		err = errors.Join(err, in.Book.Close())
		in.Book = nil
		return err
	}
	in.Book.KeepHighWaterMark(in.Config.Reports, in.NamesOf(nil)...)
	in.Book.Outlast(in.Config.LedgerServer.Outage)
	if in.Config.LedgerServer.LaggingStandby == "accept" {
		in.Book.AcceptLagging()
	}
	in.Book.Lease(in.Config.Service.Timeout, in.leaseSlack)
	in.closers = append(in.closers, in.Book.Close)
	return nil
}

// Beside returns the ledger's database, for what consoles keep there beside the ledger, until the installation is
// closed; nil if the ledger is a file.
func (in *Installation) Beside() *sql.DB {
	if in.beside == nil && in.Book != nil && in.Book.Server() != nil {
		in.beside = in.Book.Server().Beside()
		in.closers = append(in.closers, in.beside.Close)
	}
	return in.beside
}

// Close ends everything in the opposite order of its beginning.
func (in *Installation) Close() error {
	var problems []error
	for n := len(in.closers) - 1; n >= 0; n-- {
		problems = append(problems, in.closers[n]())
	}
	in.closers = nil
	return errors.Join(problems...)
}

// End closes the installation at the end of a command; an error of closing is returned if there was no other.
func (in *Installation) End(err error) error {
	if ending := in.Close(); err == nil {
		return ending
	}
	return err
}

// ObserveRuns makes the observers of an installation; from then on they are told of its runs. There may be no ledger:
// people must be told that it cannot be opened.
func (in *Installation) ObserveRuns(ctx context.Context) error {
	if in.Numbers == nil {
		in.Numbers = metrics.New(in.Version)
	}
	if err := in.ObserveWith(in.Numbers); err != nil {
		return err
	}
	return in.ReadNumbers(ctx)
}

// ReadNumbers reads the metrics of the installation's jobs from the ledger, if somebody monitors.
func (in *Installation) ReadNumbers(ctx context.Context) error {
	if in.Book == nil || in.Config.Metrics == (config.Metrics{}) {
		return nil
	}
	return in.Observers.Metrics.Restore(ctx, in.Book.Reader, in.NamesOf(nil))
}

// ObserveWith makes the observers of an installation; they add to numbers, which may exist already.
func (in *Installation) ObserveWith(numbers *metrics.Metrics) (err error) {
	in.Observers, err = observers.New(in.Config, in.Site, in.Book, in.Log, numbers, in.Version)
	return exit.As(exit.Usage, err)
}

// ServeProbes serves /metrics, /livez, /healthz and /readyz if so configured, until the installation is closed, and
// returns the address; "" if it is not configured. The ledger need not be open: healthy and ready say what keeps the
// process from its work.
func (in *Installation) ServeProbes(ctx context.Context, healthy, ready metrics.Probe) (address string, err error) {
	if in.Config.Metrics.Listen == "" {
		return "", nil
	}
	listener, err := net.Listen("tcp", in.Config.Metrics.Listen)
	if err != nil {
		return "", fmt.Errorf("metrics cannot be served: %w\nChoose another address under metrics.listen, or leave it out", err)
	}
	if in.Numbers == nil {
		in.Numbers = metrics.New(in.Version)
	}
	serving, end := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- metrics.Serve(serving, listener, in.Numbers.Mux(healthy, ready)) }()
	in.closers = append(in.closers, func() error { end(); return <-ended })
	return listener.Addr().String(), nil
}

// proveReports makes sure that reports can be written, before anything is sent that they would have to report.
func (in *Installation) proveReports() error {
	err := os.MkdirAll(in.Config.Reports, 0o750)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(in.Config.Reports, ".probe-*"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("reports cannot be written, so nothing was sent: %w\nChoose another folder under reports: in the configuration", err)
	}
	return nil
}

// Importer returns what runs the jobs; it can send once MakeReady was called.
func (in *Installation) Importer(progress func(importer.Progress)) *importer.Importer {
	i := &importer.Importer{Ledger: in.Book, Service: push.Service{Concurrency: in.Config.Pace.Concurrency, Target: in.target}, Log: in.Log, Began: in.run.set, Progress: progress, Version: in.Version, Now: in.Now}
	i.Share, i.First = in.Share, in.First
	s := in.Config.StopAfter
	i.Limits = push.Limits{SameRefusal: s.SameRefusal, SameDifference: s.SameDifference, InDoubt: s.InDoubt, Failed: s.Failed, Rejected: float64(s.Rejected)}
	if in.Tell.Began != nil {
		i.Began = func(run ledger.Run) { in.run.set(run); in.Tell.Began(run) }
	}
	if in.Tell.Progress != nil {
		i.Progress = func(p importer.Progress) { progress(p); in.Tell.Progress(p) }
	}
	if in.client != nil {
		i.Send, i.SendLast, i.Drain, i.Listed = in.client.Send, in.client.SendLast, in.client.Drain, in.listing
		i.Pauses, i.Shows = in.client.Pauses, in.shows
	}
	return i
}

// Pusher returns what sends a run that another node has planned.
func (in *Installation) Pusher(ctx context.Context) (*push.Pusher, error) {
	if err := in.connect(ctx, nil); err != nil {
		return nil, err
	}
	i := in.Importer(func(importer.Progress) {})
	i.Share, i.Pauses = nil, nil
	switches := Spelling(in.Config.Service)
	return &push.Pusher{Service: i.Service, Ledger: in.Book, Respell: &switches, Log: in.Log, Now: time.Now, Tell: func(push.Counts) {}}, nil
}

// MakeReady makes sure that jobs can be run: that sending to the service is allowed, that it gives the lists they need,
// and that reports can be written.
func (in *Installation) MakeReady(ctx context.Context, jobs []importer.Job) error {
	if err := in.connect(ctx, jobs); err != nil {
		return err
	}
	if err := in.FetchLists(ctx, jobs); err != nil {
		return err
	}
	return in.proveReports()
}
