// Package installation turns a configuration into the things that a command works with: the ledger, a client of the service, jobs
// with their mappings, sources, lists, inboxes and the timetable, and those who observe runs. It is the only place where these
// concrete types meet; no other package reads the configuration and makes a ledger or a client of it.
//
// A Setup holds what the command line and the environment say. Open reads the configuration and opens the ledger, and nothing else:
// the client is made, and lists are fetched, when something is about to be sent (MakeReady), so that commands which only read need
// neither network nor secrets. What must be certain before anything is sent is asked there, too: that the ledger is about this
// service and its account and is no older copy of itself (certain.go), and that reports can be written.
//
// Close ends everything in the opposite order of its beginning. A process that stays up opens one installation and makes one of it
// for each run (ForRun).
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

// Installation is the configuration turned into things: what a command works with. Close ends it.
type Installation struct {
	Screen  *terminal.Screen
	Version string           // of this program
	Now     func() time.Time // of runs; nil for the clock of the machine
	Config  *config.Config
	Site    remedy.Site // where people do what is to be done
	Log     *zap.Logger
	Book    *ledger.Ledger
	// Mappings are the texts of mapping files that were read before, by path; others are read when a job is made ready.
	Mappings  map[string][]byte
	Observers *observers.Observers // nil for nobody
	Numbers   *metrics.Metrics     // of runs, nil until somebody observes or watches
	Tell      Tell

	// Share has other nodes send a run together with this one, nil where there are none.
	Share func(ctx context.Context, run ledger.Run, tell func(sent map[ledger.State]int)) (push.End, error)
	// Confirm is asked before a run sends anything, nil where nobody is.
	Confirm terminal.Asker
	// First is how many records a run sends at the most, 0 for all.
	First int
	// Named is how a file is read that is named instead of a job's source.
	Named config.Source

	Shard      int           // how many records a part of a run has that several nodes send, 0 for the usual
	leaseSlack time.Duration // by how much leases are longer than requests may take
	anyFirm    bool          // the ledger may be another firm's

	beside  *sql.DB           // see Beside
	client  *apiclient.Client // nil until Client
	run     runFields         // what lines of the log belong to
	spools  map[string]string // the folders that are reserved for fetched files, by the places that they stand for
	closers []func() error
}

// Tell is what is called beside the terminal with what a run does; either may be nil.
type Tell struct {
	Began    func(ledger.Run)
	Progress func(importer.Progress)
}

// ForRun is an installation for one run by the same settings: with a client and lines of the log of its own, and the ledger,
// mappings and observers of all. Closing it leaves those open.
func (in *Installation) ForRun() *Installation {
	own := &Installation{Screen: in.Screen, Version: in.Version, Now: in.Now, Config: in.Config, Site: in.Site, Book: in.Book, Mappings: in.Mappings, Observers: in.Observers, Share: in.Share, Shard: in.Shard}
	own.Log = own.run.wrap(in.Log)
	return own
}

// OpenLedger opens the ledger of the configuration. That of another firm is refused: what is in it is not for who works in the folder of this one.
func (in *Installation) OpenLedger(ctx context.Context) error {
	return in.openLedgerBy(ctx, func(dsn string, trust postgres.Trust) (*ledger.Ledger, error) {
		return ledger.OpenTrusting(ctx, dsn, trust)
	})
}

// trustIn is what the configuration says about the ledger's server.
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

// Beside is the database of the ledger for what consoles keep together beside it, until the installation is closed; nil where that is a file.
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

// End closes the installation at the end of a command; a trouble in doing so is reported when there was no other.
func (in *Installation) End(err error) error {
	if ending := in.Close(); err == nil {
		return ending
	}
	return err
}

// ObserveRuns makes the observers of an installation, from then on told of its runs. The ledger may be missing: that it cannot
// be opened is what people have to be told.
func (in *Installation) ObserveRuns(ctx context.Context) error {
	if in.Numbers == nil {
		in.Numbers = metrics.New(in.Version)
	}
	if err := in.ObserveWith(in.Numbers); err != nil {
		return err
	}
	return in.ReadNumbers(ctx)
}

// ReadNumbers has the numbers of the installation's jobs read from the ledger, where somebody watches.
func (in *Installation) ReadNumbers(ctx context.Context) error {
	if in.Book == nil || in.Config.Metrics == (config.Metrics{}) {
		return nil
	}
	return in.Observers.Metrics.Restore(ctx, in.Book.Reader, in.NamesOf(nil))
}

// ObserveWith makes the observers of an installation, who add to numbers that another may have begun.
func (in *Installation) ObserveWith(numbers *metrics.Metrics) (err error) {
	in.Observers, err = observers.New(in.Config, in.Site, in.Book, in.Log, numbers, in.Version)
	return exit.As(exit.Usage, err)
}

// ServeProbes answers /metrics, /livez, /healthz and /readyz where the configuration says so, until the installation is closed, and
// returns the address; "" when it says nowhere. The ledger need not be open: healthy and ready say what keeps the process from its work.
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

// proveReports makes sure that reports can be written, before anything is sent that they would have to tell of.
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

// Importer is what runs the jobs; it can send once MakeReady was called.
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

// Pusher is what sends a run that another node has planned.
func (in *Installation) Pusher(ctx context.Context) (*push.Pusher, error) {
	if err := in.connect(ctx, nil); err != nil {
		return nil, err
	}
	i := in.Importer(func(importer.Progress) {})
	i.Share, i.Pauses = nil, nil
	switches := Spelling(in.Config.Service)
	return &push.Pusher{Service: i.Service, Ledger: in.Book, Respell: &switches, Log: in.Log, Now: time.Now, Tell: func(push.Counts) {}}, nil
}

// MakeReady makes sure that jobs can be run: that the service may be sent to, that it gives the lists they need, and that
// reports can be written.
func (in *Installation) MakeReady(ctx context.Context, jobs []importer.Job) error {
	if err := in.connect(ctx, jobs); err != nil {
		return err
	}
	if err := in.FetchLists(ctx, jobs); err != nil {
		return err
	}
	return in.proveReports()
}
