package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"docketsync/cmd/docketsync/internal/doubts"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/console"
	"docketsync/importer/console/jobs"
	"docketsync/importer/console/queue"
	"docketsync/importer/console/records"
	"docketsync/importer/console/signin"
	"docketsync/importer/console/web"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
)

// consoleOptions makes a console of the settings that it was started with.
func consoleOptions(a *app, in *installation.Installation, entrance door) console.Options {
	c := in.Config.Console
	service, _ := in.Config.Service.Address() // a configuration that was loaded has one
	work := newConsoleWork(a, in)
	o := console.Options{
		Ledger: in.Book, Reopen: work.reopen, Work: work, Uploads: work.uploads(), StopWithin: in.Config.Schedule.StopWithin, Log: in.Log,
		SignIn: signin.Options{Accounts: accounts(c), Reread: work.accounts, URL: c.URL, Port: entrance.port(), Encrypted: c.TLS != nil || len(c.Proxies) > 0,
			Idle: c.Session.Idle, Lifetime: c.Session.Lifetime},
		Web: web.Options{Hosts: consoleHosts(c), Proxies: c.ProxyPrefixes(), Rehearsal: report.Rehearsal(service)},
	}
	if !c.SignIn() {
		o.SignIn.Local = &signin.Person{Name: cmp.Or(terminal.User(), "somebody"), Role: signin.Operator, Local: true}
		o.SignIn.Accounts, o.SignIn.Reread = signin.Accounts{}, nil // whether people sign in is settled at the start
	}
	if o.SignIn.Local != nil && c.Socket() == "" {
		o.SignIn.OneTime = a.announce(cmp.Or(c.URL, entrance.address()), entrance.address())
	}
	if entrance.certificate != nil {
		o.SignIn.Certificate = entrance.certificate.why
	}
	return o
}

// accounts are who may come in.
func accounts(c config.Console) (list signin.Accounts) {
	if p := c.OIDC; p != nil {
		list.OIDC = &signin.Provider{Issuer: p.Issuer, ClientID: p.ClientID, ClientSecret: p.ClientSecret.Reveal(), Claim: p.Claim,
			Operators: p.Operators, Viewers: p.Viewers}
	}
	for _, user := range c.Users {
		list.Users = append(list.Users, signin.User{Name: user.Name, Role: signin.Role(user.Role), Hash: user.Password.Reveal()})
	}
	return list
}

// accounts are who may come in by now.
func (c *consoleWork) accounts() (signin.Accounts, error) {
	settings, err := c.app.Settings()
	if err == nil {
		err = settings.ConsoleCredentials()
	}
	if err != nil {
		return signin.Accounts{}, err
	}
	return accounts(settings.Console), nil
}

// consoleWork does for the console what the commands do. Each time it reads the configuration anew, so that what somebody changes
// there counts at once, and with the ledger that is open throughout.
type consoleWork struct {
	app  *app
	in   *installation.Installation // as the console was started
	book atomic.Pointer[ledger.Ledger]
}

func newConsoleWork(a *app, in *installation.Installation) *consoleWork {
	work := &consoleWork{app: a, in: in}
	work.book.Store(in.Book)
	return work
}

// reopen opens the ledger itself, where the console was started with a copy of it.
func (c *consoleWork) reopen(ctx context.Context) (*ledger.Ledger, error) {
	in := c.in.ForRun()
	if err := in.OpenLedger(ctx); err != nil {
		return nil, err
	}
	c.book.Store(in.Book)
	return in.Book, nil
}

// installation is what one order works with.
func (c *consoleWork) installation() (*installation.Installation, error) {
	settings, err := c.app.Settings()
	if err != nil {
		return nil, err
	}
	if settings.Ledger.Reveal() != c.in.Config.Ledger.Reveal() {
		return nil, fmt.Errorf("the configuration names another ledger by now\nStop the console and start it again for that")
	}
	in := c.in.ForRun()
	in.Config, in.Book = settings, c.book.Load()
	return in, in.ObserveWith(c.in.Observers.Metrics)
}

func (c *consoleWork) Jobs(context.Context) ([]jobs.Job, error) {
	settings, err := c.app.Settings()
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
				listed.When = chain.Pattern.String()
				if step.After != "" {
					listed.When = "after " + step.After
				}
				if due, ok := chain.Next(time.Now()); ok {
					listed.Next = due.At
				}
			}
		}
		list = append(list, listed)
	}
	return list, nil
}

