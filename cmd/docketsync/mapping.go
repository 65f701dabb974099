package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/apiclient/payload"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/proposing"
	"docketsync/importer"
	"docketsync/importer/report/wording"
	"docketsync/mapping"
)

// testedJob is what test says about the mapping of one job.
type testedJob struct {
	Job     string               `json:"job"`
	Mapping string               `json:"mapping"`
	Failed  int                  `json:"failed"`
	Tests   []mapping.TestResult `json:"tests"`
}

func newTest(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "test [JOB…]",
		Short: "Run the tests in mapping files",
		Long: `test runs the tests: section of the mappings of the named jobs (all jobs by default), with their lookups. It reads no source,
sends nothing, and needs neither the network nor the secrets of the service. Lookups in the ledger use what it knows now, which
changes; a test can give its own names and ids instead.

Exit status: 0 if all tests pass or a mapping has none, which is reported; 2 if a test fails or a mapping is invalid.`,
		RunE: func(cmd *cobra.Command, names []string) error {
			results, err := a.testJobs(cmd.Context(), names)
			if err != nil {
				return err
			}
			code := exit.AllIn
			for _, r := range results {
				if r.Failed > 0 {
					code = exit.Usage
				}
			}
			return exit.With(code, a.Result("test/1", map[string]any{"tested": results, "exit": code}, func(w io.Writer) { a.printTests(w, results) }))
		},
	}
}

func (a *app) testJobs(ctx context.Context, names []string) (results []testedJob, err error) {
	settings, err := a.Settings()
	if err != nil {
		return nil, err
	}
	in := a.New(settings)
	defer func() { err = in.End(err) }()
	chosen, err := in.Choose(names, "")
	if err != nil {
		return nil, err
	}
	jobs, err := in.JobsOf(chosen, false)
	if err != nil {
		return nil, err
	}
	results = make([]testedJob, 0, len(jobs))
	for n, job := range jobs {
		// A ledger is opened, and created, only if a mapping asks it for something.
		if in.Book == nil && job.AsksLedger() {
			if err := in.OpenLedger(ctx); err != nil {
				return nil, err
			}
		}
		tested, err := testJob(ctx, in.Importer(nil), job, chosen[n].Mapping)
		if err != nil {
			return nil, fmt.Errorf("job %s: %w", job.Name, err)
		}
		results = append(results, tested)
	}
	return results, nil
}

func testJob(ctx context.Context, i *importer.Importer, job importer.Job, path string) (testedJob, error) {
	tested := testedJob{Job: job.Name, Mapping: path, Tests: []mapping.TestResult{}}
	if !job.Mapping.Tested() {
		return tested, nil
	}
	tables, err := i.Lookups(ctx, job)
	if err != nil {
		return tested, err
	}
	tested.Tests = job.Mapping.RunTests(tables)
	for _, result := range tested.Tests {
		if len(result.Faults) > 0 {
			tested.Failed++
		}
	}
	return tested, nil
}

func (a *app) printTests(w io.Writer, results []testedJob) {
	for _, r := range results {
		said := wording.Counted(len(r.Tests), "test") + ", all pass"
		switch {
		case len(r.Tests) == 0:
			said = "no tests\n  Add rows and their expected results under tests: in the mapping."
		case r.Failed > 0:
			said = fmt.Sprintf("%d of %d %s", r.Failed, len(r.Tests), wording.Plural(len(r.Tests), "test fails", "tests fail"))
		}
		fmt.Fprintf(w, "%s  %s: %s\n", a.Strong(w, r.Job), r.Mapping, said)
		for _, result := range r.Tests {
			if len(result.Faults) == 0 {
				fmt.Fprintf(w, "  ok    %s\n", result.Name)
				continue
			}
			fmt.Fprintf(w, "  FAIL  %s\n", result.Name)
			for _, fault := range result.Faults {
				fmt.Fprintln(w, fault.Error())
			}
		}
	}
}

func newInit(a *app) *cobra.Command {
	var options fileOptions
	var operation, out string
	cmd := &cobra.Command{
		Use:   "init FILE",
		Short: "Propose a mapping for a new file",
		Long: `init reads a file and proposes a mapping: which column goes to which field, how dates are written, and which names need an id. It
writes NAME.mapping.yaml, with comments that give the reasons; lookups/*.csv, with an empty id column for you to fill in; and
a configuration with a job if there is none yet. It never overwrites a file: existing lookups are used as they are, and check
lists the names they lack. It says how many records the rows become by the proposed mapping, as check does.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if operation != "" && !slices.Contains(payload.Operations, payload.Operation(operation)) {
				return exit.Mistakef("unknown operation %q\nThe operations are %s", operation, operationList())
			}
			proposed, err := proposing.Propose(cmd.Context(), &a.Setup, args[0], options.Options, options.passwordEnv, payload.Operation(operation), out)
			if err != nil {
				return err
			}
			return a.Result("init/1", proposed, proposed.Print)
		},
	}
	options.flags(a, cmd)
	cmd.Flags().StringVar(&operation, "operation", "", "`"+"OPERATION"+"`: "+operationList()+"; detected if not given")
	cmd.Flags().StringVar(&out, "out", "", "write the mapping to `FILE`, and lookups to the folder lookups beside it")
	return cmd
}

func operationList() string {
	var list []string
	for _, o := range payload.Operations {
		list = append(list, string(o))
	}
	return strings.Join(list, ", ")
}
