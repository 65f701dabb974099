// Package webwork does for the web console what the commands do, with the code of the commands: it implements
// console.Work on an installation, opens the door that browsers come through, and makes the console's options from the
// configuration.
//
// It reads the configuration anew each time, so that a change takes effect at once, and works with the ledger that is
// open throughout. A console of several firms (Several) knows who may see which of them, and opens the ledger of a firm
// while somebody looks at it. It imports the packages of the commands (installation, firms, runner, doubts) and those
// of the console.
package webwork

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"docketsync/apiclient/payload"
	"docketsync/cmd/docketsync/internal/doctor"
	"docketsync/cmd/docketsync/internal/doubts"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/cluster"
	"docketsync/importer/conflict"
	"docketsync/importer/console"
	"docketsync/importer/console/jobs"
	"docketsync/importer/console/nodes"
	"docketsync/importer/console/queue"
	"docketsync/importer/console/records"
	"docketsync/importer/console/shelf"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/upload"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/planfile"
	"docketsync/importer/report"
	"docketsync/importer/report/files"
	"docketsync/importer/report/wording"
	"docketsync/importer/source"
	"docketsync/mapping"
)

// accountsOf returns who may sign in.
func accountsOf(c config.Console) (list signin.Accounts) {
	if p := c.OIDC; p != nil {
		list.OIDC = &signin.Provider{Issuer: p.Issuer, ClientID: p.ClientID, ClientSecret: p.ClientSecret.Reveal(), Claim: p.Claim,
			Operators: p.Operators, Viewers: p.Viewers, Jobs: map[string][]string{}}
		for value, seen := range p.Jobs {
			list.OIDC.Jobs[value] = seen
		}
	}
	for _, user := range c.Users {
		list.Users = append(list.Users, signin.User{Name: user.Name, Role: signin.Role(user.Role), Jobs: user.Jobs, Hash: user.Password.Reveal()})
	}
	return list
}

// accounts returns who may currently sign in.
func (c *Work) accounts() (signin.Accounts, error) {
	settings, err := c.setup.Settings()
	if err == nil {
		err = settings.Missing(config.OfConsole)
	}
	if err == nil {
		err = Apart(settings)
	}
	if err != nil {
		return signin.Accounts{}, err
	}
	return accountsOf(settings.Console), nil
}

// Work does for the console what the commands do. It reads the configuration anew each time, so that a change takes
// effect at once, and uses the ledger that is open throughout.
type Work struct {
	setup *installation.Setup
	in    *installation.Installation // as the console was started
	shelf *shelf.Shelf               // nil if this console is alone
	store *upload.Store
	book  atomic.Pointer[ledger.Ledger]
}

// New makes the work of a console that was started with an installation.
func New(setup *installation.Setup, in *installation.Installation) *Work {
	work := &Work{setup: setup, in: in}
	work.book.Store(in.Book)
	settings := in.Config.Console
	work.store = &upload.Store{Dir: settings.Uploads, Limit: int64(settings.UploadLimit), Switches: func() (mapping.Options, error) {
		return fromSettings(work, installation.MappingOptions)
	}}
	return work
}

// Share makes the console share uploads and plans with the others of its ledger, if that is on a server.
func (c *Work) Share(ctx context.Context) (err error) {
	if c.in.Beside() == nil {
		return nil
	}
	if c.shelf, err = shelf.Open(ctx, c.in.Beside()); err != nil {
		return fmt.Errorf("uploads cannot be kept in the ledger's database: %w", err)
	}
	c.store.Shelf = c.shelf
	return nil
}

// Options returns the options of a console with the settings that it was started with. announce is told the key of the
// address that lets in a browser if nobody signs in.
func (c *Work) Options(entrance Door, announce func(key string)) console.Options {
	o, settings := c.options(), c.in.Config.Console
	through(&o, c.in, entrance)
	o.SignIn.Accounts, o.SignIn.Reread = accountsOf(settings), c.accounts
	if !settings.SignIn() {
		o.SignIn.Local = &signin.Person{Name: cmp.Or(terminal.User(), "somebody"), Role: signin.Operator, Local: true}
		o.SignIn.Accounts, o.SignIn.Reread = signin.Accounts{}, nil // whether people sign in is decided at the start
		if settings.Socket() == "" {
			o.SignIn.OneTime = announce
		}
	}
	return o
}

