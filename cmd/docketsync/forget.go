package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/forgetting"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/importer/console/upload"
	"docketsync/importer/ledger"
	"docketsync/importer/ledger/fault"
	"docketsync/importer/report/wording"
)

func newForget(a *app) *cobra.Command {
	var s ledger.Subject
	var cells []string
	var yes bool
	cmd := &cobra.Command{
		Use:   "forget [CLIENT…]",
		Short: "Delete one client's data and never send it again",
		Long: `forget deletes what docketsync holds of a client: in the ledger, the reports with their rejects, the files that were uploaded
in the console, the lists fetched from the service, and a rehearsal. Reports that are also about others are written again.

Records of the client are those whose payload names it in client_id or file_client_id (CLIENT is its id in the service), those with the
same key or service id, and rejected rows that name it as the others do. Records that do not name their client, such as trademarks, are
selected with --key or by a cell of their rows with --cell.

What was sent is never sent again: the ledger keeps a keyed hash of each key and service id. A later import leaves these
rows out and counts them as "forgotten". A new row whose key differs from a forgotten one only in case, spaces, punctuation or leading zeros is
rejected, as the check twin_key of the mapping says. Of each run the outcomes, row numbers and reason codes stay.

forget shows what it would delete. On a terminal it then asks; --yes does not ask. It refuses while a run is in progress, and while
anything of the client is in doubt. It also refuses if a record of the client now names another client, because docketsync would never
update it again; --transferred deletes it too. It changes nothing in the service, in your own files (it lists those that still name the client),
in the system's log, or in backups: delete backups of the ledger when they are due.`,
		RunE: a.opened(func(ctx context.Context, in *installation.Installation, args []string) error {
			s.Clients = args
			for _, cell := range cells {
				column, value, ok := strings.Cut(cell, "=")
				if !ok || strings.TrimSpace(value) == "" {
					return exit.Mistakef("--cell needs COLUMN=VALUE, such as --cell 'Client=Acme Ltd'")
				}
				s.Cells = append(s.Cells, ledger.Cell{Column: column, Value: strings.TrimSpace(value)})
			}
			if len(s.Clients)+len(s.Keys)+len(s.Cells) == 0 {
				return exit.Mistakef("name the client by its id in the service, or its records with --key or --cell")
			}
			return a.forget(ctx, in, s, yes)
		}),
	}
	cmd.Flags().StringArrayVar(&s.Keys, "key", nil, "also records with this `KEY`")
	cmd.Flags().StringArrayVar(&cells, "cell", nil, "also records with a row that has this `COLUMN=VALUE`")
	cmd.Flags().BoolVar(&s.Transferred, "transferred", false, "also records that now name another client")
	cmd.Flags().BoolVar(&yes, "yes", false, "delete without asking")
	return cmd
}

// forgotten is the command's answer.
type forgotten struct {
	forgetting.Plan
	Done      bool     `json:"deleted"`
	Rewritten []string `json:"reports_rewritten,omitempty"`
}

func (a *app) forget(ctx context.Context, in *installation.Installation, s ledger.Subject, yes bool) error {
	uploads, err := upload.Shared(ctx, in.Config.Console.Uploads, in.Beside())
	if err == nil {
		err = uploads.BringAll(ctx) // uploads from other machines are searched here too
	}
	if err != nil {
		return err
	}
	plan, err := forgetting.Look(ctx, in.Config, in.Book.Reader, s)
	if err != nil {
		return err
	}
	said := forgotten{Plan: plan}
	switch {
	case plan.Records+plan.Known == 0:
		if yes {
			if err := finishForgetting(ctx, in.Book); err != nil {
				return err
			}
		}
		return a.Result("forget/1", said, func(w io.Writer) { fmt.Fprintln(w, "The ledger holds no record of this client.") })
	case plan.Open > 0:
		return openRecords(plan.Open)
	case len(plan.Transferred) > 0 && !s.Transferred:
		return transferredRecords(plan.Transferred)
	}
	if !yes {
		ask := terminal.Attended()
		if ask == nil || a.JSON {
			return a.Result("forget/1", said, said.print)
		}
		said.print(a.Err)
		if yes, err = ask(ctx, fmt.Sprintf("Permanently delete this data, and %s?", wording.Counted(len(plan.Remove), "file or folder", "files and folders"))); err != nil || !yes {
			return err
		}
	}
	said.Plan, said.Rewritten, err = forgetting.Forget(ctx, in.Config, in.Book, s, func() error {
		return errors.Join(uploads.DropMissing(ctx), uploads.Shelf.Delete(ctx, "plan")) // plans can be made again
	})
	if errors.Is(err, ledger.ErrUnfinished) {
		return openRecords(said.Open)
	}
	if errors.Is(err, ledger.ErrTransferred) {
		return transferredRecords(said.Transferred)
	}
	if err != nil {
		return err
	}
	said.Done = true
	if err := audited(ctx, in, "forget", "", fmt.Sprintf("%d records, %d keys", said.Records+said.Known, said.Keys)); err != nil {
		return err
	}
	return a.Result("forget/1", said, said.print)
}

// finishForgetting rewrites an SQLite ledger from which something was forgotten, if an interrupted call did not do so.
func finishForgetting(ctx context.Context, book *ledger.Ledger) error {
	some, err := book.Forgets(ctx)
	if err != nil || !some {
		return err
	}
	if _, _, err = book.Compact(ctx); errors.Is(err, fault.ErrOnServer) {
		return nil
	}
	return err
}

func openRecords(n int) error {
	return fmt.Errorf("%s of this client in doubt, in progress or waiting for a decision, so nothing was deleted\n"+
		"Finish interrupted runs with 'docketsync run', and settle the rest with 'docketsync resolve' and 'docketsync renamed'",
		wording.Counted(n, "record is", "records are"))
}

// mostNamed is how many keys an error names.
const mostNamed = 5

func transferredRecords(keys []string) error {
	named := strings.Join(keys[:min(len(keys), mostNamed)], ", ")
	if more := len(keys) - mostNamed; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Errorf("records of this client that now name another client: %s. docketsync would never update them again, so nothing was deleted\n"+
		"To delete them too, add --transferred", named)
}

func (f forgotten) print(w io.Writer) {
	what := fmt.Sprintf("%s in %s and what is known of %s in the service", wording.Counted(f.Records, "record"), wording.Counted(f.Runs, "run"), wording.Counted(f.Known, "record"))
	hashes := "hashes of " + wording.Counted(f.Keys, "key")
	removed, end := "would be removed", "Nothing was deleted. To delete it, add --yes."
	if f.Done {
		removed, end = "removed", "Backups of the ledger and the system's log may still name the client: delete them when they are due."
		fmt.Fprintf(w, "Deleted %s; kept %s.\n", what, hashes)
	} else {
		fmt.Fprintf(w, "This would delete %s, and keep %s.\n", what, hashes)
	}
	for _, path := range f.Remove {
		fmt.Fprintf(w, "  %s: %s\n", path, removed)
	}
	for _, path := range f.Rewritten {
		fmt.Fprintf(w, "  %s: written again without the client\n", path)
	}
	for _, path := range f.Yours {
		fmt.Fprintf(w, "  %s names the client; it is your own file, so docketsync does not change it\n", path)
	}
	fmt.Fprintln(w, end)
}
