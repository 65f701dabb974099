package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/importer/compare"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/planfile"
	"docketsync/importer/report/wording"
)

func newCompare(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "compare PLAN PLAN",
		Short: "Show what changed from one plan to another, and why",
		Long: `compare shows which records are new, gone or different in the second plan, grouped by cause: a cell of the export, a lookup, a line
of the mapping, a setting, or docketsync's version. Use it, for example, to compare two rehearsals.

A PLAN is a file that 'docketsync plan JOB --out FILE' wrote, or a run: its name, such as matters-12, its number, or the beginning
of its id, as 'docketsync runs --all' lists them. Two files can be compared anywhere; to compare a run, its configuration is needed.

A cause is given only if the two plans prove it. If they do not, compare lists the possible causes. Plans from earlier versions do not
keep everything that they were made from, so they prove less.

With --json, every record that differs is printed, with the cause of each of its fields.

Exit status: 0 if the plans were compared, whether they differ or not; 1 if a plan cannot be read; 2 if a file is not a valid plan.`,
		Args: args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, names []string) (err error) {
			var book *ledger.Reader
			if !isFile(names[0]) || !isFile(names[1]) {
				in, err := a.View(cmd.Context(), false)
				if err != nil {
					return err
				}
				defer func() { err = in.End(err) }()
				book = in.Book.Reader
			}
			return a.comparePlans(cmd.Context(), book, names[0], names[1])
		},
	}
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}

func (a *app) comparePlans(ctx context.Context, book *ledger.Reader, older, newer string) (err error) {
	var plans [2]compare.Plan
	for n, name := range []string{older, newer} {
		plan, closing, err := compare.Find(ctx, book, name)
		if err != nil {
			return compareStatus(err)
		}
		defer func() { err = errors.Join(err, closing()) }()
		plans[n] = plan
	}
	var each func(*compare.Difference) error
	separator := `{"form":"docketsync-compare/1","differences":[`
	if a.JSON {
		each = func(d *compare.Difference) error {
			line, err := planfile.Line(d)
			if err == nil {
				_, err = fmt.Fprintf(a.Out, "%s\n%s", separator, line)
				separator = ","
			}
			return err
		}
	}
	result, err := compare.Compare(ctx, plans[0], plans[1], each)
	if err != nil {
		return compareStatus(err)
	}
	if !a.JSON {
		a.printCompared(a.Out, result)
		return nil
	}
	if separator != "," {
		fmt.Fprint(a.Out, separator)
	}
	text, err := planfile.Line(result)
	if err == nil {
		_, err = fmt.Fprintf(a.Out, "],\n\"result\":%s}\n", text)
	}
	return err
}

// compareStatus gives the error of a plan its exit status.
func compareStatus(err error) error {
	if _, ok := errors.AsType[*compare.MismatchError](err); ok {
		return exit.As(exit.Usage, err)
	}
	return runner.PlanStatus(err)
}

func (a *app) printCompared(w io.Writer, r *compare.Result) {
	for _, side := range []struct {
		word  string
		about compare.About
	}{{"old", r.Old}, {"new", r.New}} {
		fmt.Fprintf(w, "%s: %s of %s, %s%s: %s, %s to be sent\n", side.word, side.about.Plan, side.about.Job, moment.Of(side.about.Made),
			wording.Prefixed(", docketsync ", side.about.Version), wording.Counted(side.about.Records, "record"), wording.Thousands(side.about.ToBeSent))
	}
	fmt.Fprintf(w, "%s\n", a.Strong(w, r.Words()))
	for _, note := range r.Remarks() {
		fmt.Fprintf(w, "  %s\n", note)
	}
	a.printGroups(w, r, "; --json has all")
}
