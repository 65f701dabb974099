package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/source"
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
	return machineUser()
}

// machineUser is the user of this machine, "" when the system does not say.
func machineUser() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
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
				return usage("%v", err)
			}
			in, err := a.view(cmd.Context(), false)
			if err != nil {
				return err
			}
			defer func() { err = closing(in, err) }()
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

// decided is one decision on its way to the ledger.
type decided struct {
	record   ledger.Record
	decision ledger.Decision
	id, note string
}

func (a *app) resolve(ctx context.Context, in *installation, args []string, flags resolveFlags) error {
	doubts, err := findDoubts(ctx, in.book, args)
	if err != nil {
		return err
	}
	var decisions []decided
	switch {
	case flags.ask:
		return a.ask(ctx, in, doubts, flags)
	case len(args) == 3 && flags.decisions != "":
		return usage("give a decision or a file of decisions, not both")
	case len(args) == 3:
		decisions, err = oneDecision(doubts, args[1], args[2], flags)
	case flags.decisions != "":
		decisions, err = readDecisions(ctx, flags.decisions, doubts)
	case flags.worklist != "":
		return a.writeWorklist(ctx, in, flags.worklist, doubts)
	default:
		return a.listDoubts(ctx, in, doubts)
	}
	if err != nil {
		return err
	}
	return a.settle(ctx, in.book, decisions, flags)
}

// oneDecision is the decision of the command line.
func oneDecision(doubts []ledger.Record, key, word string, flags resolveFlags) ([]decided, error) {
	for _, r := range doubts {
		if r.Key == key {
			d, err := newDecided(r, word, flags.id, flags.note)
			return []decided{d}, err
		}
	}
	return nil, fmt.Errorf("no record with the key %q is in doubt in this run\nList them with 'docketsync resolve'", key)
}

func newDecided(r ledger.Record, word, id, note string) (decided, error) {
	d := decided{record: r, decision: ledger.Decision(strings.ToLower(strings.TrimSpace(word))), note: note}
	switch d.decision {
	case ledger.Exists, ledger.Absent, ledger.Leave:
	default:
		return d, usage("%s: %q is no decision; say exists, absent or leave", r.Key, word)
	}
	if id = strings.TrimSpace(id); id == "" {
		return d, nil
	}
	if d.decision != ledger.Exists {
		return d, usage("%s: an id goes with exists only", r.Key)
	}
	parsed, err := uuid.Parse(id)
	if err != nil {
		return d, usage("%s: %q is no GUID", r.Key, id)
	}
	d.id = parsed.String()
	return d, nil
}

// worklistColumns are the columns of the file that is filled in; the decision is read by these names.
var worklistColumns = []string{"run", "key", "decision", "id", "note", "operation", "rows", "last tried", "what was seen", "what was sent"}

func (a *app) writeWorklist(ctx context.Context, in *installation, path string, doubts []ledger.Record) error {
	var list bytes.Buffer
	out, bodies := bufio.NewWriter(&list), in.bodies()
	line := report.BeginCSV(out, worklistColumns...)
	for _, r := range doubts {
		sent, err := bodies.sent(ctx, r)
		if err != nil {
			return err
		}
		_ = line(r.Run, r.Key, "", "", "", r.Scope, rowNumbers(r), strings.TrimSuffix(settledAt(r), ": "), r.Message, string(sent)) // the buffer keeps the error
	}
	if err := out.Flush(); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("the worklist is written to a new file only: %w", err)
	}
	_, err = f.Write(list.Bytes())
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the worklist: %w", err)
	}
	return a.result(map[string]any{"worklist": path, "in_doubt": len(doubts)}, func(out io.Writer) {
		fmt.Fprintf(out, "%d records in doubt are listed in %s.\nFill in the column decision (exists, absent or leave), then: docketsync resolve --decisions %s\n", len(doubts), path, path)
	})
}

// readDecisions reads a filled-in worklist. All its mistakes are reported at once, and nothing is decided if there are any.
func readDecisions(ctx context.Context, path string, doubts []ledger.Record) ([]decided, error) {
	byPlace := map[[2]string]ledger.Record{}
	for _, r := range doubts {
		byPlace[[2]string{r.Run, r.Key}] = r
	}
	file, err := source.Open(ctx, path, source.Options{Header: 1})
	if err != nil {
		return nil, err
	}
	defer file.Close()
	columns := map[string]int{}
	for n, name := range file.Header().Names {
		columns[strings.ToLower(strings.TrimSpace(name))] = n
	}
	for _, name := range worklistColumns[:5] {
		if _, ok := columns[name]; !ok {
			return nil, usage("%s has no column %q; write a list with 'docketsync resolve --worklist FILE' and fill that in", path, name)
		}
	}
	var list []decided
	var problems []error
	first := map[[2]string]int{}
	for row, err := range file.Rows(ctx) {
		if err != nil {
			return nil, err
		}
		cell := func(name string) string { return report.Plain(row.Cell(columns[name]).Text) }
		if row.Skip != "" || strings.TrimSpace(cell("decision")) == "" {
			continue
		}
		place := [2]string{cell("run"), cell("key")}
		record, ok := byPlace[place]
		if !ok {
			problems = append(problems, fmt.Errorf("%s, row %d: %q is not in doubt in run %s", path, row.Number, cell("key"), cell("run")))
			continue
		}
		if earlier, twice := first[place]; twice {
			problems = append(problems, fmt.Errorf("%s, row %d: %q is decided already in row %d", path, row.Number, cell("key"), earlier))
			continue
		}
		first[place] = row.Number
		d, err := newDecided(record, cell("decision"), cell("id"), cell("note"))
		if err != nil {
			problems = append(problems, fmt.Errorf("%s, row %d: %w", path, row.Number, err))
		}
		list = append(list, d)
	}
	if len(problems) > 0 {
		return nil, exitStatus{exitUsage, errors.Join(problems...)}
	}
	return list, nil
}

// settle writes decisions into the ledger.
func (a *app) settle(ctx context.Context, book *ledger.Ledger, decisions []decided, flags resolveFlags) error {
	who := flags.decider()
	counts := map[ledger.Decision]int{}
	for _, d := range decisions {
		if err := book.Resolve(ctx, d.record.Run, d.record.Seq, d.decision, d.id, who, d.note); err != nil {
			return fmt.Errorf("%s of run %s: %w", d.record.Key, d.record.Run, err)
		}
		counts[d.decision]++
	}
	return a.result(map[string]any{"decisions": counts}, func(w io.Writer) {
		fmt.Fprintf(w, "%d exist, %d are absent and may be sent by the next run, %d are left in doubt.\n",
			counts[ledger.Exists], counts[ledger.Absent], counts[ledger.Leave])
	})
}
