package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report"
	"docketsync/importer/report/files"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/remedy"
	"docketsync/importer/report/wording"
)

func newRuns(a *app) *cobra.Command {
	var job string
	var limit int
	var all bool
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List past runs, newest first",
		Args:  args(cobra.NoArgs),
		RunE: a.viewed(func(ctx context.Context, in *installation.Installation, _ []string) error {
			filter := ledger.RunFilter{Job: job, Limit: limit, Kinds: []ledger.Kind{ledger.Push}}
			if all {
				filter.Kinds = nil
			}
			runs, err := in.Book.Runs(ctx, filter)
			if err != nil {
				return err
			}
			if len(runs) == 0 && job != "" {
				if _, err := installation.ChooseJobs(in.Config.Jobs, []string{job}); err != nil {
					return err
				}
			}
			list := make([]listedRun, 0, len(runs))
			for _, run := range runs {
				counts, err := in.Book.Tally(ctx, run.ID)
				if err != nil {
					return err
				}
				list = append(list, listedRun{run, outcome.Tally(counts)})
			}
			return a.Result("runs/1", map[string]any{"runs": list}, func(w io.Writer) { a.printRuns(w, list, job) })
		}),
	}
	cmd.Flags().StringVar(&job, "job", "", "only runs of `JOB`")
	cmd.Flags().IntVar(&limit, "limit", 20, "maximum number of runs, 0 for all")
	cmd.Flags().BoolVar(&all, "all", false, "include plans and checks")
	return cmd
}

// listedRun is a run with its counts by outcome, without the records themselves: the list has to be quick.
type listedRun struct {
	ledger.Run
	Outcomes map[outcome.Outcome]int `json:"outcomes"`
}

func (a *app) printRuns(w io.Writer, list []listedRun, job string) {
	if len(list) == 0 {
		fmt.Fprintf(w, "The ledger holds no runs%s yet.\n", wording.Prefixed(" of job ", job))
		return
	}
	t := a.Table(w)
	header := table.Row{"run", "id", "job", "started", "took", "state"}
	for _, outcome := range outcome.All {
		header = append(header, outcome.Words())
	}
	t.AppendHeader(header)
	for _, run := range list {
		row := table.Row{run.Name, run.ID, run.Job, moment.Of(run.Started), took(run.Run), phase(run.Run)}
		for _, outcome := range outcome.All {
			row = append(row, run.Outcomes[outcome])
		}
		t.AppendRow(row)
	}
	t.Render()
}

func took(run ledger.Run) string {
	if run.Ended.Before(run.Started) { // it has not ended, or the clock was set back
		return ""
	}
	return run.Ended.Sub(run.Started).Round(100 * time.Millisecond).String()
}

func phase(run ledger.Run) string {
	word := remedy.Phase(run.Phase, run.StopCode)
	if run.Kind != ledger.Push {
		word = string(run.Kind) + " " + word
	}
	return word
}

func newReport(a *app) *cobra.Command {
	var dir string
	var all bool
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Write the report of a past run again",
		Long: `report writes report.html, report.json, report.csv and, if rows were rejected, rejects.xlsx of a past run, from the ledger.
RUN is the name of a run, such as matters-12, its number, or the beginning of its id, as 'docketsync runs' lists them.

report.html and report.json list every record with a problem, up to 10,000, and some of the others. report.csv has a line for
every row; of more than 20,000 rows it is compressed, as report.csv.gz.

With --json, report.json is printed to standard output and no files are written. With --json --all, every record of the run is
printed instead, as a JSON object on a line of its own.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: a.viewed(func(ctx context.Context, in *installation.Installation, args []string) error {
			switch {
			case all && !a.JSON:
				return exit.Mistakef("--all needs --json: it prints every record of the run as a line of JSON")
			case all:
				return files.WriteRecords(ctx, a.Out, in.Book.Reader, args[0])
			case a.JSON:
				return files.WriteOne(ctx, a.Out, in.Book.Reader, args[0], "report.json")
			}
			summary, err := report.Build(ctx, in.Book.Reader, args[0])
			if _, ok := errors.AsType[*report.PrunedError](err); ok {
				return err
			}
			if err != nil {
				return fmt.Errorf("%w\nList the runs with 'docketsync runs'", err)
			}
			files, err := in.WriteReport(ctx, summary, cmp.Or(dir, in.Config.Reports))
			if err != nil {
				return err
			}
			runner.Print(a.Screen, a.Out, []runner.Result{{Summary: summary, Reports: files}})
			return nil
		}),
	}
	cmd.Flags().StringVar(&dir, "dir", "", "output `FOLDER` (default: as configured)")
	cmd.Flags().BoolVar(&all, "all", false, "with --json, print every record of the run, one on each line")
	return cmd
}
