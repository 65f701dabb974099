package main

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"docketsync/apiclient/payload"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/config"
	"docketsync/importer"
	"docketsync/importer/ledger"
	"docketsync/importer/rows"
)

// previewed is what preview says of a record.
type previewed struct {
	importer.Preview
	Changes []payload.Change `json:"changes,omitempty"` // of an update, against what was last accepted
	Exit    int              `json:"exit"`
}

func newPreview(a *app) *cobra.Command {
	var spot rows.Spot
	var file string
	cmd := &cobra.Command{
		Use:   "preview JOB (--row N | --key KEY)",
		Short: "Follow one record from its cells to its payload",
		Long: `preview finds one record in the sources of a job, by its key or by the number of one of its rows as a spreadsheet shows it. It
shows where each value comes from, what is wrong or unusual, what the ledger knows about the record, and what run would do. It
sends and stores nothing, and needs neither the network nor the secrets of the service. Only check and run compare a record
with all the others, for example to find a number that two records share.

With --file it reads that file. If a job reads several files, --file names the one with the row, by its path or
the end of it, and --sheet its sheet.

Exit status: 0 if the record would be imported, is already in or is left out; 3 if it would be rejected; 4 if it is in doubt.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, names []string) error {
			if (spot.Row > 0) == (spot.Key != "") {
				return exit.Mistakef("name one record: --row N, as the spreadsheet numbers its rows, or --key KEY")
			}
			return a.opened(func(ctx context.Context, in *installation.Installation, names []string) error {
				p, err := a.preview(ctx, in, names[0], file, spot)
				if err != nil {
					return err
				}
				return exit.With(p.Exit, a.Result("preview/1", p, func(w io.Writer) { page{a.Page(w)}.preview(a, p) }))
			})(cmd, names)
		},
	}
	f := cmd.Flags()
	f.IntVar(&spot.Row, "row", 0, "the `NUMBER` of a row of the record")
	f.StringVar(&spot.Key, "key", "", "the record's `KEY`")
	f.StringVar(&file, "file", "", "the `FILE` that the row is in")
	f.StringVar(&spot.Sheet, "sheet", "", "the `SHEET` that the row is in")
	return cmd
}

func (a *app) preview(ctx context.Context, in *installation.Installation, name, file string, spot rows.Spot) (previewed, error) {
	chosen, err := in.Choose([]string{name}, "")
	if spot.File = file; err == nil && file != "" && !reads(chosen[0], file) {
		chosen, err = in.Choose([]string{name}, file)
	}
	if err != nil {
		return previewed{}, err
	}
	job, err := in.Job(chosen[0])
	if err != nil {
		return previewed{}, exit.As(exit.Usage, err)
	}
	if err := in.FetchSources(ctx, job); err != nil {
		return previewed{}, err
	}
	p := previewed{}
	p.Preview, err = in.Importer(nil).Preview(ctx, job, spot)
	if _, nowhere := errors.AsType[*rows.SpotError](err); nowhere {
		err = exit.As(exit.Usage, err)
	}
	if err != nil {
		return p, err
	}
	switch p.Would {
	case ledger.Rejected:
		p.Exit = exit.Rejects
	case ledger.InDoubt:
		p.Exit = exit.InDoubt
	}
	if p.Would != ledger.Planned {
		return p, nil
	}
	if len(p.Body) == 0 {
		p.Body = p.Payload
	}
	if len(p.Previous) > 0 {
		p.Changes, err = payload.Changes(payload.Operation(p.Operation), p.Previous, p.Payload)
	}
	return p, err
}

// reads reports whether a job's own source includes the file.
func reads(job config.Job, file string) bool {
	return slices.ContainsFunc(job.Source.Files, func(path string) bool { return rows.SamePath(path, file) })
}
