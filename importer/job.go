package importer

import (
	"context"
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
	"docketsync/importer/rows"
	"docketsync/mapping"
	"docketsync/mapping/lookup"
)

// Job is one job of the configuration, made ready to run: where the rows come from and how they become payloads.
type Job struct {
	Name    string
	Mapping *mapping.Mapping
	// MappingText is the mapping file as it was read.
	MappingText []byte
	Inputs      []rows.Input
	lookups.Sources
	Policy decide.Policy
	// After are the jobs that must have ended completely before this one is sent: those that it names, and those that they name.
	After []Predecessor
	// Jobs are the names of all jobs of the configuration: a case that another of the scope has in its last export is not turned inactive.
	Jobs []string
	// Guards stop a run before anything is sent whose export is too different from the last one.
	Guards guard.Limits
	// Partial says that the inputs are not a whole export but some rows of it, rejects that were corrected: of the guards
	// only those fire that need no whole export, nothing has vanished, and no export is compared with it.
	Partial bool
	// FormerSettings are the service's switches as the first form of fingerprints had them; see fingerprint.
	FormerSettings string
}

// Importer runs jobs against one ledger and one service.
type Importer struct {
	Ledger *ledger.Ledger
	// Service is what a push needs of the service: Check and Plan never use it.
	push.Service
	// Listed, when set, reads a list of the service; nil where the configuration has none of that name.
	Listed func(ctx context.Context, list string) (*inquiry.Listing, error)
	// Shows, when set, says how the list is read that shows the records which an operation updates; nil where the configuration has none that tells
	// who changed them, or when.
	Shows func(op payload.Operation) (*conflict.List, error)
	Log   *zap.Logger
	Now   func() time.Time
	// Version is that of this program, which is kept with each run.
	Version string
	// Began, when set, is called with a run once it has begun or is resumed.
	Began func(ledger.Run)
	// Confirm, when set, is asked before anything of a run is sent, also of one that is resumed. Its error calls the run off: nothing is
	// sent, and a later run may resume it.
	Confirm func(context.Context, ledger.Run) error
	// First is how many records a run sends at the most, 0 for all; a later run sends the rest.
	First int
	// Progress, when set, is called from the run's own goroutines whenever the counts change; it must return at once.
	Progress func(Progress)
}

// Progress is where a run stands.
type Progress struct {
	Job   string
	Phase ledger.Phase
	// Rows counts the rows read so far, Records the records planned so far; To is how many of them are to be sent.
	Rows, Records, To int
	// Sent counts the records settled so far in the second pass, by state.
	Sent map[ledger.State]int
	// Paused is why nothing is sent at the moment, though there is more: how the service failed; "" while all is well.
	Paused string
}

// Settled is how many records the second pass has brought to an end.
func (p Progress) Settled() int {
	n := 0
	for _, count := range p.Sent {
		n += count
	}
	return n
}

// Done is what its phase counts: records that are settled while pushing, rows while reading, or records where the rows are not known.
func (p Progress) Done() int {
	if p.Phase == ledger.Pushing {
		return p.Settled()
	}
	return max(p.Rows, p.Records)
}

// Rest is how many records are still to be sent, 0 while none are sent.
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

// ListNames are the lists of the service that the mapping's lookups are made of, each once.
func (j Job) ListNames() []string { return lookups.ListNames(j.Mapping.Lookups()) }

// Lookups makes the tables that the mapping of a job names; see LookupSources.Tables.
func (i *Importer) Lookups(ctx context.Context, job Job) (map[string]*lookup.Table, error) {
	return job.Tables(ctx, i.Ledger, job.Mapping.Lookups())
}

// AsksLedger tells whether the mapping takes ids from what other jobs were given, so that its plan ages with theirs.
func (j Job) AsksLedger() bool {
	return slices.ContainsFunc(j.Mapping.Lookups(), func(s mapping.LookupSpec) bool { return s.Ledger != "" })
}

// walk is the walk over the job's sources.
func (j Job) walk(lookups map[string]*lookup.Table) rows.Walk {
	return rows.Walk{Inputs: j.Inputs, Mapping: j.Mapping, Lookups: lookups}
}
