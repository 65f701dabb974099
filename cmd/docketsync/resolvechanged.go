package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"docketsync/apiclient"
	"docketsync/apiclient/payload"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/importer/conflict"
	"docketsync/importer/ledger"
	"docketsync/importer/report/remedy"
	"docketsync/importer/report/wording"
)

// changedThere is an update that is held because somebody else may have changed its record in the service, with both sides.
type changedThere struct {
	ledger.Conflict
	RunName string            `json:"run_name"`
	Differs []changedBothWays `json:"differs"`
}

// changedBothWays is a field in which the two sides differ, as far as the list shows.
type changedBothWays struct {
	Field  string `json:"field"`
	Ours   string `json:"ours"`
	Theirs string `json:"theirs"`
}

// conflicts returns the undecided ones of a run, or of all runs.
func conflicts(ctx context.Context, book *ledger.Reader, name string) ([]changedThere, error) {
	id := ""
	if name != "" {
		run, err := book.Run(ctx, name)
		if err != nil {
			return nil, err
		}
		id = run.ID
	}
	open, err := book.OpenConflicts(ctx, id)
	list := []changedThere{}
	for _, c := range open {
		run, err := book.Run(ctx, c.Run)
		if err != nil {
			return nil, err
		}
		one := changedThere{Conflict: c, RunName: run.Name, Differs: []changedBothWays{}}
		for _, d := range apiclient.Compare(payload.Operation(run.Operation), c.Ours, c.Theirs).Differences {
			one.Differs = append(one.Differs, changedBothWays{d.Field, d.Sent, d.Stored})
		}
		list = append(list, one)
	}
	return list, err
}

func printConflicts(w io.Writer, site remedy.Site, list []changedThere) {
	for _, c := range list {
		what := "changed in the service"
		if c.Why == string(conflict.Unknown) {
			what = "perhaps changed in the service"
		}
		fmt.Fprintf(w, "%s  %s, held in run %s: %s%s%s\n", c.Key, c.Scope, c.RunName, what, wording.Prefixed(" by ", c.Seen.By), wording.Prefixed(" at ", c.Seen.At))
		for _, d := range c.Differs {
			fmt.Fprintf(w, "  %s: ours “%s”, theirs “%s”\n", d.Field, d.Ours, d.Theirs)
		}
		if len(c.Differs) == 0 {
			fmt.Fprintln(w, "  The list shows no difference; what it does not show may differ.")
		}
	}
	if len(list) > 0 {
		fmt.Fprintf(w, "\n%s held. Say whose values stand: %s\n", wording.Counted(len(list), "update"), site.Command("resolve", "RUN", "KEY", "ours|theirs"))
	}
}

// settleConflict records whose values stand.
func (a *app) settleConflict(ctx context.Context, in *installation.Installation, args []string, flags resolveFlags) error {
	if flags.id != "" || flags.ask || flags.decisions != "" || flags.worklist != "" {
		return exit.Mistakef("ours and theirs take --fields, --note and --who only")
	}
	run, err := in.Book.Run(ctx, args[0])
	if err != nil {
		return fmt.Errorf("%w\nList the runs with 'docketsync runs'", err)
	}
	open, err := in.Book.OpenConflicts(ctx, run.ID)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(open, func(c ledger.Conflict) bool { return c.Key == args[1] })
	if at < 0 {
		return fmt.Errorf("no update of %q is held in this run because it was changed in the service, or a later run has looked again\nList them with 'docketsync resolve'", args[1])
	}
	c, side := open[at], ledger.Side(args[2])
	if side == ledger.Ours && len(flags.fields) > 0 {
		return exit.Mistakef("--fields works only with theirs")
	}
	for _, field := range flags.fields {
		if _, err := conflict.Take(payload.Operation(run.Operation), c.Ours, c.Theirs, installation.Spelling(in.Config.Service), field); err != nil {
			return exit.As(exit.Usage, err)
		}
	}
	if err := in.Book.SettleConflict(ctx, c, ledger.Settled{Side: side, Fields: flags.fields, Who: cmp.Or(flags.who, terminal.User()), Note: flags.note}); err != nil {
		return err
	}
	return a.Result("resolve-changed/1", map[string]any{"key": c.Key, "decision": side, "fields": append([]string{}, flags.fields...)}, func(w io.Writer) {
		switch {
		case side == ledger.Ours:
			fmt.Fprintf(w, "The next run sends the update of %s.\n", c.Key)
		case len(flags.fields) > 0:
			fmt.Fprintf(w, "The next run sends the update of %s and leaves %s as in the service.\n", c.Key, strings.Join(flags.fields, ", "))
		default:
			fmt.Fprintf(w, "%s stays as it is in the service until the export changes.\n", c.Key)
		}
	})
}
