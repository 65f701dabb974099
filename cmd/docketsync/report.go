package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/runner"
	"docketsync/importer/report"
	"docketsync/importer/report/files"
)

func newReport(a *app) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Write the report of a past run again",
		Long: `report writes report.html, report.json, report.csv and, if rows were rejected, rejects.xlsx of a past run, from the ledger.
RUN is the name of a run, such as matters-12, its number, or the beginning of its id, as 'docketsync runs' lists them. With
--json the report is printed to standard output and no files are written.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			ctx := cmd.Context()
			in, err := a.View(ctx, false)
			if err != nil {
				return err
			}
			defer func() { err = in.End(err) }()
			if a.JSON {
				return files.WriteOne(ctx, a.Out, in.Book.Reader, args[0], "report.json")
			}
			summary, err := report.Build(ctx, in.Book.Reader, args[0])
			var pruned *report.PrunedError
			if errors.As(err, &pruned) {
				return err
			}
			if err != nil {
				return fmt.Errorf("%w\nList the runs with 'docketsync runs'", err)
			}
			files, err := files.WriteSummary(ctx, in.Book.Reader, summary, cmp.Or(dir, in.Config.Reports))
			if err != nil {
				return err
			}
			runner.Print(a.Screen, a.Out, []runner.Result{{Summary: summary, Reports: files}})
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "output `FOLDER` (default: as configured)")
	return cmd
}
