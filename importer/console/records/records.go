// Package records has the pages of single records: the search over all runs, the history of a record run by run, the
// records of a run with everything the ledger has about each, what is in doubt, and what somebody else changed in the
// service.
//
// A person or the service's own lists decide a doubt, never this package. If a form about doubts has an invalid
// decision, none of its decisions is saved. A decision that sends something again has to be confirmed on a page of its
// own, because a create that is sent twice cannot be undone. A decision about a record that somebody else has decided
// meanwhile is not saved, and the page says so.
package records

import (
	"context"
	"embed"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"docketsync/apiclient/payload"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
	"docketsync/importer/inquiry"
	"docketsync/importer/ledger"
	"docketsync/importer/planfile"
)

//go:embed pages/*.html
var files embed.FS

// Work is what these pages do beyond reading the ledger.
type Work interface {
	// Asks reports whether the service has lists in which records in doubt can be looked up.
	Asks() (bool, error)
	// Ask looks all records in doubt up there on behalf of who, and settles those that are certainly there.
	Ask(ctx context.Context, who string, doubts []ledger.Record) ([]inquiry.Answer, error)
	// Acknowledge records that who accepts rejected records of a run as they are, or takes that back (withdraw).
	Acknowledge(ctx context.Context, who string, records []ledger.Record, note string, withdraw bool) error
	// SettleConflicts records whose values stand for records that somebody else has changed in the service, as
	// decisions.Writer does.
	SettleConflicts(ctx context.Context, list []ledger.Conflict) (saved []ledger.Conflict, err error)
	// Takeable returns the fields that can each be left to the service on its own.
	Takeable(c ledger.Conflict, op payload.Operation) []string
	// Correct records which cells of the rows of a key are corrected when they are next read, replacing before. It
	// returns ledger.ErrCorrected if the ledger no longer has before. who becomes the author of those without one.
	Correct(ctx context.Context, who string, run ledger.Run, key string, before, cells []ledger.CellCorrection) error
	// Settle records somebody's decision about a record in doubt in the ledger.
	Settle(ctx context.Context, who string, decision Decision) error
}

// Decision is what somebody decides about a record in doubt.
type Decision struct {
	Run     string
	Seq     int64
	Verdict ledger.Decision
	ID      string // the service's id, for Exists; "" if it is not known
	Note    string
}

// Pages are the pages about single records.
type Pages struct {
	Work      Work
	Snapshots *web.Snapshots
	// Background runs something that outlasts a request, until its context ends.
	Background func(func(ctx context.Context))
	Log        *zap.Logger
	Now        func() time.Time

	asking   sync.Mutex // held while the service is asked about records in doubt
	answered atomic.Pointer[answers]

	learning sync.Mutex
	learned  chan struct{} // closed when indexing for the search is done; nil if none is in progress
}

// AddTo adds the pages to a frame.
func (p *Pages) AddTo(f *web.Frame) {
	f.AddPages(files)
	f.Get("/doubts", signin.Viewer, p.doubts)
	f.Post("/doubts", signin.Operator, "resolve", p.settleDoubts)
	f.Post("/doubts/ask", signin.Operator, "ask", p.askService)
	f.Get("/changed", signin.Viewer, p.changed)
	f.Post("/changed", signin.Operator, "resolve", p.settleChanged)
	f.Get("/records", signin.Viewer, p.find)
	f.Get("/records/of", signin.Viewer, history)
	f.Get("/runs/{run}/records", signin.Viewer, web.Of(web.RunOf, list))
	f.Get("/runs/{run}/rejects", signin.Viewer, web.Of(web.RunOf, rejects))
	f.Post("/runs/{run}/rejects", signin.Operator, "acknowledge", web.Of(web.RunOf, p.acknowledge))
	f.Get("/runs/{run}/records/{seq}", signin.Viewer, web.Of(web.RunOf, one))
	f.Post("/runs/{run}/records/{seq}", signin.Operator, "correct", web.Of(web.RunOf, p.correct))
}

// entry is one record of one run, with everything known about it.
type entry struct {
	ledger.Record
	Of        ledger.Run
	Requests  []ledger.Attempt
	Decisions []ledger.Decided
}

func entryOf(ctx context.Context, run ledger.Run, r ledger.Record) (e entry, err error) {
	e = entry{Record: r, Of: run}
	if e.Requests, err = web.Book(ctx).Attempts(ctx, r.Run, r.Seq); err != nil {
		return e, err
	}
	e.Decisions, err = web.Book(ctx).Decisions(ctx, r.Run, r.Seq)
	return e, err
}

// runs are runs already found, by id.
type runs map[string]ledger.Run

// of finds a run; it asks the ledger once for each.
func (known runs) of(ctx context.Context, id string) (ledger.Run, error) {
	if run, ok := known[id]; ok {
		return run, nil
	}
	run, err := web.Book(ctx).Run(ctx, id)
	known[id] = run
	return run, err
}

// changes returns the values of a record that change, or all values if the service held none before. Ids come with the
// names they were looked up by.
func changes(run ledger.Run, r ledger.Record, all json.RawMessage) ([]planfile.Change, error) {
	operation, from, to := payload.Operation(""), json.RawMessage(nil), all
	if len(r.Previous) > 0 {
		operation, from, to = payload.Operation(run.Operation), r.Previous, r.Payload
	}
	changes, err := payload.Changes(operation, from, to)
	return planfile.Named(run, r, changes), err
}
