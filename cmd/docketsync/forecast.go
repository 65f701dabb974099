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
	"docketsync/importer/moment"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
)

func newForecast(a *app) *cobra.Command {
	var start string
	cmd := &cobra.Command{
		Use:   "forecast [JOB…]",
		Short: "Say how long a run would take, and what would shorten it; send nothing",
		Long: `forecast plans the named jobs (all jobs by default) and says for each job, and for all jobs one after the other, when a run would
end: the likely time, and the earliest and latest. It sends nothing.

It uses the pace of the last run of the same operation that sent enough to this service. If there is none, it says so and makes no
guess: send a part first, with docketsync run JOB --first N. The larger that part, the narrower the range; a part that takes several
minutes is good for a forecast within 10 %.

Exit status: 0 if every job has a forecast; 3 if some have none; 1 or 2 if a job cannot be planned.`,
		RunE: a.planned(func(ctx context.Context, in *installation.Installation, names []string) error {
			begins := time.Now()
			if a.Now != nil {
				begins = a.Now()
			}
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

// forecasted is the forecast for a job. Without a pace there are no times.
type forecasted struct {
	Job      string         `json:"job"`
	Rows     int            `json:"rows"`
	ToBeSent int            `json:"to_be_sent"`
	By       string         `json:"by,omitempty"` // the run whose pace it is
	Pace     *forecast.Pace `json:"pace,omitempty"`
	forecast.Expected
	Shorter []string `json:"shorter,omitempty"`
}

func (a *app) forecastJobs(ctx context.Context, in *installation.Installation, names []string, begins time.Time) error {
	if err := in.WarnRestored(ctx); err != nil {
		return err
	}
	jobs, err := jobsWithLists(ctx, in, names)
	if err != nil {
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
			f.Expected = forecast.Expect(begins, before, span)
			before = before.And(span)
		} else {
			code = exit.Rejects
		}
		list = append(list, f)
	}
	var total *forecast.Expected
	answer := map[string]any{"jobs": list, "exit": code}
	if code == exit.AllIn {
		all := forecast.Expect(begins, forecast.Span{}, before)
		total, answer["all"] = &all, all
	}
	return exit.With(code, a.Result("forecast/1", answer, func(w io.Writer) { a.printForecasts(w, list, total) }))
}

// forecastJob plans a job, and says how long its run takes by the pace of the last run that shows one.
func (a *app) forecastJob(ctx context.Context, in *installation.Installation, job importer.Job) (f forecasted, span forecast.Span, err error) {
	run, err := a.planJob(ctx, in, job)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return f, span, err
	}
	counts, err := in.Book.Tally(ctx, run.ID)
	if err != nil {
		return f, span, err
	}
	f = forecasted{Job: job.Name, Rows: run.Counts.Read, ToBeSent: outcome.Tally(counts)[outcome.Planned]}
	p, by, ok, err := forecast.Last(ctx, in.Book.Reader, run.Operation, f.ToBeSent)
	if err != nil || !ok {
		return f, span, err
	}
	f.Pace, f.By, f.Shorter = &p, by, p.Shorter(in.Config.Pace.Concurrency, in.Config.Pace.Rate)
	if f.ToBeSent > 0 {
		span = p.For(f.ToBeSent, f.Rows)
	}
	return f, span, nil
}

func (a *app) printForecasts(w io.Writer, list []forecasted, all *forecast.Expected) {
	sending := 0
	for _, f := range list {
		if f.ToBeSent == 0 {
			fmt.Fprintf(w, "%s  Nothing to send.\n", a.Strong(w, f.Job))
			continue
		}
		sending++
		fmt.Fprintf(w, "%s  %s to send\n", a.Strong(w, f.Job), wording.Counted(f.ToBeSent, "record"))
		switch {
		case f.Pace == nil:
			fmt.Fprintln(w, "  no forecast: no earlier run of this operation sent enough to tell the pace; send a part first: docketsync run "+f.Job+" --first 500")
		default:
			fmt.Fprintf(w, "  %s\n  by the pace of %s: %s\n", between(f.Expected), f.By, forecast.Rate(f.Pace.PerSecond))
			for _, advice := range f.Shorter {
				fmt.Fprintf(w, "  %s\n", advice)
			}
		}
	}
	if all != nil && sending > 1 {
		fmt.Fprintf(w, "%s  %s\n", a.Strong(w, "all"), between(*all))
	}
}

// between says when something begins and ends, and how long it takes.
func between(e forecast.Expected) string {
	return fmt.Sprintf("from %s to %s: %s (at least %s, at most %s)", moment.Of(e.Begins), moment.Of(e.Ends), wording.Lasted(e.Ends.Sub(e.Begins)),
		wording.Lasted(e.Least.Sub(e.Begins)), wording.Lasted(e.Most.Sub(e.Begins)))
}
