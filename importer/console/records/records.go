package records

import (
	"context"
	"embed"
	"sync"
	"time"

	"go.uber.org/zap"

	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
)

//go:embed pages/*.html
var files embed.FS

// Work is what these pages do beyond reading the ledger.
type Work interface {
	// Asks tells whether the service has lists in which what is in doubt can be looked for.
	Asks() (bool, error)
	// Ask looks there for all records in doubt, in somebody's name, and settles those that are certainly there.
	Ask(ctx context.Context, who string) ([]Answered, error)
	// Settle writes a decision about a record in doubt into the ledger.
	Settle(ctx context.Context, decision Decision) error
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

// Answered is what the service's lists say about a record in doubt.
type Answered struct {
	Run      string
	Seq      int64
	Key      string
	Decision ledger.Decision
	Why      string
	Settled  bool // the decision was written into the ledger
}

// Pages are the pages about single records.
type Pages struct {
	Work      Work
	Snapshots *web.Snapshots
	// Background does something that outlasts a request, until its context ends.
	Background func(func(ctx context.Context))
	Log        *zap.Logger
	Now        func() time.Time

	asking  sync.Mutex // held while the service is asked about what is in doubt
	answers answers
	finder  finder
}

// AddTo adds the pages to a frame.
func (p *Pages) AddTo(f *web.Frame) {
	f.AddPages(files)
	f.Get("/doubts", signin.Viewer, p.doubts)
	f.Post("/doubts", signin.Operator, "resolve", p.settleDoubts)
	f.Post("/doubts/ask", signin.Operator, "ask", p.askService)
	f.Get("/records", signin.Viewer, p.find)
	f.Get("/records/of", signin.Viewer, history)
}
