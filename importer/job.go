package importer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"docketsync/apiclient/payload"
	"docketsync/importer/conflict"
	"docketsync/importer/decide"
	"docketsync/importer/guard"
	"docketsync/importer/inquiry"
	"docketsync/importer/ledger"
	"docketsync/importer/lookups"
	"docketsync/importer/push"
	"docketsync/importer/report/wording"
	"docketsync/importer/rows"
	"docketsync/mapping"
	"docketsync/mapping/lookup"
)

// Job is one job of the configuration, ready to run: where the rows come from and how they become payloads.
type Job struct {
	Name    string
	Mapping *mapping.Mapping
	// MappingText is the mapping file as it was read.
	MappingText []byte
	Inputs      []rows.Input
	lookups.Sources
	Policy decide.Policy
	// After are the jobs that must have ended completely before this one is sent: those that it names, and those that
	// they name in turn.
	After []Predecessor
	// Jobs are the names of all jobs of the configuration. A case that the last export of another job of the scope has
	// is not set inactive.
	Jobs []string
	// Guards stop a run before anything is sent if its export differs too much from the last one.
	Guards guard.Limits
	// Partial says that the inputs are not a whole export but some of its rows, such as corrected rejects. Then only
	// the guards that need no whole export apply, no record counts as vanished, and no later export is compared with
	// it.
	Partial bool
	// FormerSettings are the service's switches as the first form of fingerprints had them; see fingerprint.
	FormerSettings string
}

// Importer runs jobs against one ledger and one service.
type Importer struct {
	Ledger *ledger.Ledger
	// Service is what a push needs of the service. Check and Plan never use it.
	push.Service
	// Listed, if set, reads a list of the service. It returns nil if the configuration has no list of that name.
	Listed func(ctx context.Context, list string) (*inquiry.Listing, error)
	// Shows, if set, returns the list of the records that an operation updates. It returns nil if the configuration has
	// no such list that says who changed them, or when.
	Shows func(op payload.Operation) (*conflict.List, error)
	Log   *zap.Logger
	Now   func() time.Time
	// Version is the version of this program, which is stored with each run.
	Version string
	// Began, if set, is called with each run that has begun or is resumed.
	Began func(ledger.Run)
	// Confirm, if set, is called before a run sends anything, also if it is resumed. An error calls the run off:
	// nothing is sent, and a later run may resume it.
	Confirm func(context.Context, ledger.Run) error
	// First is the most records that a run sends, 0 for all. A later run sends the rest.
	First int
	// Progress, if set, is called from the run's own goroutines whenever the counts change. It must return at once.
	Progress func(Progress)
}

// Progress is where a run stands.
type Progress struct {
	Job   string
	Phase ledger.Phase
	// Rows counts the rows read so far and Records the records planned so far. To is how many of these are to be sent.
	Rows, Records, To int
	// Sent counts the records settled so far in the second pass, by state.
	Sent map[ledger.State]int
	// Paused says how the service failed if that is why nothing is sent at the moment; "" while all is well.
	Paused string
}

// Settled returns how many records the second pass has settled.
func (p Progress) Settled() int {
	n := 0
	for _, count := range p.Sent {
		n += count
	}
	return n
}

// Done returns what the phase counts: settled records while pushing; while reading, rows, or records if the rows are
// not known.
func (p Progress) Done() int {
	if p.Phase == ledger.Pushing {
		return p.Settled()
	}
	return max(p.Rows, p.Records)
}

// Rest returns how many records are still to be sent, or 0 while none are sent.
func (p Progress) Rest() int {
	if p.Phase != ledger.Pushing || p.Paused != "" {
		return 0
	}
	return p.To - p.Settled()
}

func (i *Importer) now() time.Time {
	if i.Now != nil {
		return i.Now()
	}
	return time.Now()
}

func (i *Importer) progress(p Progress) {
	if i.Progress != nil {
		i.Progress(p)
	}
}

func (i *Importer) log() *zap.Logger {
	if i.Log != nil {
		return i.Log
	}
	return zap.NewNop()
}

