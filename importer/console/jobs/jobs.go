// Package jobs has the pages of jobs and their runs: the state of everything today, one job with what people can do
// with it, the list of runs, one run with its files, the plan of a dry run, and the settings that all of them run with.
//
// Orders go through Take, which hands them to the queue only if the job is still in the state that the page showed.
// Nothing is sent that nobody has seen: whoever wants to run a job, or a file of theirs, starts a dry run, and is then
// asked, with the numbers, whether exactly that should be sent (PlanView, carryOutPlan). Counts and summaries of
// finished runs are cached (tallies, summaries), because making them reads every record of the run. A run with
// something in doubt is counted anew each time, because any process may settle it.
package jobs

import (
	"context"
	"embed"
	"net/http"
	"slices"
	"sync"
	"time"

	"docketsync/config"
	"docketsync/importer/console/queue"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/upload"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/planfile"
	"docketsync/importer/report"
	"docketsync/importer/report/remedy"
)

//go:embed pages/*.html
var pages embed.FS

// Work is what these pages do beyond reading the ledger.
type Work interface {
	// Jobs lists the jobs of the configuration, in its order.
	Jobs(ctx context.Context) ([]Job, error)
	// Readable reads a file to its end as a job reads its own. The error is a *format.Error if the file cannot be read.
	Readable(ctx context.Context, job, path string) error
	// Sealed returns the plan file of a run of the kind Plan, and its seal; fs.ErrNotExist if there is none.
	Sealed(run string) (SealedPlan, error)
	// Host returns the host of the service that runs send to.
	Host() (string, error)
	// Command returns a command line with these arguments that works on this machine.
	Command(args ...string) string
	// Settings lists the settings in use, without secrets.
	Settings() ([]config.Line, error)
	// Connection tries what a run needs, as 'docketsync doctor' does. It may take as long as the service takes to
	// answer.
	Connection(ctx context.Context) ([]Finding, error)
	// Rewrite writes the files of a run's report again.
	Rewrite(ctx context.Context, run string) error
	// Reports returns the folder that holds one folder of reports for each run, named by report.Folder, and how long
	// they are kept, 0 for ever.
	Reports() (dir string, keep config.Days, err error)
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

// SealedPlan is a plan that was written to a file for approval.
type SealedPlan struct {
	Path string
	Seal string // SHA-256, hex
}

// Short is the part of the seal that people compare.
func (p SealedPlan) Short() string { return p.Seal[:min(len(p.Seal), 12)] }

// Pages are the pages about jobs and their runs.
type Pages struct {
	Work  Work
	Queue *queue.Queue
	// Uploads keeps files that jobs read once in place of their own source.
	Uploads *upload.Store
	// Trouble says why the configuration of accounts is not in use.
	Trouble func() signin.Trouble
	Now     func() time.Time

	writing   sync.Mutex // held while the files of a report are rewritten
	asking    sync.Mutex // held from checking the state of a job until an order is taken
	pulses    queue.Pulses
	summaries memory[*report.Summary]
	tallies   memory[[]ledger.Count]
	lefts     memory[remedy.Facts]
	kinds     memory[planfile.Kinds]
}

// AddTo adds the pages to a frame.
func (p *Pages) AddTo(f *web.Frame) {
	f.AddPages(pages)
	f.Get("/{$}", signin.Viewer, p.overview)
	f.Get("/settings", signin.ViewerOfAll, p.settings)
	f.Get("/connection", signin.ViewerOfAll, p.connection)
	f.Post("/connection", signin.OperatorOfAll, "try_connection", p.tryConnection)

	f.Get("/jobs/{job}", signin.Viewer, web.Of(p.jobOf, p.job))
	f.Poll("/jobs/{job}/progress", signin.Viewer, web.Of(p.jobOf, p.jobProgress))
	f.Post("/jobs/{job}/plan", signin.Operator, "plan", web.Of(p.jobOf, p.askPlan))
	f.PostWithin("/jobs/{job}/upload", signin.Operator, "run_file", p.Uploads.Limit+web.FormLimit, p.askFile)
	f.Post("/jobs/{job}/stop", signin.Operator, "stop", web.Of(p.jobOf, p.stopOrder))

	f.Get("/runs", signin.Viewer, p.listRuns)
	f.Get("/runs/{run}", signin.Viewer, web.Of(web.RunOf, p.run))
	f.Poll("/runs/{run}/progress", signin.Viewer, web.Of(web.RunOf, p.runProgress))
	f.Get("/runs/{run}/files/{file}", signin.Viewer, web.Of(web.RunOf, p.file))
	f.Post("/runs/{run}/files", signin.Operator, "write_files", web.Of(web.RunOf, p.rewrite))
	f.Get("/runs/{run}/plan", signin.Viewer, web.Of(web.RunOf, p.plan))
	f.Post("/runs/{run}/carry-out", signin.Operator, "run_plan", web.Of(web.RunOf, p.carryOutPlan))
	f.Post("/runs/{run}/accept", signin.Operator, "accept_guard", web.Of(web.RunOf, p.acceptGuard))
}

// jobOf finds the job that a request names.
func (p *Pages) jobOf(r *web.Request) (Job, error) {
	return p.jobNamed(r.Context(), r.PathValue("job"))
}

func (p *Pages) jobNamed(ctx context.Context, name string) (Job, error) {
	jobs, err := p.Work.Jobs(ctx)
	if err != nil {
		return Job{}, err
	}
	if n := slices.IndexFunc(jobs, func(j Job) bool { return j.Name == name }); n >= 0 {
		return jobs[n], nil
	}
	return Job{}, errNoJob
}

var errNoJob = web.Refuse(http.StatusNotFound, "Job not found.", "The first page lists all jobs.")

// newest returns the newest runs of a job of a kind.
func newest(ctx context.Context, job string, kind ledger.Kind, most int) ([]ledger.Run, error) {
	return web.Book(ctx).Runs(ctx, ledger.RunFilter{Job: job, Kinds: []ledger.Kind{kind}, Limit: most})
}

// lastRun returns the newest run of a job that was made to send; nil for none.
func (p *Pages) lastRun(ctx context.Context, job string) (*ledger.Run, error) {
	runs, err := newest(ctx, job, ledger.Push, 1)
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	return &runs[0], nil
}

func (p *Pages) settings(r *web.Request) error {
	return r.Made("settings", "Settings")(p.Work.Settings())
}

// Finding is the result of one check of the connection.
type Finding struct {
	Check        string
	State        string // ok, warning, failed or not_tried
	Said, Advice string
}

// Word is the state for people.
func (f Finding) Word() string {
	return map[string]string{"ok": "OK", "warning": "Warning", "failed": "Failed", "not_tried": "Not tried"}[f.State]
}

// connectionView is the page before anything was tried, and with what was found.
type connectionView struct {
	Tried    bool
	Findings []Finding
	Failed   int
	Warnings int
}

func (p *Pages) connection(r *web.Request) error {
	return r.Show("connection", "Connection", connectionView{})
}

// tryConnection shows the findings in its answer: they are true only now, and not kept.
func (p *Pages) tryConnection(r *web.Request) error {
	found, err := p.Work.Connection(r.Context())
	if err != nil {
		return err
	}
	view := connectionView{Tried: true, Findings: found}
	for _, f := range found {
		switch f.State {
		case "failed":
			view.Failed++
		case "warning":
			view.Warnings++
		}
	}
	return r.Show("connection", "Connection", view)
}
