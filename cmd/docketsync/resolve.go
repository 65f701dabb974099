package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/doubts"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/importer/ledger"
)

// resolveFlags are what a person says about a doubt.
type resolveFlags struct {
	id, note, who       string
	decisions, worklist string
	ask, absent, dryRun bool
}

// decider is who decides: as the flag says, else the user of this machine.
func (f resolveFlags) decider() string {
	if f.who != "" {
		return f.who
	}
	return terminal.User()
}

func newResolve(a *app) *cobra.Command {
	var flags resolveFlags
	cmd := &cobra.Command{
		Use:   "resolve [RUN [KEY exists|absent|leave]]",
		Short: "List records in doubt and settle them",
		Long: `resolve lists the records of a run (of all runs by default) that may or may not have reached the service: what was sent, when,
and what came back. docketsync never sends them again by itself. Look up each one in the service, then enter

  docketsync resolve RUN KEY exists --id GUID   if it is there (leave out the id if you cannot see it)
  docketsync resolve RUN KEY absent             if it is not there: the next run may send it
  docketsync resolve RUN KEY leave              if you cannot tell yet

or write a worklist with --worklist FILE, fill in the decisions, and load it with --decisions FILE. The ledger records every
decision with who made it and when.

With --ask docketsync looks for the records in the lists of the service (service.lists.cases and folders in the configuration)
and settles those that are certainly there. It names those that are certainly not there and, with --absent, settles them too;
the next run then sends them. Anything uncertain stays in doubt: several matches, a list that changes while it is read or lacks
recent creates, a record sent only a short while ago (service.lists.settle_after), and every update.`,
		Args: args(func(_ *cobra.Command, args []string) error {
			if len(args) == 2 || len(args) > 3 {
				return errors.New("a decision needs a run, a key, and exists, absent or leave")
			}
			return nil
		}),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := flags.checkAsk(args); err != nil {
				return exit.Mistakef("%v", err)
			}
			in, err := a.View(cmd.Context(), false)
			if err != nil {
				return err
			}
			defer func() { err = in.End(err) }()
			return a.resolve(cmd.Context(), in, args, flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.id, "id", "", "the `GUID` that the record has in the service")
	f.StringVar(&flags.note, "note", "", "what you saw, for the ledger")
	f.StringVar(&flags.who, "who", "", "the name to record for the decision (default: the current user)")
	f.StringVar(&flags.worklist, "worklist", "", "write the list to a CSV `FILE`, to be filled in")
	f.StringVar(&flags.decisions, "decisions", "", "take the decisions from a CSV `FILE`")
	f.BoolVar(&flags.ask, "ask", false, "look in the lists of the service, and settle what is certainly there")
	f.BoolVar(&flags.absent, "absent", false, "with --ask: settle what is certainly not there too, so that the next run sends it")
	f.BoolVar(&flags.dryRun, "dry-run", false, "with --ask: show what would be settled, and settle nothing")
	return cmd
}

func (a *app) resolve(ctx context.Context, in *installation.Installation, args []string, flags resolveFlags) error {
	records, err := doubts.Find(ctx, in.Book.Reader, strings.Join(args[:min(1, len(args))], ""))
	if err != nil {
		return err
	}
	var decisions []doubts.Decision
	switch {
	case flags.ask:
		return a.ask(ctx, in, records, flags)
	case len(args) == 3 && flags.decisions != "":
		return exit.Mistakef("give a decision or a file of decisions, not both")
	case len(args) == 3:
		decisions, err = oneDecision(records, args[1], args[2], flags)
	case flags.decisions != "":
		decisions, err = doubts.ReadDecisions(ctx, flags.decisions, records)
	case flags.worklist != "":
		return a.writeWorklist(flags.worklist, records)
	default:
		return a.listDoubts(ctx, in, records)
	}
	if err != nil {
		return err
	}
	return a.settle(ctx, in.Book, decisions, flags)
}

func (a *app) writeWorklist(path string, records []ledger.Record) error {
	if err := doubts.WriteWorklist(path, records); err != nil {
		return err
	}
	return a.Result(map[string]any{"worklist": path, "in_doubt": len(records)}, func(out io.Writer) {
		fmt.Fprintf(out, "%d records in doubt are listed in %s.\nFill in the column decision (exists, absent or leave), then: docketsync resolve --decisions %s\n", len(records), path, path)
	})
}

// oneDecision is the decision of the command line.
func oneDecision(records []ledger.Record, key, word string, flags resolveFlags) ([]doubts.Decision, error) {
	for _, r := range records {
		if r.Key == key {
			d, err := doubts.NewDecision(r, word, flags.id, flags.note)
			return []doubts.Decision{d}, err
		}
	}
	return nil, fmt.Errorf("no record with the key %q is in doubt in this run\nList them with 'docketsync resolve'", key)
}

// settle writes decisions into the ledger.
func (a *app) settle(ctx context.Context, book *ledger.Ledger, decisions []doubts.Decision, flags resolveFlags) error {
	who := flags.decider()
	counts := map[ledger.Decision]int{}
	for _, d := range decisions {
		if err := book.Resolve(ctx, d.Record.Run, d.Record.Seq, d.Decision, d.ID, who, d.Note); err != nil {
			return fmt.Errorf("%s of run %s: %w", d.Record.Key, d.Record.Run, err)
		}
		counts[d.Decision]++
	}
	return a.Result(map[string]any{"decisions": counts}, func(w io.Writer) {
		fmt.Fprintf(w, "%d exist, %d are absent and may be sent by the next run, %d are left in doubt.\n",
			counts[ledger.Exists], counts[ledger.Absent], counts[ledger.Leave])
	})
}
