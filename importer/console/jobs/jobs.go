package jobs

import (
	"context"
	"embed"
	"sync"
	"time"

	"docketsync/importer/console/queue"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/upload"
	"docketsync/importer/console/web"
)

//go:embed pages/*.html
var pages embed.FS

// Work is what these pages do beyond reading the ledger.
type Work interface {
	// Jobs lists the jobs of the configuration, in its order.
	Jobs(ctx context.Context) ([]Job, error)
	// Sealed is where the plan of a run of the kind Plan is kept, and its seal; fs.ErrNotExist when there is none.
	Sealed(run string) (SealedPlan, error)
	// Settings lists the settings in use, without secrets.
	Settings() ([]Setting, error)
	// Rewrite writes the files of a run's report again.
	Rewrite(ctx context.Context, run string) error
	// Reports is the folder that holds one folder of reports for each run, named by report.Folder.
	Reports() (string, error)
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

// SealedPlan is a plan that was written down to be approved.
type SealedPlan struct {
	Path string
	Seal string // SHA-256, hex
}

// Short is as much of the seal as people compare.
func (p SealedPlan) Short() string { return p.Seal[:min(len(p.Seal), 12)] }

// Setting is one line of the effective configuration.
type Setting struct {
	Path   string // service.retry.total
	Depth  int    // how many blocks it stands in
	Key    string
	Value  string // "" for a block; secrets are hidden
	Block  bool
	Stated bool // the file says it; otherwise it is a default
}

// Pages are the pages about jobs and their runs.
type Pages struct {
	Work  Work
	Queue *queue.Queue
	// Uploads keeps files that jobs read once in place of their own source.
	Uploads *upload.Store
	// Trouble is why what the configuration says of accounts is not in use.
	Trouble func() signin.Trouble
	Now     func() time.Time

	asking    sync.Mutex // held from the look at how a job stands until an order is taken
	pulses    queue.Pulses
	summaries summaries
	tallies   tallies
}

// AddTo adds the pages to a frame.
func (p *Pages) AddTo(f *web.Frame) {
	f.AddPages(pages)
	f.Get("/{$}", signin.Viewer, p.overview)
	f.Get("/settings", signin.Viewer, p.settings)

	f.Get("/jobs/{job}", signin.Viewer, p.job)
	f.Poll("/jobs/{job}/progress", signin.Viewer, p.jobProgress)
	f.Post("/jobs/{job}/run", signin.Operator, "run", p.askRun)
	f.Post("/jobs/{job}/plan", signin.Operator, "plan", p.askPlan)
	f.PostWithin("/jobs/{job}/upload", signin.Operator, "run_file", p.Uploads.Limit+web.FormLimit, p.askFile)
	f.Post("/jobs/{job}/stop", signin.Operator, "stop", p.stopOrder)

	f.Get("/runs", signin.Viewer, p.listRuns)
	f.Get("/runs/{run}", signin.Viewer, p.run)
	f.Poll("/runs/{run}/progress", signin.Viewer, p.runProgress)
	f.Get("/runs/{run}/files/{file}", signin.Viewer, p.file)
	f.Post("/runs/{run}/files", signin.Operator, "write_files", p.rewrite)
	f.Get("/runs/{run}/plan", signin.Viewer, p.plan)
	f.Post("/runs/{run}/carry-out", signin.Operator, "run_plan", p.carryOutPlan)
	f.Post("/runs/{run}/accept", signin.Operator, "accept_guard", p.acceptGuard)
}