// options returns the options for everything behind the door.
func (c *Work) options() console.Options {
	in := c.in
	service, _ := in.Config.Service.Address() // a loaded configuration has one
	o := console.Options{Ledger: in.Book, Reopen: c.reopen, Work: c, Uploads: c.store, StopWithin: in.Config.Schedule.StopWithin, Log: in.Log, Web: web.Options{Rehearsal: wording.Rehearsal(service)}}
	if o.Web.Rehearsal == "" {
		o.Web.Live = wording.Service(service)
	}
	if in.Book.Server() != nil && in.Config.LedgerServer.Schema != "folder" { // the nodes of many firms meet in another ledger
		o.Nodes = c
	}
	return o
}

// through sets the options for the door of a console, except for who may sign in.
func through(o *console.Options, in *installation.Installation, entrance Door) {
	settings := in.Config.Console
	o.SignIn = signin.Options{URL: settings.URL, Port: entrance.port(), Encrypted: settings.TLS != nil || len(settings.Proxies) > 0, Idle: settings.Session.Idle, Lifetime: settings.Session.Lifetime}
	if settings.SignIn() {
		o.SignIn.Shared = in.Beside()
	}
	if entrance.certificate != nil {
		o.SignIn.Certificate = entrance.certificate.why
	}
	o.Web.Hosts, o.Web.Proxies = hosts(settings), settings.ProxyPrefixes()
}

// Nodes describes the nodes that share the ledger.
func (c *Work) Nodes(ctx context.Context) (standing cluster.Standing, shared []nodes.Shared, err error) {
	book := c.book.Load()
	runs, err := book.Runs(ctx, ledger.RunFilter{Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Pushing}})
	for _, run := range runs {
		var shards []ledger.Shard
		if shards, err = book.Shards(ctx, run.ID); err != nil {
			break
		}
		if len(shards) > 0 {
			shared = append(shared, nodes.Shared{Run: run, Shards: shards})
		}
	}
	if err == nil {
		standing, err = cluster.Look(ctx, book.Server().Config())
	}
	return standing, shared, err
}

// reopen opens the ledger itself, if the console was started with a copy of it.
func (c *Work) reopen(ctx context.Context) (*ledger.Ledger, error) {
	in := c.in.ForRun()
	if err := in.OpenLedger(ctx); err != nil {
		return nil, err
	}
	c.book.Store(in.Book)
	return in.Book, nil
}

// installation returns what one order works with.
func (c *Work) installation() (*installation.Installation, error) {
	settings, err := c.setup.Settings()
	if err != nil {
		return nil, err
	}
	if settings.Ledger.Reveal() != c.in.Config.Ledger.Reveal() {
		return nil, fmt.Errorf("the configuration now names another ledger\nRestart the console to use it")
	}
	in := c.in.ForRun()
	in.Config, in.Book = settings, c.book.Load()
	return in, in.ObserveWith(c.in.Observers.Metrics)
}

// using does something with an installation for one order, and ends it.
func using[T any](c *Work, do func(*installation.Installation) (T, error)) (result T, err error) {
	in, err := c.installation()
	if err != nil {
		return result, err
	}
	defer func() { err = in.End(err) }()
	return do(in)
}

// fromSettings returns what the configuration currently says.
func fromSettings[T any](c *Work, of func(*config.Config) T) (said T, err error) {
	settings, err := c.setup.Settings()
	if err != nil {
		return said, err
	}
	return of(settings), nil
}

func (c *Work) Jobs(context.Context) ([]jobs.Job, error) {
	settings, err := c.setup.Settings()
	if err != nil {
		return nil, err
	}
	table, err := installation.Timetable(settings)
	if err != nil {
		return nil, err
	}
	var list []jobs.Job
	for _, job := range settings.Jobs {
		listed := jobs.Job{Name: job.Name, Mapping: job.Mapping, Files: job.Source.Files}
		if job.Source.Inbox != nil {
			listed.Inbox = job.Source.Inbox.Folder
		}
		for _, chain := range table.Chains {
			for _, step := range chain.Steps {
				if step.Job != job.Name {
					continue
				}
				listed.When = cmp.Or(wording.Prefixed("after ", step.After), installation.ShownSchedule(chain.Pattern.String()))
				if due, ok := chain.Next(time.Now()); ok {
					listed.Next = due.At
				}
			}
		}
		list = append(list, listed)
	}
	return list, nil
}

