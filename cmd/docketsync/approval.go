package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
)

// keysShown is how many keys a refusal names of each kind.
const keysShown = 10

// approval compares an approved plan with what would be sent now.
type approval struct {
	file   *planFile
	writer *planWriter
	book   *ledger.Ledger
	// asksLedger tells that the job's plan ages with what is sent, also with what is sent of itself.
	asksLedger bool

	learned, mapped keyList
}

// keyList counts keys and keeps the first few.
type keyList struct {
	n    int
	some []string
}

func (k *keyList) add(key string) {
	if k.n++; len(k.some) < keysShown {
		k.some = append(k.some, key)
	}
}

func (k *keyList) String() string {
	text := strings.Join(k.some, ", ")
	if k.n > len(k.some) {
		text += ", …"
	}
	return text
}

// runPlan carries out an approved plan, or refuses with all that has changed since.
func (a *app) runPlan(ctx context.Context, in *installation.Installation, path string) (results []runner.Result, code int, err error) {
	file, err := openPlanFile(path)
	if err != nil {
		return nil, exit.Of(err), err
	}
	defer func() { err = errors.Join(err, file.close()) }()
	job, with, err := a.approvedRun(ctx, in, file)
	if err != nil {
		return nil, exit.Of(err), err
	}
	return runner.Each(ctx, in, []importer.Job{job}, with)
}

// approvedRun is the job of an approved plan, and what carries it out.
func (a *app) approvedRun(ctx context.Context, in *installation.Installation, file *planFile) (importer.Job, runner.How, error) {
	jobs, err := in.Jobs([]string{file.head.Job}, "")
	if err != nil {
		return importer.Job{}, nil, err
	}
	job := jobs[0]
	if err := in.FetchSources(ctx, job); err != nil {
		return job, nil, err
	}
	if err := sameIngredients(file, in, job); err != nil {
		return job, nil, err
	}
	plan := &approval{file: file, writer: newPlanWriter(a, in, 0), book: in.Book, asksLedger: job.AsksLedger()}
	return job, func(ctx context.Context, i *importer.Importer, job importer.Job) (ledger.Run, error) {
		return i.RunApproved(ctx, job, file.seal, plan.compare)
	}, nil
}

// sameIngredients refuses a plan that was made for another service or from anything else.
func sameIngredients(file *planFile, in *installation.Installation, job importer.Job) error {
	service, err := in.Config.Service.Address()
	if err != nil {
		return err
	}
	var changes []string
	if file.head.Service != service && !in.Config.Service.WasCalled(file.head.Service) {
		changes = append(changes, fmt.Sprintf("it was made for the service %s, but the configuration sends to %s", file.head.Service, service))
	}
	if file.head.Operation != string(job.Mapping.Operation()) || file.head.Scope != job.Mapping.Scope() {
		changes = append(changes, fmt.Sprintf("the job's operation has changed: it was %s", file.head.Operation))
	}
	now, err := job.Ingredients()
	if err != nil {
		return err
	}
	return refusePlan(file, append(changes, file.head.From.Changed(now)...))
}

// refusePlan is the error that names what has changed; nil when nothing has.
func refusePlan(file *planFile, changes []string) error {
	if len(changes) == 0 {
		return nil
	}
	return exit.As(exit.Stopped, fmt.Errorf("the plan in %s no longer matches what would be sent, so nothing was sent:\n  %s\nMake a new plan with: docketsync plan %s --out FILE",
		file.path, strings.Join(changes, "\n  "), file.head.Job))
}

// compare holds the planned records of a run to the file, line by line. Both are in the order of the source, so records that
// one of them lacks are found by their place, and memory does not grow with the plan.
func (p *approval) compare(ctx context.Context, run ledger.Run) error {
	next, stop := iter.Pull2(p.book.Records(ctx, run.ID, ledger.RecordFilter{States: []ledger.State{ledger.Planned}}))
	defer stop()
	record, err, more := next()
	for line, failure := range p.file.lines {
		if failure != nil {
			return failure
		}
		approved := line.plannedLine
		for ; more && err == nil && record.Seq < approved.Seq; record, err, more = next() {
			p.learned.add(record.Key)
		}
		if err != nil {
			return err
		}
		if !more || record.Seq > approved.Seq {
			p.learned.add(approved.Key)
			continue
		}
		if err := p.same(run, record, line); err != nil {
			return err
		}
		record, err, more = next()
	}
	for ; more && err == nil; record, err, more = next() {
		p.learned.add(record.Key)
	}
	if err != nil {
		return err
	}
	return refusePlan(p.file, p.changes())
}

// same compares one record with its line.
func (p *approval) same(run ledger.Run, record ledger.Record, approved approvedLine) error {
	now, l, err := p.writer.line(run, record)
	switch {
	case err != nil:
		return err
	case bytes.Equal(now, approved.text):
	case l.Digest != approved.Digest:
		p.mapped.add(approved.Key)
	default:
		p.learned.add(approved.Key)
	}
	return nil
}

func (p *approval) changes() []string {
	var changes []string
	if p.learned.n > 0 {
		changes = append(changes, fmt.Sprintf("the ledger has changed since for %d %s: %s", p.learned.n, wording.Plural(p.learned.n, "record", "records"), &p.learned))
		if p.asksLedger {
			changes = append(changes, "if a run of this plan was interrupted: it cannot be resumed, because the mapping takes ids from the ledger; what was not sent needs a new plan")
		}
	}
	if p.mapped.n > 0 {
		changes = append(changes, fmt.Sprintf("the same rows produce a different payload for %d %s, because ids from the ledger or the date have changed: %s", p.mapped.n, wording.Plural(p.mapped.n, "record", "records"), &p.mapped))
	}
	return changes
}

// planOut makes the plan of one job and writes it to a file to be approved.
func (a *app) planOut(ctx context.Context, in *installation.Installation, names []string, path string) error {
	if len(names) != 1 {
		return exit.Mistakef("--out needs the name of one job: what one job sends changes the plan of the next")
	}
	jobs, err := in.Jobs(names, "")
	if err != nil {
		return err
	}
	if err := in.FetchSources(ctx, jobs[0]); err != nil {
		return err
	}
	shown := a.Display(jobs[0].Name)
	run, err := in.Importer(shown.Update).Plan(ctx, jobs[0])
	shown.Done()
	if err != nil {
		return fmt.Errorf("job %s: %w", jobs[0].Name, err)
	}
	summary, err := report.Build(context.WithoutCancel(ctx), in.Book.Reader, run.ID)
	if err != nil {
		return err
	}
	code := runner.StatusOf(summary)
	if code == exit.Interrupted {
		return exit.With(code, nil)
	}
	seal, err := newPlanWriter(a, in, 0).writePlanFile(ctx, path, jobs[0], summary)
	if err != nil {
		return err
	}
	result := map[string]any{"summary": summary, "plan": path, "seal": seal, "to_be_sent": summary.Count(outcome.Planned).Records}
	err = a.Result(result, func(w io.Writer) {
		a.PrintSummary(w, summary)
		fmt.Fprintf(w, "  plan: %s (%d records to be sent), sealed %s\n  to send exactly this: docketsync run --plan %s\n",
			path, summary.Count(outcome.Planned).Records, seal[:12], path)
	})
	return exit.With(code, err)
}
