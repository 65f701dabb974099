package console

import (
	"context"
	"time"

	"docketsync/importer"
	"docketsync/importer/ledger"
)

// Work is what the console does beyond reading the ledger. It is made where the commands are made, of the same code, so that a
// click does what the command of that name does: the locks of the ledger hold for both, and so do all checks. The functions may
// be called at any time and from several goroutines; those that read the configuration read it anew each time. An error says
// what happened and what to do next, in lines for a person, and holds no secret.
type Work struct {
	// Jobs lists the jobs of the configuration, in its order.
	Jobs func(ctx context.Context) ([]Job, error)
	// Do carries out an order from beginning to end, and returns the run as it ended; the reports are written then. When ctx
	// ends, what is in flight is finished and the rest is held. An error means that the run could not be made; it is a
	// *ledger.BusyError when another run holds the lock.
	Do func(ctx context.Context, order Order, tell Tell) (ledger.Run, error)
	// Settle writes a decision about a record in doubt into the ledger.
	Settle func(ctx context.Context, decision Decision) error
	// Settings lists the settings in use, without secrets.
	Settings func() ([]Setting, error)
	// Rewrite writes the files of a run's report again.
	Rewrite func(ctx context.Context, run string) error
	// Reports is the folder that holds one folder of reports for each run, named by report.Folder.
	Reports func() (string, error)
}

// Job is one job of the configuration.
type Job struct {
	Name    string
	Mapping string   // the mapping file
	Files   []string // its sources, none for a job with an inbox
	Inbox   string   // the folder that files arrive in, "" for none: such a job cannot be ordered
	When    string   // when it is due in words, "" for a job that only people run
	Next    time.Time
}

// Order is what somebody asks to be done with a job.
type Order struct {
	Job string
	// Kind is Push to send, Plan for a dry run, Check for one that needs no network.
	Kind ledger.Kind
	// Accept lets a Push through the guards that stopped the job's last run, and through no others.
	Accept bool
	// Who asks for it.
	Who string
}

// Tell takes what is known of an order while it is carried out. Both may be nil, and return at once.
type Tell struct {
	Began    func(ledger.Run)
	Progress func(importer.Progress)
}

// Decision is what somebody says about a record in doubt.
type Decision struct {
	Run      string
	Seq      int64
	Decision ledger.Decision
	ID       string // that the service gave, for Exists; "" when it is not known
	Who      string
	Note     string
}

// Setting is one line of the effective configuration.
type Setting struct {
	Path   string // service.retry.total
	Depth  int    // how many blocks it stands in
	Key    string
	Value  string // "" for a block; secrets are hidden
	Block  bool
	Stated bool // the file says it; otherwise it is a default
}