// Run carries out an order as 'docketsync run --plan', 'plan' and 'check' do.
func (c *Work) Run(ctx context.Context, order queue.Order, tell queue.Tell) (ledger.Run, error) {
	return using(c, func(in *installation.Installation) (ledger.Run, error) {
		in.Tell = installation.Tell(tell)
		result, err := c.carryOut(ctx, in, order)
		if err != nil {
			if order.Accept != "" { // whoever approved the plan is shown that it no longer holds
				in.Observers.Failed(ctx, []string{order.Job}, err)
			}
			return ledger.Run{}, advised(err)
		}
		// A run of a file says nothing about the state of the job, so nobody is told.
		if order.Kind == ledger.Push && (order.File == "" || order.Export) {
			in.Observers.Ended(ctx, result.Summary, result.Reports)
		}
		return result.Run, nil
	})
}

// advised returns an error with the advice of its parts.
func advised(err error) error {
	if changed, ok := errors.AsType[*planfile.ChangedError](err); ok {
		changed.Remedy = "Start a new dry run on the page of the job, then review it."
	}
	return fmt.Errorf("%w%s", err, strings.TrimPrefix(exit.Explain(err), err.Error()))
}

func (c *Work) carryOut(ctx context.Context, in *installation.Installation, order queue.Order) (runner.Result, error) {
	switch {
	case order.Accept != "":
		return c.accept(ctx, in, order)
	case order.Approved != "":
		return c.carryOutPlan(ctx, in, order)
	case order.Kind == ledger.Push:
		return runner.Result{}, fmt.Errorf("nobody has approved what the job %s would send", order.Job)
	}
	job, err := c.jobOf(ctx, in, order)
	if err != nil {
		return runner.Result{}, err
	}
	if err := in.FetchLists(ctx, []importer.Job{job}); err != nil {
		return runner.Result{}, err
	}
	result, err := runner.Job(ctx, in, job, func(ctx context.Context, i *importer.Importer, job importer.Job) (ledger.Run, error) {
		if order.Kind == ledger.Check {
			return i.Check(ctx, job)
		}
		return i.Plan(ctx, job)
	})
	if err == nil && order.Kind == ledger.Plan && result.Run.Phase == ledger.Finished {
		err = c.seal(context.WithoutCancel(ctx), in, job, result.Summary)
	}
	return result, err
}

// jobOf returns the job of an order, with the file that it should read.
func (c *Work) jobOf(ctx context.Context, in *installation.Installation, order queue.Order) (importer.Job, error) {
	chosen, err := installation.ChooseJobs(in.Config.Jobs, []string{order.Job})
	if err == nil && !order.Export {
		chosen, err = in.Choose([]string{order.Job}, order.File)
	}
	if err != nil {
		return importer.Job{}, err
	}
	if order.Export {
		chosen[0].Source.Files, chosen[0].Source.Inbox = config.Names{order.File}, nil
	}
	jobs, err := in.JobsOf(chosen, order.File != "" && !order.Export)
	if err != nil {
		return importer.Job{}, err
	}
	return jobs[0], c.bring(ctx, jobs[0])
}

