// Package checking reads and maps every row of jobs and says what would keep rows from going in, without sending
// anything: each kind of problem once, the names that lookups do not have or that wait for an id, and what was detected
// about the files. It writes the reports of a check and the files of names to fill in.
//
// A job that cannot be read keeps no other from being checked. The package uses the installation and the runner's exit
// statuses; the command decides how the result is shown.
package checking

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

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

// Result is what a check says about one job.
type Result struct {
	*report.Summary
	Detected []Detected      `json:"detected"`
	Problems []cause.Problem `json:"problems"`
	Missing  []Missing       `json:"missing_names"`
	Unfilled []Unfilled      `json:"unfilled_names"`
	Reports  files.Paths     `json:"reports"`
}

// Detected is what was found out about one file of a job.
type Detected struct {
	File string `json:"file"`
	source.Detected
}

// Failed is a job that could not be checked at all.
type Failed struct {
	Job   string `json:"job"`
	Error string `json:"error"`
	Exit  int    `json:"exit"`
}

// check checks jobs one after the other, even after one that cannot be read: whoever asks wants to know everything that
// is wrong.
type check struct {
	in      *installation.Installation
	partial bool // not a whole export
	Results []Result
	Failed  []Failed
	Code    int
}

// Jobs checks the named jobs, or all if none is named; with a file, the one job reads that instead of its source.
func Jobs(ctx context.Context, in *installation.Installation, names []string, file string) (*check, error) {
	c := &check{in: in, partial: file != "", Results: []Result{}, Failed: []Failed{}}
	chosen, err := in.Choose(names, file)
	if err != nil {
		return nil, err
	}
	for _, settings := range chosen {
		code, err := c.job(ctx, settings)
		if err != nil {
			code = exit.Of(err)
			c.Failed = append(c.Failed, Failed{settings.Name, exit.Explain(err), code})
			fmt.Fprintf(c.in.Screen.Err, "docketsync: job %s: %s\n", settings.Name, exit.Explain(err))
		}
		if c.Code = exit.Graver(c.Code, code); code == exit.Interrupted {
			break
		}
	}
	return c, nil
}

func (c *check) job(ctx context.Context, settings config.Job) (code int, err error) {
	job, err := c.in.Job(settings)
	if err != nil {
		if faults, ok := errors.AsType[diagnostic.Faults](err); ok {
			return 0, append(faults, c.mistakes(ctx, settings)...)
		}
		return 0, exit.As(exit.Usage, err)
	}
	job.Partial = c.partial
	if err := c.in.FetchSources(ctx, job); err != nil {
		return 0, err
	}
	shown := c.in.Screen.Display(job.Name)
	i := c.in.Importer(shown.Update)
	run, err := i.Check(ctx, job)
	shown.Done()
	if err != nil {
		return 0, err
	}
	settled := context.WithoutCancel(ctx)
	summary, err := report.Build(settled, c.in.Book.Reader, run.ID)
	if err != nil {
		return 0, err
	}
	result := Result{Summary: summary, Problems: summary.Problems, Detected: detectedFiles(job, summary)}
	if report.Abandoned(run) {
		c.Results = append(c.Results, result)
		return exit.Interrupted, nil
	}
	if result.Reports, err = c.in.WriteReport(settled, summary, c.in.Config.Reports); err != nil {
		return 0, err
	}
	if result.Missing, result.Unfilled, err = c.names(settled, i, job, summary, result.Reports.Dir); err != nil {
		return 0, err
	}
	c.Results = append(c.Results, result)
	return runner.StatusOf(summary), nil
}

// detectedFiles returns the reader's notes, one for each input in order. Other notes follow them.
func detectedFiles(job importer.Job, s *report.Summary) []Detected {
	var notes []source.Detected
	if json.Unmarshal(s.Run.Notes, &notes) != nil {
		return []Detected{}
	}
	files := make([]Detected, min(len(notes), len(job.Inputs)))
	for n := range files {
		files[n] = Detected{File: job.Inputs[n].Path, Detected: notes[n]}
	}
	return files
}

// mistakes returns the faults that come with a mapping that cannot be used, besides its own: columns that the source
// does not have, and faulty lookups. They are reported together, so that a person can mend them in one go. A source
// that cannot be read is reported once the mapping can be used.
func (c *check) mistakes(ctx context.Context, settings config.Job) (faults diagnostic.Faults) {
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
	if several, ok := errors.AsType[diagnostic.Faults](job.CheckLookups(ctx, draft.Lookups())); ok {
		faults = append(faults, several...)
	}
	return faults
}