// Run carries out an order as 'docketsync run', 'plan' and 'check' do.
func (c *consoleWork) Run(ctx context.Context, order queue.Order, tell queue.Tell) (_ ledger.Run, err error) {
	in, err := c.installation()
	if err != nil {
		return ledger.Run{}, err
	}
	defer func() { err = in.End(err) }()
	in.Tell = installation.Tell(tell)
	// A run of a file or a plan says nothing about how the job fares, and nobody is told.
	watched := order.Kind == ledger.Push && order.File == "" && order.Approved == ""
	result, err := c.carryOut(ctx, in, order, watched)
	if err != nil {
		if watched {
			in.Observers.Failed(ctx, []string{order.Job}, err)
		}
		return ledger.Run{}, fmt.Errorf("%w%s", err, strings.TrimPrefix(exit.Explain(err), err.Error()))
	}
	if watched {
		in.Observers.Ended(ctx, result.Summary, result.Reports)
	}
	return result.Run, nil
}

func (c *consoleWork) carryOut(ctx context.Context, in *installation.Installation, order queue.Order, watched bool) (runner.Result, error) {
	if order.Approved != "" {
		return c.carryOutPlan(ctx, in, order)
	}
	if order.Accept != "" {
		return c.accept(ctx, in, order)
	}
	jobs, err := in.Jobs([]string{order.Job}, order.File)
	if err != nil {
		return runner.Result{}, err
	}
	switch order.Kind {
	case ledger.Push:
		if err := in.MakeReady(ctx, jobs); err != nil {
			return runner.Result{}, err
		}
		if watched {
			in.Observers.Began(ctx, order.Job)
		}
		return runner.Job(ctx, in, jobs[0], runner.Send)
	case ledger.Plan, ledger.Check:
		if err := in.FetchLists(ctx, jobs); err != nil {
			return runner.Result{}, err
		}
		result, err := runner.Job(ctx, in, jobs[0], dryRun(order.Kind))
		// A plan is carried out with the job's own source, so that of another file is to be looked at alone.
		if err == nil && order.Kind == ledger.Plan && order.File == "" && result.Run.Phase == ledger.Finished {
			err = c.seal(context.WithoutCancel(ctx), in, jobs[0], result.Summary)
		}
		return result, err
	}
	return runner.Result{}, fmt.Errorf("there is no order of the kind %q", order.Kind)
}

// accept lets a job through the guards that stopped the run which somebody looked at, as 'docketsync run --accept-guard' does.
func (c *consoleWork) accept(ctx context.Context, in *installation.Installation, order queue.Order) (runner.Result, error) {
	chosen, admitted, err := runner.ChooseAccepted(ctx, in, []string{order.Job})
	if err != nil {
		return runner.Result{}, err
	}
	jobs, err := in.JobsOf(chosen, false)
	if err != nil {
		return runner.Result{}, err
	}
	if err := in.MakeReady(ctx, jobs); err != nil {
		return runner.Result{}, err
	}
	in.Observers.Began(ctx, order.Job)
	result, err := runner.Job(ctx, in, jobs[0], runner.Accept(order.Who, order.Accept))
	if err == nil {
		runner.Admit(in, []runner.Result{result}, admitted)
	}
	return result, err
}

// dryRun makes a plan or a check of a job.
func dryRun(kind ledger.Kind) runner.How {
	return func(ctx context.Context, i *importer.Importer, job importer.Job) (ledger.Run, error) {
		if kind == ledger.Check {
			return i.Check(ctx, job)
		}
		return i.Plan(ctx, job)
	}
}

// Settle writes a decision down, as 'docketsync resolve' does.
func (c *consoleWork) Settle(ctx context.Context, d records.Decision) error {
	record, err := c.book.Load().Record(ctx, d.Run, d.Seq)
	if err != nil {
		return err
	}
	decided, err := doubts.NewDecision(record, string(d.Decision), d.ID, d.Note)
	if err != nil {
		return err
	}
	return c.book.Load().Resolve(ctx, d.Run, d.Seq, decided.Decision, decided.ID, d.Who, d.Note)
}

func (c *consoleWork) Settings() ([]jobs.Setting, error) {
	settings, err := c.app.Settings()
	if err != nil {
		return nil, err
	}
	var list []jobs.Setting
	for _, line := range settings.Effective() {
		list = append(list, jobs.Setting(line))
	}
	return list, nil
}

func (c *consoleWork) Reports() (string, error) {
	settings, err := c.app.Settings()
	if err != nil {
		return "", err
	}
	return settings.Reports, nil
}

func (c *consoleWork) Rewrite(ctx context.Context, run string) error {
	dir, err := c.Reports()
	if err == nil {
		_, err = report.Write(ctx, c.book.Load().Reader, run, dir)
	}
	return err
}
