package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/wording"
)

// rejectsFlags are what a person says about rejected records.
type rejectsFlags struct {
	acknowledge, withdraw, all bool
	note, who                  string
}

func newRejects(a *app) *cobra.Command {
	var flags rejectsFlags
	cmd := &cobra.Command{
		Use:   "rejects RUN [KEY…]",
		Short: "List rejected records and those that differ in the service, and acknowledge those that you accept",
		Long: `rejects lists the records that a run rejected, with the reasons; those whose rows have changed in a way that cannot be sent, because
that would create a second record or entry; and those for which the service stored a different value than was sent. You can acknowledge
those that you know of and accept as they are:

  docketsync rejects RUN KEY… --acknowledge --note "closed years ago"
  docketsync rejects RUN --all --acknowledge

Acknowledged records stay in the report (rejected ones in rejects.xlsx too), but messages and the console count them separately. If the row
or its reason changes, what the service stores changes, or the record is sent again, they count as new again. It makes no difference to
what is sent. The ledger records who acknowledged what and when; --withdraw takes it back.`,
		Args:    args(cobra.MinimumNArgs(1)),
		PreRunE: func(_ *cobra.Command, args []string) error { return flags.check(args) },
		RunE: a.viewed(func(ctx context.Context, in *installation.Installation, args []string) error {
			return a.rejects(ctx, in, args, flags)
		}),
	}
	f := cmd.Flags()
	f.BoolVar(&flags.acknowledge, "acknowledge", false, "accept these records as they are, until they change")
	f.BoolVar(&flags.withdraw, "withdraw", false, "take back what was acknowledged")
	f.BoolVar(&flags.all, "all", false, "all rejected records of the run")
	f.StringVar(&flags.note, "note", "", "why, for the ledger")
	f.StringVar(&flags.who, "who", "", "the name to record (default: the current user)")
	return cmd
}

func (f rejectsFlags) check(args []string) error {
	decides := f.acknowledge || f.withdraw
	switch {
	case f.acknowledge && f.withdraw:
		return exit.Mistakef("use --acknowledge or --withdraw, not both")
	case decides && f.all == (len(args) > 1):
		return exit.Mistakef("name the keys that you mean, or use --all")
	case !decides && (f.note != "" || f.who != "" || f.all):
		return exit.Mistakef("--note, --who and --all need --acknowledge or --withdraw")
	}
	return nil
}

// rejected is a rejected record as it is listed.
type rejected struct {
	ledger.Record
	Acknowledged *ledger.Acknowledged `json:"acknowledged,omitempty"`
}

func (a *app) rejects(ctx context.Context, in *installation.Installation, args []string, flags rejectsFlags) error {
	run, err := in.Book.Run(ctx, args[0])
	if err != nil {
		return fmt.Errorf("%w\nList the runs with 'docketsync runs'", err)
	}
	var chosen []ledger.Record
	for r, err := range in.Book.Acknowledgeable(ctx, run.ID) {
		if err != nil {
			return err
		}
		if len(args) == 1 || slices.Contains(args[1:], r.Key) {
			chosen = append(chosen, r)
		}
	}
	for _, key := range args[1:] {
		if !slices.ContainsFunc(chosen, func(r ledger.Record) bool { return r.Key == key }) {
			return fmt.Errorf("the record with the key %q was neither rejected in this run nor changed in a way that cannot be sent\nList them with 'docketsync rejects %s'", key, args[0])
		}
	}
	switch {
	case flags.acknowledge:
		err = in.Book.Acknowledge(ctx, chosen, cmp.Or(flags.who, terminal.User(), "somebody"), flags.note)
	case flags.withdraw:
		err = in.Book.Withdraw(ctx, chosen)
	}
	if err != nil {
		return err
	}
	known, err := in.Book.AcknowledgedIn(ctx, run)
	if err != nil {
		return err
	}
	list := make([]rejected, 0, len(chosen))
	for _, r := range chosen {
		one := rejected{Record: r}
		if by, ok := known[r.Seq]; ok {
			one.Acknowledged = &by
		}
		list = append(list, one)
	}
	return a.Result("rejects/1", map[string]any{"rejected": list}, func(w io.Writer) { printRejects(w, run, list) })
}

func printRejects(w io.Writer, run ledger.Run, list []rejected) {
	acknowledged, changes := 0, 0
	for _, r := range list {
		if r.Stale().Any() {
			changes++
		}
		fmt.Fprintf(w, "%s  %s: %s\n", cmp.Or(r.Key, "without a key"), wording.Positions(run, r.Rows), cause.InShort(r.Record))
		if by := r.Acknowledged; by != nil {
			acknowledged++
			fmt.Fprintf(w, "  acknowledged by %s on %s%s\n", by.Who, moment.Of(by.At), wording.Prefixed(": ", by.Note))
		}
	}
	unsent := ""
	if changes > 0 {
		unsent = ", " + wording.Counted(changes, "record differs", "records differ") + " in the service"
	}
	fmt.Fprintf(w, "%s rejected%s, %s of them acknowledged.\n", wording.Counted(len(list)-changes, "record"), unsent, wording.Thousands(acknowledged))
}
