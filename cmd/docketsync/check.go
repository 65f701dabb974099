package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/config"
	"docketsync/config/diagnostic"
	"docketsync/importer"
	"docketsync/importer/lookups"
	"docketsync/importer/report"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/files"
	"docketsync/importer/source"
	"docketsync/mapping"
)

// checkResult is what check says about one job.
type checkResult struct {
	*report.Summary
	Detected []detectedFile  `json:"detected"`
	Problems []cause.Problem `json:"problems"`
	Missing  []missingNames  `json:"missing_names"`
	Unfilled []unfilledNames `json:"unfilled_names"`
	Reports  files.Paths     `json:"reports"`
}

// detectedFile is what was found out about one file of a job.
type detectedFile struct {
	File string `json:"file"`
	source.Detected
}

// notChecked is a job that could not be checked at all.
type notChecked struct {
	Job   string `json:"job"`
	Error string `json:"error"`
	Exit  int    `json:"exit"`
}

func newCheck(a *app) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "check [JOB…]",
		Short: "Read and map every row and list what is wrong; send nothing",
		Long: `check reads every row of the named jobs (all jobs by default), maps it, and lists what would keep rows from going in: each
kind of problem once, with an example and what to do. It sends nothing and needs neither the network (unless the source is on
a remote) nor the secrets of the service. Lists of the service are used as they were last fetched.

It writes report.html, report.json and rejects.xlsx, and for each lookup a file of the names it lacks, with an empty column
for their ids. Names that are in a lookup without an id are listed with their line numbers. A job that cannot be read does not
keep the others from being checked.

Exit status: 0 if all rows would go in or there are none; 3 if some would not; 1 or 2 if a job could not be checked.`,
		RunE: a.opened(func(ctx context.Context, in *installation.Installation, names []string) error {
			c := &checker{app: a, in: in, partial: file != ""}
			if err := c.jobs(ctx, names, file); err != nil {
				return err
			}
			answer := map[string]any{"checks": c.results, "not_checked": c.failed, "exit": c.code}
			return exit.With(c.code, a.Result(answer, func(w io.Writer) { a.printChecks(w, c.results) }))
		}),
	}
	cmd.Flags().StringVar(&file, "file", "", "read `FILE` instead of the job's source")
	return cmd
}

// checker checks jobs one after the other, also those behind one that cannot be read: whoever asks wants to know all that
// is wrong.
type checker struct {
	app     *app
	in      *installation.Installation
	partial bool // not a whole export
	results []checkResult
	failed  []notChecked
	code    int
}

func (c *checker) jobs(ctx context.Context, names []string, file string) error {
	chosen, err := c.in.Choose(names, file)
	if err != nil {
		return err
	}
	c.results, c.failed = []checkResult{}, []notChecked{}
	for _, settings := range chosen {
		code, err := c.job(ctx, settings)
		if err != nil {
			code = exit.Of(err)
			c.failed = append(c.failed, notChecked{settings.Name, exit.Explain(err), code})
			fmt.Fprintf(c.app.Err, "docketsync: job %s: %s\n", settings.Name, exit.Explain(err))
		}
		if c.code = exit.Graver(c.code, code); code == exit.Interrupted {
			break
		}
	}
	return nil
}

func (c *checker) job(ctx context.Context, settings config.Job) (code int, err error) {
	job, err := c.in.Job(settings)
	if err != nil {
		var faults diagnostic.Faults
		if errors.As(err, &faults) {
			return 0, append(faults, c.mistakes(ctx, settings)...)
		}
		return 0, exit.As(exit.Usage, err)
	}
	job.Partial = c.partial
	if err := c.in.FetchSources(ctx, job); err != nil {
		return 0, err
	}
	shown := c.app.Display(job.Name)
	i := c.in.Importer(shown.Update)
	run, err := i.Check(ctx, job)
	shown.Done()
	if err != nil {
		return 0, err
	}
	// An interrupted check is shown as far as it got.
	settled := context.WithoutCancel(ctx)
	summary, err := report.Build(settled, c.in.Book.Reader, run.ID)
	if err != nil {
		return 0, err
	}
	result := checkResult{Summary: summary, Problems: summary.Problems, Detected: detectedFiles(job, summary)}
	if result.Reports, err = files.WriteSummary(settled, c.in.Book.Reader, summary, c.in.Config.Reports); err != nil {
		return 0, err
	}
	if result.Missing, result.Unfilled, err = c.names(settled, i, job, summary, result.Reports.Dir); err != nil {
		return 0, err
	}
	c.results = append(c.results, result)
	return runner.StatusOf(summary), nil
}

// detectedFiles are the reader's notes, one for each input in their order. Notes of other things come behind them.
func detectedFiles(job importer.Job, s *report.Summary) []detectedFile {
	var notes []source.Detected
	if json.Unmarshal(s.Run.Notes, &notes) != nil {
		return []detectedFile{}
	}
	files := make([]detectedFile, min(len(notes), len(job.Inputs)))
	for n := range files {
		files[n] = detectedFile{File: job.Inputs[n].Path, Detected: notes[n]}
	}
	return files
}

// mistakes are those that a mapping which cannot be used has beside its own: columns that the source does not have, and
// faulty lookups. They are told together, so that a person mends them in one go. A source that cannot be read is told of
// when the mapping can be used.
func (c *checker) mistakes(ctx context.Context, settings config.Job) (faults diagnostic.Faults) {
	text, err := c.in.MappingText(settings.Mapping)
	if err != nil {
		return nil
	}
	draft := mapping.ParseDraft(settings.Mapping, text, installation.MappingOptions(c.in.Config))
	for _, file := range settings.Source.Files {
		table, err := source.Open(ctx, file, installation.SourceOptions(settings.Source, draft.Columns()))
		if err != nil {
			continue
		}
		faults = append(faults, draft.Missing(table.Header())...)
		_ = table.Close() // nothing was read that could be lost
		break
	}
	job := importer.Job{Name: settings.Name, Sources: lookups.Sources{MappingDir: filepath.Dir(settings.Mapping)}}
	var several diagnostic.Faults
	if errors.As(job.CheckLookups(ctx, draft.Lookups()), &several) {
		faults = append(faults, several...)
	}
	return faults
}