// Readable reads a file to its end as a job reads its own. A fault of the job itself is left to its dry run.
func (c *Work) Readable(ctx context.Context, job, path string) (err error) {
	in, err := c.installation()
	if err != nil {
		return err
	}
	defer func() { err = in.End(err) }()
	chosen, err := installation.ChooseJobs(in.Config.Jobs, []string{job})
	if err != nil {
		return err
	}
	made, err := in.JobsOf(chosen, false)
	if err != nil || len(made[0].Inputs) == 0 {
		return nil
	}
	file, err := source.Open(ctx, path, made[0].Inputs[0].Options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for _, err := range file.Rows(ctx) {
		if err != nil {
			return err
		}
	}
	return nil
}

// accept runs a job past the guards that stopped the run which somebody looked at, as 'docketsync run --accept-guard'
// does.
func (c *Work) accept(ctx context.Context, in *installation.Installation, order queue.Order) (runner.Result, error) {
	chosen, admitted, err := runner.ChooseAccepted(ctx, in, []string{order.Job}, order.Accept)
	if err != nil {
		return runner.Result{}, err
	}
	jobs, err := in.JobsOf(chosen, false)
	if err == nil {
		err = c.bring(ctx, jobs...)
	}
	if err != nil {
		return runner.Result{}, err
	}
	if err := in.MakeReady(ctx, jobs); err != nil {
		return runner.Result{}, err
	}
	in.Observers.Began(ctx, order.Job)
	result, err := runner.Job(ctx, in, jobs[0], runner.Accept(order.Who, order.Accept))
	if err == nil {
		runner.Admit(ctx, in, []runner.Result{result}, admitted)
	}
	return result, err
}

// Acknowledge records that somebody accepts rejected records as they are, as 'docketsync rejects --acknowledge' does,
// or withdraws it.
func (c *Work) Acknowledge(ctx context.Context, who string, list []ledger.Record, note string, withdraw bool) error {
	if withdraw {
		return c.book.Load().Withdraw(ctx, list)
	}
	return c.book.Load().Acknowledge(ctx, list, who, note)
}

// SettleConflicts records whose values stand, as 'docketsync resolve RUN KEY ours|theirs' does.
func (c *Work) SettleConflicts(ctx context.Context, list []ledger.Conflict) ([]ledger.Conflict, error) {
	return c.book.Load().SettleConflicts(ctx, list)
}

// Takeable returns the fields of a conflict that can each be left as they are in the service; none if the configuration
// cannot be read.
func (c *Work) Takeable(of ledger.Conflict, op payload.Operation) []string {
	settings, err := c.setup.Settings()
	if err != nil {
		return nil
	}
	return conflict.Takeable(op, of.Ours, of.Theirs, installation.Spelling(settings.Service))
}

// Correct records which cells of the rows of a key are corrected.
func (c *Work) Correct(ctx context.Context, who string, run ledger.Run, key string, before, cells []ledger.CellCorrection) error {
	for n := range cells {
		cells[n].Who = cmp.Or(cells[n].Who, who)
	}
	return c.book.Load().Correct(ctx, run.Job, key, before, cells)
}

// Settle records somebody's decision, as 'docketsync resolve' does.
func (c *Work) Settle(ctx context.Context, who string, d records.Decision) error {
	record, err := c.book.Load().Record(ctx, d.Run, d.Seq)
	if err != nil {
		return err
	}
	decided, err := doubts.NewDecision(record, string(d.Verdict), d.ID, d.Note)
	if err == nil {
		err = doubts.CheckIDs(ctx, c.book.Load().Reader, []doubts.Decision{decided})
	}
	if exit.Of(err) == exit.Usage {
		return web.Refuse(http.StatusUnprocessableEntity, err.Error(), "Look the record up in the service once more.")
	}
	if err != nil {
		return err
	}
	return c.book.Load().Resolve(ctx, d.Run, d.Seq, decided.Decision, decided.ID, who, d.Note)
}

func (c *Work) Settings() ([]config.Line, error) {
	return fromSettings(c, (*config.Config).Effective)
}

// Command is a command line for this configuration.
func (c *Work) Command(args ...string) string {
	settings, err := c.setup.Settings()
	if err != nil {
		settings = &config.Config{} // it says nothing of a console or of inboxes
	}
	return c.setup.Site(settings).Command(args...)
}

// Host returns the host that runs send to.
func (c *Work) Host() (string, error) {
	settings, err := c.setup.Settings()
	if err != nil {
		return "", err
	}
	address, err := settings.Service.Address()
	if address == config.InProcess {
		return "the sandbox", err
	}
	return wording.Host(address), err
}

// Connection makes the checks of 'docketsync doctor', with the open ledger.
func (c *Work) Connection(ctx context.Context) ([]jobs.Finding, error) {
	found, err := doctor.Look(ctx, c.setup, c.book.Load())
	var list []jobs.Finding
	for _, f := range found.Findings {
		list = append(list, jobs.Finding{Check: f.Check, State: string(f.State), Said: f.Said, Advice: f.Advice})
	}
	return list, err
}

func (c *Work) Reports() (dir string, keep config.Days, err error) {
	settings, err := c.setup.Settings()
	if err == nil {
		dir, keep = settings.Reports, settings.Retention.Reports
	}
	return dir, keep, err
}

func (c *Work) Rewrite(ctx context.Context, run string) error {
	settings, err := c.setup.Settings()
	if err != nil {
		return err
	}
	summary, err := report.Build(ctx, c.book.Load().Reader, run)
	if err == nil {
		summary.Site = c.setup.Site(settings)
		_, err = files.WriteSummary(ctx, c.book.Load().Reader, summary, settings.Reports, nil)
	}
	return err
}
