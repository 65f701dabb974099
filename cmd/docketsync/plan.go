package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"docketsync/apiclient/payload"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/planfile"
	"docketsync/importer/report"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
	"docketsync/mapping/table"
)

func newPlan(a *app) *cobra.Command {
	var limit int
	var out string
	var retryRefused bool
	cmd := &cobra.Command{
		Use:   "plan [JOB…]",
		Short: "Show exactly what run would send; send nothing",
		Long: `plan reads and maps the named jobs (all jobs by default), compares them with the ledger, and shows what run would send: records
by kind of change, with counts, and each record field by field, old → new. It sends nothing, and needs no network unless a lookup uses
a list of the service or the source is on a remote.

With --out, the plan of one job is written to a file that you can review, approve and carry out with
'docketsync run --plan FILE', exactly as written or not at all.`,
		RunE: a.planned(func(ctx context.Context, in *installation.Installation, names []string) error {
			if retryRefused {
				in.Config.Retry.Refused = 0
			}
			if out != "" {
				return a.planOut(ctx, in, names, out)
			}
			return a.planJobs(ctx, in, names, limit)
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 50, "maximum number of records to show per job, shared by the kinds of change; 0 for all (JSON has all)")
	cmd.Flags().StringVar(&out, "out", "", "write the plan of one job to a new `FILE`, for approval")
	retryRefusedFlag(cmd, &retryRefused)
	return cmd
}

func (a *app) planJobs(ctx context.Context, in *installation.Installation, names []string, limit int) error {
	if err := in.WarnRestored(ctx); err != nil {
		return err
	}
	jobs, err := jobsWithLists(ctx, in, names)
	if err != nil {
		return err
	}
	out := &planWriter{app: a, in: in, limit: limit}
	code := exit.AllIn
	for _, job := range jobs {
		run, err := a.planJob(ctx, in, job)
		if err != nil {
			return err
		}
		// An interrupted plan is shown as far as it got.
		summary, err := out.job(context.WithoutCancel(ctx), run)
		if err != nil {
			return err
		}
		if code = exit.Graver(code, runner.StatusOf(summary)); code == exit.Interrupted {
			break
		}
	}
	return exit.With(code, out.end())
}

// jobsWithLists returns the named jobs, or all if none is named, with the lists of the service that their lookups need.
func jobsWithLists(ctx context.Context, in *installation.Installation, names []string) ([]importer.Job, error) {
	jobs, err := in.Jobs(names, "")
	if err == nil {
		err = in.FetchLists(ctx, jobs)
	}
	return jobs, err
}

// planJob fetches what a job reads and plans it, with its progress on the terminal.
func (a *app) planJob(ctx context.Context, in *installation.Installation, job importer.Job) (run ledger.Run, err error) {
	if err := in.FetchSources(ctx, job); err != nil {
		return run, err
	}
	shown := a.Display(job.Name)
	defer shown.Done()
	if run, err = in.Importer(shown.Update).Plan(ctx, job); err != nil {
		err = fmt.Errorf("job %s: %w", job.Name, err)
	}
	return run, err
}

// planWriter writes plans one record at a time, so that a large plan does not fill memory.
type planWriter struct {
	app   *app
	in    *installation.Installation
	limit int
	jobs  int
}

// job reads the plan of one job, with its summary and its kinds of change, and prints it.
func (p *planWriter) job(ctx context.Context, run ledger.Run) (s *report.Summary, err error) {
	shown := p.limit
	if shown <= 0 {
		shown = math.MaxInt
	}
	var kinds planfile.Kinds
	group, within := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		s, err = report.Build(within, p.in.Book.Reader, run.ID)
		return err
	})
	group.Go(func() (err error) {
		if !p.app.JSON {
			kinds, err = planfile.KindsOf(within, p.in.Book.Reader, run, ledger.Planned, shown)
		}
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if p.app.JSON {
		return s, p.jobJSON(ctx, s)
	}
	p.app.PrintSummary(p.app.Out, s)
	for _, kind := range kinds {
		if err := p.kind(ctx, s.Run, kind, max(1, shown/len(kinds))); err != nil {
			return s, err
		}
	}
	fmt.Fprintln(p.app.Out)
	return s, nil
}

// kind lists the first records of one kind of change, at most most.
func (p *planWriter) kind(ctx context.Context, run ledger.Run, kind planfile.Kind, most int) error {
	out, most := p.app.Out, min(most, len(kind.First))
	fmt.Fprintf(out, "\n  %s\n", p.app.Strong(out, kind.Words()))
	for part := range slices.Chunk(kind.First[:most], recordsAtOnce) {
		records, err := p.in.Book.RecordsAt(ctx, run.ID, part)
		if err != nil {
			return err
		}
		for _, record := range records {
			_, changes, err := planfile.KindOf(run, record)
			if err != nil {
				return err
			}
			printPlanned(out, run, record, changes)
		}
	}
	if more := kind.Records - most; more > 0 {
		fmt.Fprintf(out, "    … and %s more; --limit 0 shows all\n", wording.Thousands(more))
	}
	return nil
}

// recordsAtOnce is how many records of a plan are in memory at once.
const recordsAtOnce = 256

// printPlanned lists what changes in a record, or all that is sent if the service does not have the record yet.
func printPlanned(w io.Writer, run ledger.Run, r ledger.Record, changes []payload.Change) {
	var rows []int
	for _, row := range r.Rows {
		rows = append(rows, row.Number)
	}
	fmt.Fprintf(w, "    %s (%s)\n", r.Key, rowList(rows))
	for _, c := range planfile.Named(run, r, changes) {
		fmt.Fprintf(w, "      %s%s\n", changed(payload.Label(c.Field), c.Change, len(r.Previous) == 0), parenthesised(c.Name))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(w, "      note: %s\n", note.Message)
	}
}

func changed(label string, c payload.Change, first bool) string {
	switch {
	case c.Stays:
		return fmt.Sprintf("%s: %s is no longer in the export; nothing is sent, it stays in the service", label, shown(c.Old))
	case first:
		return fmt.Sprintf("%s: %s", label, shown(c.New))
	default:
		return fmt.Sprintf("%s: %s → %s", label, shown(c.Old), shown(c.New))
	}
}

func shown(value *payload.Value) string {
	if value == nil {
		return "(none)"
	}
	return strconv.Quote(value.Text)
}

func rowList(rows []int) string {
	if len(rows) == 0 {
		return "no longer in the export"
	}
	return table.RowList(rows, len(rows))
}

// plansBegin begins the JSON form of plans.
const plansBegin = `{"form":"docketsync-plan/1","plans":[`

// jobJSON writes {"run", "records": […]} with one record on each line.
func (p *planWriter) jobJSON(ctx context.Context, s *report.Summary) error {
	separator := plansBegin
	if p.jobs > 0 {
		separator = ","
	}
	p.jobs++
	head, err := planfile.Line(s)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.app.Out, "%s\n{\"summary\":%s,\"records\":[", separator, head)
	comma := ""
	for record, err := range p.in.Book.Records(ctx, s.Run.ID, ledger.RecordFilter{}) {
		if err != nil {
			return err
		}
		planned, err := planfile.Of(s.Run, record)
		if err != nil {
			return err
		}
		line, err := planfile.Line(planned)
		if err != nil {
			return err
		}
		fmt.Fprintf(p.app.Out, "%s\n%s", comma, line)
		comma = ","
	}
	_, err = fmt.Fprint(p.app.Out, "]}")
	return err
}

func (p *planWriter) end() error {
	if !p.app.JSON {
		return nil
	}
	if p.jobs == 0 {
		fmt.Fprint(p.app.Out, plansBegin)
	}
	_, err := fmt.Fprintln(p.app.Out, "]}")
	return err
}

// runPlan carries out an approved plan, or refuses with all that has changed since.
func (a *app) runPlan(ctx context.Context, in *installation.Installation, path string) (results []runner.Result, code int, err error) {
	file, err := planfile.Open(path)
	if err != nil {
		err = runner.PlanStatus(err)
		return []runner.Result{}, exit.Of(err), err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	names := []string{file.Head.Job}
	jobs, err := in.Jobs(names, "")
	if err != nil {
		return runner.NoneRan(names, err), exit.Of(err), err
	}
	with, err := runner.Approved(ctx, in, file, jobs[0])
	if err != nil {
		return runner.NoneRan(names, err), exit.Of(err), err
	}
	return runner.Each(ctx, in, jobs, with)
}

// planOut makes the plan of one job and writes it to a file for approval.
func (a *app) planOut(ctx context.Context, in *installation.Installation, names []string, path string) error {
	if len(names) != 1 {
		return exit.Mistakef("--out needs the name of one job: what one job sends changes the plan of the next")
	}
	if err := in.NotRestored(ctx); err != nil {
		return err
	}
	jobs, err := in.Jobs(names, "")
	if err != nil {
		return err
	}
	run, err := a.planJob(ctx, in, jobs[0])
	if err != nil {
		return err
	}
	summary, err := report.Build(context.WithoutCancel(ctx), in.Book.Reader, run.ID)
	if err != nil {
		return err
	}
	code := runner.StatusOf(summary)
	if code == exit.Interrupted {
		return exit.With(code, nil)
	}
	seal, err := runner.WritePlan(ctx, in, path, jobs[0], summary)
	if err != nil {
		return err
	}
	result := map[string]any{"summary": summary, "plan": path, "seal": seal, "to_be_sent": summary.Count(outcome.Planned).Records}
	err = a.Result("plan-file/1", result, func(w io.Writer) {
		a.PrintSummary(w, summary)
		fmt.Fprintf(w, "  plan: %s (%s to be sent), sealed %s\n  to send exactly this: %s\n",
			path, wording.Counted(summary.Count(outcome.Planned).Records, "record"), seal[:12], in.Site.Command("run", "--plan", path))
	})
	return exit.With(code, err)
}