// ListNames returns the lists of the service that the mapping's lookups use, each once.
func (j Job) ListNames() []string { return lookups.ListNames(j.Mapping.Lookups()) }

// Lookups makes the tables that the mapping of a job names; see lookups.Sources.Tables.
func (i *Importer) Lookups(ctx context.Context, job Job) (map[string]*lookup.Table, error) {
	return job.Tables(ctx, i.Ledger, job.Mapping.Lookups())
}

// AsksLedger reports whether the mapping takes ids that other jobs were given, so that its plan goes stale when they
// run.
func (j Job) AsksLedger() bool {
	return slices.ContainsFunc(j.Mapping.Lookups(), func(s mapping.LookupSpec) bool { return s.Ledger != "" })
}

// walk returns the walk over the job's sources.
func (j Job) walk(lookups map[string]*lookup.Table) rows.Walk {
	return rows.Walk{Inputs: j.Inputs, Mapping: j.Mapping, Lookups: lookups}
}

// Predecessor is a job that another one comes after. Inbox says that it runs the files that arrive in an inbox, Changes
// that each of these holds changes instead of the whole export.
type Predecessor struct {
	Name           string
	Inbox, Changes bool
}

// WaitsError says that a job was not sent because a job that it comes after is not completely in the service.
type WaitsError struct {
	Job, For string
	Why      string // the state of that job's last run

	inbox, again, left bool // inbox: the job has an inbox; again: the same file must be put there again; left: its last run left something
}

func (e *WaitsError) Error() string {
	return fmt.Sprintf("it comes after job %s, %s; nothing was sent", e.For, e.Why)
}

// Advice says what to do.
func (e *WaitsError) Advice() string {
	first, then := "Run both: ", fmt.Sprintf("docketsync run %s %s", e.For, e.Job)
	if e.left {
		again := ""
		if e.again {
			again = ", and put the same file into its inbox again"
		}
		first = "Settle what is in doubt or held with docketsync resolve" + again + ". Then: "
	}
	if e.inbox {
		then = fmt.Sprintf("docketsync inbox %s, then docketsync run %s", e.For, e.Job)
	}
	return first + then
}

// waits returns a WaitsError while the last run of a job that this one comes after has records that failed, are in
// doubt or held. It leaves no run, so asking again and again does not fill the ledger.
func (i *Importer) waits(ctx context.Context, job Job) error {
	for _, before := range job.After {
		runs, err := i.Ledger.Runs(ctx, ledger.RunFilter{Job: before.Name, Kinds: []ledger.Kind{ledger.Push}})
		if err != nil {
			return err
		}
		why, left, err := i.unended(ctx, runs, before.Changes)
		if err != nil {
			return err
		}
		if why != "" {
			return &WaitsError{Job: job.Name, For: before.Name, Why: why, inbox: before.Inbox, again: before.Inbox && !before.Changes, left: left}
		}
	}
	return nil
}

// unended says by the runs of a job, newest first, why the job has not ended, or "" if it has; left says that its last
// run left something. Some rows of an export that were sent apart do not stand for the export.
func (i *Importer) unended(ctx context.Context, runs []ledger.Run, changes bool) (why string, left bool, err error) {
	for _, run := range runs {
		switch {
		case run.Phase != ledger.Finished && run.Phase != ledger.Stopped:
			return fmt.Sprintf("whose run %s has not ended", run.Name), false, nil
		case run.Phase == ledger.Stopped:
			return fmt.Sprintf("whose last run %s was stopped", run.Name), false, nil
		case run.Export == nil && !changes:
			continue
		}
		n, err := i.count(ctx, run.ID, func(c ledger.Count) bool {
			return c.State == ledger.Failed || c.State == ledger.InDoubt || c.State == ledger.Held
		})
		if err != nil || n == 0 {
			return "", false, err
		}
		return fmt.Sprintf("whose last run %s left %s failed, in doubt or held", run.Name, wording.Counted(n, "record")), true, nil
	}
	return "which has never been run as a whole", false, nil
}
