package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"docketsync/importer/report"
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
			in, err := a.view(ctx, false)
			if err != nil {
				return err
			}
			defer func() { err = closing(in, err) }()
			if a.json {
				return report.WriteJSON(ctx, a.stdout, in.book, args[0])
			}
			summary, err := report.Build(ctx, in.book, args[0])
			var pruned *report.PrunedError
			if errors.As(err, &pruned) {
				return err
			}
			if err != nil {
				return fmt.Errorf("%w\nList the runs with 'docketsync runs'", err)
			}
			files, err := summary.Write(ctx, in.book, orElse(dir, in.config.Reports))
			if err != nil {
				return err
			}
			a.printResults(a.stdout, []runResult{{Summary: summary, Reports: files}})
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "output `FOLDER` (default: as configured)")
	return cmd
}
