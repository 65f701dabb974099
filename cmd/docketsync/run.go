package main

import (
	"cmp"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
)

const runHelp = `run runs the named jobs, or all jobs of the configuration in order. Each job reads and maps its whole source before anything
is sent. On a terminal it then asks once for each job, with what would be sent and to which host; --yes sends without asking, as does a
run without a terminal or with --json. An interrupted run is resumed. A source without rows is not an error: nothing is sent.

If a job cannot run, for example because its file is missing, later jobs that take ids from it (lookups: {…: {ledger: …}}) are
skipped and the others run. If a job is stopped because the sign-in was lost or the service is down, all later jobs are
skipped. Every job you asked for is reported: with --json, "runs" has an entry for each; one without a run has a state,
not_begun or could_not_run, and the reason.

An export that differs too much from the last one (guards: in the configuration) stops its job with status 5 before anything
is sent. Check the report and the export. With --accept-guard the named jobs may pass the guards that stopped them, for that
export only: if the export has changed since, or other guards fire, the job is stopped again. The ledger records who accepted
it and when. For a job with an inbox, this means the file that was stopped last, in the folder of rejected files; it is
archived after the run.

Records that the service refused are not sent again unchanged until retry.refused has passed; --retry-refused sends them now.
A corrected row goes out with the next run.

With --rehearse everything goes to a sandbox in this process instead of the service. It accepts any id that a record refers to,
unless sandbox.directory says which exist. A rehearsal has its own ledger and reports (docketsync.rehearsal.db,
reports.rehearsal), and its output begins with "Rehearsal". Delete them to start afresh.

With --file a job reads that file instead of its source, with the same mapping, for example a corrected rejects.xlsx.

With --first, a run ends when it has sent so many records, in the order in which it would send all of them. Look at them in the
service, or at how long the rest would take (docketsync forecast); the next run sends the rest.

With --plan, a plan written by 'docketsync plan JOB --out FILE' is carried out exactly as approved, or refused with what has
changed since.`

func newRun(a *app) *cobra.Command {
	var file, plan string
	var accept, retryRefused, yes bool
	var first int
	var as config.Source
	cmd := &cobra.Command{
		Use:   "run [JOB…]",
		Short: "Send what is new or changed, and write the report",
		Long:  runHelp,
		RunE: func(cmd *cobra.Command, names []string) (err error) {
			in, err := runner.Open(cmd.Context(), &a.Setup, names, file == "" && plan == "")
			if err != nil && (in == nil || plan != "") {
				return err
			}
			if err != nil {
				return a.answerRuns(runner.NoneRan(in.NamesOf(names), err), 0, err)
			}
			defer func() { err = in.End(err) }()
			if retryRefused {
				in.Config.Retry.Refused = 0
			}
			switch given := cmd.Flags().Changed("first"); {
			case given && first < 1: // 0 would be all of them
				return exit.Mistakef("--first needs a number of records of at least 1, not %d", first)
			case given && plan != "":
				return exit.Mistakef("--first cannot be combined with --plan: a plan is carried out as a whole")
			}
			in.First = first
			if in.Named, err = named(file, as); err != nil {
				return err
			}
			if !yes && !a.JSON {
				in.Confirm = terminal.Attended()
			}
			if plan != "" && (len(names) > 0 || file != "") {
				return exit.Mistakef("--plan cannot be combined with job names or --file: the plan names its job and its sources")
			}
			if accept && (len(names) == 0 || plan != "") {
				return exit.Mistakef("--accept-guard needs the names of the jobs, and cannot be combined with --plan")
			}
			if err := audited(cmd.Context(), in, "run", cmp.Or(plan, strings.Join(in.NamesOf(names), ", ")), given(cmd)); err != nil {
				return err
			}
			var results []runner.Result
			var code int
			switch {
			case plan != "":
				results, code, err = a.runPlan(cmd.Context(), in, plan)
			case accept && file != "":
				results, code, err = runner.Jobs(cmd.Context(), in, names, file, runner.Accept(cmp.Or(terminal.User(), "somebody"), ""))
			case accept:
				results, code, err = runner.Accepted(cmd.Context(), in, names)
			default:
				results, code, err = runner.Jobs(cmd.Context(), in, names, file, runner.Send)
			}
			return a.answerRuns(results, code, err)
		},
	}
	fileFlags(cmd, &file, &as)
	cmd.Flags().StringVar(&plan, "plan", "", "carry out exactly the plan in `FILE`")
	cmd.Flags().BoolVar(&accept, "accept-guard", false, "accept the export, or the --file, that guards stopped, for the named jobs")
	cmd.Flags().IntVar(&first, "first", 0, "send at most the first `N` records of each job; the next run sends the rest")
	retryRefusedFlag(cmd, &retryRefused)
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "send without asking")
	return cmd
}

// fileFlags adds the flags for a file that is read instead of a job's source.
func fileFlags(cmd *cobra.Command, file *string, as *config.Source) {
	cmd.Flags().StringVar(file, "file", "", "read `FILE` instead of the job's source")
	cmd.Flags().StringVar(&as.Encoding, "encoding", "", "with --file: its `ENCODING`, such as windows-1252, if it is not UTF-8")
	cmd.Flags().StringVar(&as.Sheet, "sheet", "", "with --file: the `SHEET` of the workbook to read")
}

// named says how to read the file that is named on the command line.
func named(file string, as config.Source) (config.Source, error) {
	if file == "" && as.Encoding+as.Sheet != "" {
		return as, exit.Mistakef("--encoding and --sheet say how a --file is read; those of a job's source are set in the configuration, under source:")
	}
	return as, nil
}

// retryRefusedFlag adds the flag that skips the wait of retry.refused.
func retryRefusedFlag(cmd *cobra.Command, set *bool) {
	cmd.Flags().BoolVar(set, "retry-refused", false, "send unchanged records that the service refused again, now")
}

// answerRuns prints what happened to the jobs. An error kept all of them from running, and is printed once; only the
// JSON form has it for each job.
func (a *app) answerRuns(results []runner.Result, code int, err error) error {
	if err != nil {
		code = exit.Of(err)
	}
	printing := a.Result("run/1", map[string]any{"runs": results, "exit": code}, func(w io.Writer) {
		if err == nil {
			runner.Print(a.Screen, w, results)
		}
	})
	if err == nil {
		err = printing
	}
	return exit.With(code, err)
}
