package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/importer"
	"docketsync/importer/forecast"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/wording"
)

func newForecast(a *app) *cobra.Command {
	var start string
	cmd := &cobra.Command{
		Use:   "forecast [JOB…]",
		Short: "Say how long a run would take, and what would shorten it; send nothing",
		Long: `forecast plans the named jobs (all jobs by default) and says for each, and for all one after the other, when a run would end: the likely
time, and the earliest and latest. It sends nothing.

It goes by the pace that an earlier run of the same operation found with this service: the last one that sent enough. If there is none,
it says so and makes no guess: run a part of the export first, for example with --file. The larger that part, the narrower the band; one
of several minutes is good for a forecast within 10 %.

Exit status: 0 if every job has a forecast; 3 if some have none; 1 or 2 if a job cannot be planned.`,
		RunE: a.planned(func(ctx context.Context, in *installation.Installation, names []string) error {
			begins := time.Now()
			if start != "" {
				at, err := time.ParseInLocation("2006-01-02 15:04", start, time.Local)
				if err != nil {
					return exit.Mistakef("--start needs a date and a time, such as \"2026-11-27 18:00\"")
				}
				begins = at
			}
			return a.forecastJobs(ctx, in, names, begins)
		}),
	}
	cmd.Flags().StringVar(&start, "start", "", "when the run begins, as `TIME` like \"2026-11-27 18:00\" (default: now)")
	return cmd
}

// forecasted is what is expected of a job. Without a pace there are no times.
type forecasted struct {
	Job      string         `json:"job"`
	Rows     int            `json:"rows"`
	ToBeSent int            `json:"to_be_sent"`
	By       string         `json:"by,omitempty"` // the run whose pace it is
	Pace     *forecast.Pace `json:"pace,omitempty"`
	expected
	Shorter []string `json:"shorter,omitempty"`
}

// expected is when something begins and ends.
type expected struct {
	Begins time.Time `json:"begins,omitzero"`
	Ends   time.Time `json:"ends,omitzero"`
	Least  time.Time `json:"ends_at_the_earliest,omitzero"`
	Most   time.Time `json:"ends_at_the_latest,omitzero"`
}

func expect(begins time.Time, before, span forecast.Span) expected {
	return expected{begins.Add(before.Likely), begins.Add(before.Likely + span.Likely), begins.Add(before.Least + span.Least), begins.Add(before.Most + span.Most)}
}

func (a *app) forecastJobs(ctx context.Context, in *installation.Installation, names []string, begins time.Time) error {
	jobs, err := in.Jobs(names, "")
	if err != nil {
		return err
	}
	if err := in.FetchLists(ctx, jobs); err != nil {
		return err
	}
	var list []forecasted
	var before forecast.Span
	code := exit.AllIn
	for _, job := range jobs {
		f, span, err := a.forecastJob(ctx, in, job)
		if err != nil {
			return err
		}
		if f.Pace != nil || f.ToBeSent == 0 {
			f.expected = expect(begins, before, span)
			before = before.And(span)
		} else {
			code = exit.Rejects
		}
		list = append(list, f)
	}
	var total *expected
	if code == exit.AllIn {
		all := expect(begins, forecast.Span{}, before)
		total = &all
	}
	answer := map[string]any{"jobs": list, "exit": code}
	if total != nil {
		answer["all"] = total
	}
	return exit.With(code, a.Result("forecast/1", answer, func(w io.Writer) { a.printForecasts(w, list, total) }))
}

// forecastJob plans a job, and says how long its run takes by the pace of the last run that tells one.
func (a *app) forecastJob(ctx context.Context, in *installation.Installation, job importer.Job) (f forecasted, span forecast.Span, err error) {
	if err := in.FetchSources(ctx, job); err != nil {
		return f, span, err
	}
	shown := a.Display(job.Name)
	run, err := in.Importer(shown.Update).Plan(ctx, job)
	shown.Done()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return f, span, fmt.Errorf("job %s: %w", job.Name, err)
	}
	counts, err := in.Book.Tally(ctx, run.ID)
	if err != nil {
		return f, span, err
	}
	f = forecasted{Job: job.Name, Rows: run.Counts.Read}
	for _, c := range counts {
		if c.State == ledger.Planned {
			f.ToBeSent += c.N
		}
	}
	p, by, ok, err := lastPace(ctx, in.Book.Reader, run)
	if err != nil || !ok {
		return f, span, err
	}
	f.Pace, f.By, f.Shorter = &p, by, p.Shorter(in.Config.Pace.Concurrency, in.Config.Pace.Rate)
	if f.ToBeSent > 0 {
		span = p.For(f.ToBeSent, f.Rows)
	}
	return f, span, nil
}

// pastRuns is how many runs are looked through for one that tells a pace, and fewOfAll by which part of the records one that sent fewer is
// only taken where there is no other.
const (
	pastRuns = 50
	fewOfAll = 20
)

// lastPace is the pace of the last run of an operation that sent enough of what is to be sent, otherwise of the one that sent most.
func lastPace(ctx context.Context, book *ledger.Reader, plan ledger.Run) (best forecast.Pace, by string, found bool, err error) {
	runs, err := book.Runs(ctx, ledger.RunFilter{Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Finished, ledger.Stopped}, Limit: pastRuns})
	if err != nil {
		return best, "", false, err
	}
	for _, run := range runs {
		if run.Operation != plan.Operation || !run.Pruned.IsZero() {
			continue
		}
		p, ok, err := forecast.Observe(run, book.Timings(ctx, run.ID))
		if err != nil {
			return best, "", false, err
		}
		if ok && p.Settled > best.Settled {
			best, by, found = p, run.Name, true
		}
		if found && best.Settled*fewOfAll >= plan.Counts.InRecords {
			break
		}
	}
	return best, by, found, nil
}

func (a *app) printForecasts(w io.Writer, list []forecasted, all *expected) {
	for _, f := range list {
		fmt.Fprintf(w, "%s  %s to send\n", a.Strong(w, f.Job), wording.Counted(f.ToBeSent, "record"))
		switch {
		case f.ToBeSent == 0:
		case f.Pace == nil:
			fmt.Fprintln(w, "  no forecast: no earlier run of this operation sent enough to tell the pace; run a part of the export first")
		default:
			fmt.Fprintf(w, "  %s\n  by the pace of %s: %s\n", f.words(), f.By, forecast.Rate(f.Pace.PerSecond))
			for _, advice := range f.Shorter {
				fmt.Fprintf(w, "  %s\n", advice)
			}
		}
	}
	if all != nil && len(list) > 1 {
		fmt.Fprintf(w, "%s  %s\n", a.Strong(w, "all"), all.words())
	}
}

// words say when something begins and ends, and how long it takes.
func (e expected) words() string {
	return fmt.Sprintf("from %s to %s: %s (at least %s, at most %s)", moment.Of(e.Begins), moment.Of(e.Ends), wording.Lasted(e.Ends.Sub(e.Begins)),
		wording.Lasted(e.Least.Sub(e.Begins)), wording.Lasted(e.Most.Sub(e.Begins)))
}
