package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
)

func newRenamed(a *app) *cobra.Command {
	var who, former string
	var all bool
	cmd := &cobra.Command{
		Use:   "renamed [KEY same|new]",
		Short: "Decide whether a record with a new key is new or renamed",
		Long: `renamed lists records that docketsync does not create because each may be an existing record under a new key: either the old
key is not in the export, and the new record has the number of the old one's case; or the new record equals the old one in everything
but the key, and the old key is not in the export or its row says something else now. For each, enter

  docketsync renamed KEY same [--former OLD]   if it is the same record: the ledger knows it by the new key from now on,
                                               and a row with the old key is a new record
  docketsync renamed KEY new                   if it is a new record: the next run that reads it creates it

or decide all of them at once with --all in place of KEY. Neither changes anything in the service: to change the number of a
renamed case there, use an update_case job or edit it by hand. The ledger records who decided and when.`,
		Args: args(func(_ *cobra.Command, args []string) error {
			if want := 2; all && len(args) != 1 || !all && len(args) != 0 && len(args) != want {
				return errors.New("a decision needs a key (or --all), and same or new")
			}
			return nil
		}),
		RunE: a.viewed(func(ctx context.Context, in *installation.Installation, args []string) error {
			open, err := in.Book.OpenRenames(ctx)
			if err != nil {
				return err
			}
			var failed error // a question that cannot be decided like this keeps no other one open
			if len(args) > 0 {
				if open, err = chosenRenames(open, args, former); err != nil {
					return err
				}
				open = slices.DeleteFunc(open, func(r ledger.Rename) bool {
					err := in.Book.DecideRename(ctx, r, ledger.Renamed(args[len(args)-1]), cmp.Or(who, terminal.User(), "somebody"))
					failed = errors.Join(failed, err)
					return err != nil
				})
				if failed != nil && len(open) == 0 {
					return failed
				}
			}
			return errors.Join(a.Result("renamed/1", map[string]any{"renamed": open}, func(w io.Writer) { printRenames(w, open, len(args) > 0) }), failed)
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "decide all of them")
	cmd.Flags().StringVar(&former, "former", "", "with same: the old `KEY`, if there are several candidates")
	cmd.Flags().StringVar(&who, "who", "", "the name to record for the decision (default: the current user)")
	return cmd
}

// chosenRenames returns the questions that the command line decides, one for each key.
func chosenRenames(open []ledger.Rename, args []string, former string) (list []ledger.Rename, err error) {
	decision := ledger.Renamed(args[len(args)-1])
	if decision != ledger.SameRecord && decision != ledger.NewRecord {
		return nil, exit.Mistakef("%q is not a decision; use same or new", args[len(args)-1])
	}
	for _, r := range open {
		if len(args) == 2 && r.Key != args[0] || former != "" && r.Former != former {
			continue
		}
		if last := len(list) - 1; last < 0 || list[last].Key != r.Key || list[last].Scope != r.Scope {
			list = append(list, r)
		} else if decision == ledger.SameRecord {
			return nil, exit.Mistakef("%q may be one of several records; say which with --former: 'docketsync renamed' lists them", r.Key)
		}
	}
	if len(list) == 0 && len(args) == 2 {
		return nil, fmt.Errorf("there is no open question about the key %q\nList the open questions with 'docketsync renamed'", args[0])
	}
	return list, nil
}

func printRenames(w io.Writer, list []ledger.Rename, decided bool) {
	for _, r := range list {
		switch {
		case !decided:
			fmt.Fprintf(w, "%s  may be %s  (%s, asked on %s)\n", r.Key, r.Former, r.Scope, moment.Day(r.Asked))
		default:
			fmt.Fprintf(w, "%s  decided; takes effect with the next run that reads it\n", r.Key)
		}
	}
	if len(list) == 0 {
		fmt.Fprintln(w, "No key seems to have been renamed.")
	}
}
