// Package records has the pages of single records: the search over all runs, what became of a record run by run, the records of a run
// with all that the ledger has of each, and what is in doubt.
//
// A doubt is decided by a person or by the service's own lists, never here. Decisions of a form are taken as a whole or not at all; one that
// would have something sent again is confirmed on a page of its own, because a create that is sent twice cannot be undone; and one about a
// record that somebody else has decided on meanwhile is not taken, and told.
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
	// Asks tells whether the service has lists in which what is in doubt can be looked for.
	Asks() (bool, error)
	// Ask looks there for all records in doubt, in somebody's name, and settles those that are certainly there.
	Ask(ctx context.Context, who string, doubts []ledger.Record) ([]inquiry.Answer, error)
	// Acknowledge writes down that somebody accepts rejected records of a run as they are, by their places in it; or takes that back.
	Acknowledge(ctx context.Context, who string, records []ledger.Record, note string, withdraw bool) error
	// SettleConflict writes down whose values stand where somebody else has changed a record in the service.
	SettleConflict(ctx context.Context, c ledger.Conflict, s ledger.Settled) error
	// Takeable are the fields that can be left to the service each by itself.
	Takeable(c ledger.Conflict, op payload.Operation) []string
	// Correct writes down which cells of the rows of a key are corrected, for when they are read again, in the place of before; ledger.ErrCorrected
	// where there are others by now. Those that are of nobody yet are of who.
	Correct(ctx context.Context, who string, run ledger.Run, key string, before, cells []ledger.CellCorrection) error
	// Settle writes somebody's decision about a record in doubt into the ledger.
	Settle(ctx context.Context, who string, decision Decision) error
}

// Decision is what somebody says about a record in doubt.
type Decision struct {
	Run     string
	Seq     int64
	Verdict ledger.Decision
	ID      string // that the service gave, for Exists; "" when it is not known
	Note    string
}

// Pages are the pages about single records.
type Pages struct {
	Work      Work
	Snapshots *web.Snapshots
	// Background does something that outlasts a request, until its context ends.
	Background func(func(ctx context.Context))
	Log        *zap.Logger
	Now        func() time.Time

	asking   sync.Mutex // held while the service is asked about what is in doubt
	answered atomic.Pointer[answers]

	learning sync.Mutex
	learned  chan struct{} // closed when records have been made searchable; nil while that is not going on
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

// entry is one record of one run, with all that is known of it.
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

// runs are runs that were found, by their ids.
type runs map[string]ledger.Run

// of finds a run, once.
func (known runs) of(ctx context.Context, id string) (ledger.Run, error) {
	if run, ok := known[id]; ok {
		return run, nil
	}
	run, err := web.Book(ctx).Run(ctx, id)
	known[id] = run
	return run, err
}

// changes are the values of a record that change, or all values where the service held none before; ids with the names that they were looked
// up by.
func changes(run ledger.Run, r ledger.Record, all json.RawMessage) ([]planfile.Change, error) {
	operation, from, to := payload.Operation(""), json.RawMessage(nil), all
	if len(r.Previous) > 0 {
		operation, from, to = payload.Operation(run.Operation), r.Previous, r.Payload
	}
	changes, err := payload.Changes(operation, from, to)
	return planfile.Named(run, r, changes), err
}
