package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"docketsync/importer/ledger"
	"docketsync/importer/source"
)

// resolveFlags are what a person says about a doubt.
type resolveFlags struct {
	id, note, who       string
	decisions, worklist string
}

func newResolve(a *app) *cobra.Command {
	var flags resolveFlags
	cmd := &cobra.Command{
		Use:   "resolve [RUN [KEY exists|absent|leave]]",
		Short: "List what is in doubt, and settle it",
		Long: `resolve lists the records of a run (of all runs, when none is named) that may or may not have been acted on: what was sent,
when, and what was seen. docketsync never sends them again on its own. Look each one up in the service, then say

  docketsync resolve RUN KEY exists --id GUID   it is there (the id may be left out when you cannot see it)
  docketsync resolve RUN KEY absent             it is not there: the next run may send it
  docketsync resolve RUN KEY leave              nobody knows yet

or write a list with --worklist FILE, fill in its decisions, and give it with --decisions FILE. Every decision is kept in
the ledger with who and when.`,
		Args: args(func(_ *cobra.Command, args []string) error {
			if len(args) == 2 || len(args) > 3 {
				return errors.New("a decision needs a run, a key, and exists, absent or leave")
			}
			return nil
		}),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			in, err := a.open(cmd.Context())
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
	f.StringVar(&flags.who, "who", "", "who decides (default: the user of this machine)")
	f.StringVar(&flags.worklist, "worklist", "", "write the list to a CSV `FILE`, to be filled in")
	f.StringVar(&flags.decisions, "decisions", "", "take the decisions from a CSV `FILE`")
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
	case len(args) == 3 && flags.decisions != "":
		return usage("give a decision or a file of decisions, not both")
	case len(args) == 3:
		decisions, err = oneDecision(doubts, args[1], args[2], flags)
	case flags.decisions != "":
		decisions, err = readDecisions(ctx, flags.decisions, doubts)
	case flags.worklist != "":
		return a.writeWorklist(flags.worklist, doubts)
	default:
		return a.result(map[string]any{"in_doubt": doubts}, func(w io.Writer) { a.printDoubts(w, doubts) })
	}
	if err != nil {
		return err
	}
	return a.settle(ctx, in.book, decisions, flags)
}

func findDoubts(ctx context.Context, book *ledger.Ledger, args []string) ([]ledger.Record, error) {
	if len(args) == 0 {
		return book.Doubts(ctx, "")
	}
	run, err := book.Run(ctx, args[0])
	if err != nil {
		return nil, fmt.Errorf("%w\nList the runs with 'docketsync runs'", err)
	}
	return book.Doubts(ctx, run.ID)
}

func (a *app) printDoubts(w io.Writer, doubts []ledger.Record) {
	if len(doubts) == 0 {
		fmt.Fprintln(w, "Nothing is in doubt.")
		return
	}
	t := a.table(w)
	t.AppendHeader(table.Row{"run", "key", "operation", "rows", "last tried", "what was seen"})
	for _, r := range doubts {
		t.AppendRow(table.Row{r.Run, r.Key, r.Scope, rowNumbers(r), settledAt(r), r.Message})
	}
	t.Render()
	fmt.Fprintf(w, "\nLook each one up in the service, then: docketsync resolve RUN KEY exists|absent|leave\n")
}

func rowNumbers(r ledger.Record) string {
	numbers := make([]string, len(r.Rows))
	for n, row := range r.Rows {
		numbers[n] = fmt.Sprint(row.Number)
	}
	return strings.Join(numbers, ", ")
}

func settledAt(r ledger.Record) string {
	if r.Settled.IsZero() {
		return ""
	}
	return r.Settled.UTC().Format(time.RFC3339)
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

func (a *app) writeWorklist(path string, doubts []ledger.Record) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("the worklist is written to a new file only: %w", err)
	}
	w := csv.NewWriter(f)
	lines := [][]string{worklistColumns}
	for _, r := range doubts {
		sent := r.Payload
		if len(r.Body) > 0 {
			sent = r.Body
		}
		lines = append(lines, []string{r.Run, r.Key, "", "", "", r.Scope, rowNumbers(r), settledAt(r), r.Message, string(sent)})
	}
	if err := errors.Join(w.WriteAll(lines), f.Close()); err != nil {
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
	for row, err := range file.Rows(ctx) {
		if err != nil {
			return nil, err
		}
		cell := func(name string) string { return row.Cell(columns[name]).Text }
		if row.Skip != "" || strings.TrimSpace(cell("decision")) == "" {
			continue
		}
		record, ok := byPlace[[2]string{cell("run"), cell("key")}]
		if !ok {
			problems = append(problems, fmt.Errorf("%s, row %d: %q is not in doubt in run %s", path, row.Number, cell("key"), cell("run")))
			continue
		}
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
	who := flags.who
	if who == "" {
		if u, err := user.Current(); err == nil {
			who = u.Username
		}
	}
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
