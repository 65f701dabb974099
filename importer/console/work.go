package console

import (
	"context"
	"encoding/json"
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
	// Sealed is where the plan of a run of the kind Plan is kept, and its seal; fs.ErrNotExist when there is none.
	Sealed func(run string) (SealedPlan, error)
	// Sent is what goes over the wire for a record, or went, with the service's switches as they are set now.
	Sent func(ctx context.Context, record ledger.Record) (json.RawMessage, error)
	// Asks tells whether the service has lists in which what is in doubt can be looked for.
	Asks func() (bool, error)
	// Ask looks there for all records in doubt, in somebody's name, and settles those that are certainly there.
	Ask func(ctx context.Context, who string) ([]Answered, error)
	// Settle writes a decision about a record in doubt into the ledger.
	Settle func(ctx context.Context, decision Decision) error
	// Settings lists the settings in use, without secrets.
	Settings func() ([]Setting, error)
	// Rewrite writes the files of a run's report again.
	Rewrite func(ctx context.Context, run string) error
	// Reports is the folder that holds one folder of reports for each run, named by report.Folder.
	Reports func() (string, error)
	// Intake takes files that nobody has mapped yet.
	Intake IntakeWork
}

// Job is one job of the configuration.
type Job struct {
	Name    string
	Mapping string   // the mapping file
	Files   []string // its sources, none for a job with an inbox
	Inbox   string   // the folder that files arrive in, "" for none: such a job runs what arrives, or a File
	When    string   // when it is due in words, "" for a job that only people run
	Next    time.Time
}

// Order is what somebody asks to be done with a job.
type Order struct {
	Job string
	// Kind is Push to send, Plan for a dry run, Check for one that needs no network.
	Kind ledger.Kind
	// Accept names the run whose guards somebody has looked at: a Push of exactly that is let through. "" for none.
	Accept string
	// File is read instead of the job's own source: rows that were corrected. "" for none.
	File string
	// Approved names a run of the kind Plan: a Push sends exactly what that planned, or nothing. "" for none.
	Approved string
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

// SealedPlan is a plan that was written down to be approved.
type SealedPlan struct {
	Path string
	Seal string // SHA-256, hex
}

// Short is as much of the seal as people compare.
func (p SealedPlan) Short() string { return p.Seal[:min(len(p.Seal), 12)] }

// Answered is what the service's lists say about a record in doubt.
type Answered struct {
	Run      string
	Seq      int64
	Key      string
	Decision ledger.Decision
	Why      string
	Settled  bool // the decision was written into the ledger
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
