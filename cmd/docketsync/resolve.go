package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/doubts"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/importer/inquiry"
	"docketsync/importer/ledger"
	"docketsync/importer/moment"
	"docketsync/importer/report/remedy"
	"docketsync/importer/report/wording"
	"docketsync/mapping/reason"
)

// resolveFlags are what a person says about a doubt.
type resolveFlags struct {
	id, note, who       string
	decisions, worklist string
	fields              []string
	ask, absent, dryRun bool
}

func newResolve(a *app) *cobra.Command {
	var flags resolveFlags
	cmd := &cobra.Command{
		Use:   "resolve [RUN [KEY exists|absent|leave|ours|theirs]]",
		Short: "List records in doubt or changed by somebody else, and settle them",
		Long: `resolve lists the records of a run (of all runs by default) that may or may not have reached the service: what was sent, when,
and what came back. docketsync never sends them again by itself. Look up each one in the service, then enter

  docketsync resolve RUN KEY exists --id GUID   if it is there (leave out the id if you cannot see it)
  docketsync resolve RUN KEY absent             if it is not there: the next run may send it
  docketsync resolve RUN KEY leave              if you cannot tell yet

An id that was left out, or that the service did not return, can be added later with exists --id.

To decide many at once, write a worklist with --worklist FILE, fill in the decisions, and load it with --decisions FILE. The ledger
records every decision, who made it and when.

With --ask, docketsync looks for the records in the lists of the service (service.lists.cases and folders in the configuration)
and settles those that are certainly there. It names those that are certainly not there and, with --absent, settles them too;
the next run then sends them. Anything uncertain stays in doubt: several matches, a list that changes while it is read or lacks
recent creates, a record that was first looked for only a short while ago (service.lists.settle_after; ask again then), and every update.

It also lists updates that were held because somebody else has changed the record in the service, with both sides
(service.lists.NAME.changed in the configuration). Say whose values stand; the next run carries it out:

  docketsync resolve RUN KEY ours                         send the update
  docketsync resolve RUN KEY theirs                       leave the record as it is in the service
  docketsync resolve RUN KEY theirs --fields notes,status send the update, but leave these fields as they are there

A single field can be left as it is if the list shows it, or if the update can do without it. It stays theirs until the export has
another value in it.`,
		Args: args(func(_ *cobra.Command, args []string) error {
			if len(args) == 2 || len(args) > 3 {
				return errors.New("a decision needs a run, a key, and exists, absent or leave; or ours or theirs")
			}
			return nil
		}),
		PreRunE: func(_ *cobra.Command, args []string) error { return flags.checkAsk(args) },
		RunE: a.viewed(func(ctx context.Context, in *installation.Installation, args []string) error {
			return a.resolve(ctx, in, args, flags)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&flags.id, "id", "", "the `GUID` that the record has in the service")
	f.StringVar(&flags.note, "note", "", "what you saw, for the ledger")
	f.StringVar(&flags.who, "who", "", "the name to record for the decision (default: the current user)")
	f.StringVar(&flags.worklist, "worklist", "", "write the list to a CSV `FILE`, to be filled in")
	f.StringVar(&flags.decisions, "decisions", "", "take the decisions from a CSV `FILE`")
	f.StringSliceVar(&flags.fields, "fields", nil, "with theirs: only these `FIELDS` stay as they are in the service")
	f.BoolVar(&flags.ask, "ask", false, "look in the lists of the service, and settle what is certainly there")
	f.BoolVar(&flags.absent, "absent", false, "with --ask: settle what is certainly not there too, so that the next run sends it")
	f.BoolVar(&flags.dryRun, "dry-run", false, "with --ask: show what would be settled, and settle nothing")
	return cmd
}

func (a *app) resolve(ctx context.Context, in *installation.Installation, args []string, flags resolveFlags) error {
	if len(args) == 3 && (args[2] == string(ledger.Ours) || args[2] == string(ledger.Theirs)) {
		return a.settleConflict(ctx, in, args, flags)
	}
	if len(flags.fields) > 0 {
		return exit.Mistakef("--fields works only with theirs")
	}
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
		if args[2] == string(ledger.Exists) && flags.id != "" {
			if records, err = withUnnamed(ctx, in.Book.Reader, records, args[0], args[1]); err != nil {
				return err
			}
		}
		decisions, err = oneDecision(records, args[1], args[2], flags)
	case flags.decisions != "":
		decisions, err = doubts.ReadDecisions(ctx, flags.decisions, records)
	case flags.worklist != "":
		return a.writeWorklist(in.Site, flags.worklist, records)
	default:
		return a.listDoubts(ctx, in, strings.Join(args[:min(1, len(args))], ""), records)
	}
	if err != nil {
		return err
	}
	return a.settle(ctx, in.Book, decisions, flags)
}

func (a *app) writeWorklist(site remedy.Site, path string, records []ledger.Record) error {
	if err := doubts.WriteWorklist(path, records); err != nil {
		return err
	}
	return a.Result("resolve-worklist/1", map[string]any{"worklist": path, "in_doubt": len(records)}, func(out io.Writer) {
		fmt.Fprintf(out, "%s in doubt %s listed in %s.\nFill in the column decision (exists, absent or leave), then: %s\n",
			wording.Counted(len(records), "record"), wording.Plural(len(records), "is", "are"), path, site.Command("resolve", "--decisions", path))
	})
}

// oneDecision returns the decision on the command line.
func oneDecision(records []ledger.Record, key, word string, flags resolveFlags) ([]doubts.Decision, error) {
	for _, r := range records {
		if r.Key == key {
			d, err := doubts.NewDecision(r, word, flags.id, flags.note)
			return []doubts.Decision{d}, err
		}
	}
	return nil, fmt.Errorf("no record with the key %q is in doubt in this run\nList them with 'docketsync resolve'", key)
}

// withUnnamed adds to the records in doubt the record of a key that the run settled without an id, so that it can be
// given one.
func withUnnamed(ctx context.Context, book *ledger.Reader, records []ledger.Record, run, key string) ([]ledger.Record, error) {
	of, err := book.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	r, err := book.RecordByKey(ctx, of.ID, key)
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		return records, nil
	case err == nil && r.State == ledger.Accepted && r.ServiceID == "":
		records = append(records, r)
	}
	return records, err
}

// settle writes decisions to the ledger.
func (a *app) settle(ctx context.Context, book *ledger.Ledger, decisions []doubts.Decision, flags resolveFlags) error {
	if err := doubts.CheckIDs(ctx, book.Reader, decisions); err != nil {
		return err
	}
	who := cmp.Or(flags.who, terminal.User())
	counts := map[ledger.Decision]int{}
	for _, d := range decisions {
		if err := book.Resolve(ctx, d.Record.Run, d.Record.Seq, d.Decision, d.ID, who, d.Note); err != nil {
			return fmt.Errorf("%s of run %s: %w", d.Record.Key, d.Record.Run, err)
		}
		counts[d.Decision]++
	}
	return a.Result("resolve-decisions/1", map[string]any{"decisions": counts}, func(w io.Writer) {
		fmt.Fprintf(w, "Exists: %d; absent, may be sent by the next run: %d; left in doubt: %d.\n",
			counts[ledger.Exists], counts[ledger.Absent], counts[ledger.Leave])
	})
}

// ask looks for records in doubt in the lists of the service, and settles what is certain. It sends no payload.
func (a *app) ask(ctx context.Context, in *installation.Installation, records []ledger.Record, flags resolveFlags) error {
	answers, err := doubts.Ask(ctx, in, records, doubts.Asking{Who: cmp.Or(flags.who, terminal.User()), Absent: flags.absent, DryRun: flags.dryRun})
	if err != nil {
		return err
	}
	return a.Result("resolve-ask/1", map[string]any{"asked": answers, "dry_run": flags.dryRun}, func(w io.Writer) { printAsked(w, in.Site, answers, flags) })
}

func printAsked(w io.Writer, site remedy.Site, results []inquiry.Answer, flags resolveFlags) {
	counts := map[ledger.Decision]int{}
	offered := false
	for _, r := range results {
		word := map[ledger.Decision]string{ledger.Exists: "is there", ledger.Absent: "is not there", ledger.Leave: "left in doubt"}[r.Decision]
		fmt.Fprintf(w, "%s (%s)  %s: %s\n", r.Key, r.Scope, word, r.Why)
		switch {
		case r.Settled:
			counts[r.Decision]++
		case r.Decision == ledger.Absent && !flags.absent:
			offered = true
			fmt.Fprintf(w, "  to send it with the next run: %s\n", site.Command("resolve", r.Run)+" "+reason.Operand(r.Key)+" absent")
		}
	}
	left := len(results) - counts[ledger.Exists] - counts[ledger.Absent]
	switch {
	case len(results) == 0:
		fmt.Fprintln(w, "Nothing is in doubt.")
		return
	case flags.dryRun:
		fmt.Fprintf(w, "\nDry run: nothing was settled.\n")
	default:
		fmt.Fprintf(w, "\n%d settled as existing, %d as absent; %d left in doubt.\n", counts[ledger.Exists], counts[ledger.Absent], left)
	}
	if offered {
		fmt.Fprintf(w, "To settle everything that is absent at once: %s\n", site.Command("resolve", "--ask", "--absent"))
	}
}

// checkAsk refuses flags that contradict each other.
func (f resolveFlags) checkAsk(args []string) error {
	switch {
	case !f.ask && (f.dryRun || f.absent):
		return exit.Mistakef("--dry-run and --absent work only with --ask")
	case f.ask && (len(args) > 1 || f.decisions != "" || f.worklist != "" || f.id != "" || f.note != ""):
		return exit.Mistakef("--ask decides by itself: leave out the key, the decision and the files, --id and --note")
	}
	return nil
}

// doubt is a record in doubt with all that is known about it.
type doubt struct {
	ledger.Record
	Of        ledger.Run       `json:"-"`
	Sent      json.RawMessage  `json:"sent,omitempty"` // as it went over the wire
	Requests  []ledger.Attempt `json:"requests"`       // none if it was cut off, or never sent itself
	Decisions []ledger.Decided `json:"decisions"`      // so far; all of them left it in doubt
}

// listDoubts lists what is in doubt, and says how many records are in flight or were when a run was cut off: only the
// next run can tell the two apart. Records that are safe to repeat are left out, because nobody will have to settle
// them.
func (a *app) listDoubts(ctx context.Context, in *installation.Installation, run string, records []ledger.Record) error {
	book := in.Book
	list := make([]doubt, 0, len(records))
	for _, r := range records {
		d := doubt{Record: r, Sent: r.Sent()}
		var err error
		if d.Of, err = book.Run(ctx, r.Run); err != nil {
			return err
		}
		if d.Requests, err = book.Attempts(ctx, r.Run, r.Seq); err != nil {
			return err
		}
		if d.Decisions, err = book.Decisions(ctx, r.Run, r.Seq); err != nil {
			return err
		}
		list = append(list, d)
	}
	sending, err := doubts.UnderWay(ctx, book.Reader)
	if err != nil {
		return err
	}
	changed, err := conflicts(ctx, book.Reader, run)
	if err != nil {
		return err
	}
	return a.Result("resolve/1", map[string]any{"in_doubt": list, "under_way": sending, "changed": changed}, func(w io.Writer) {
		printConflicts(w, in.Site, changed)
		if len(changed) == 0 || len(list)+sending > 0 {
			printDoubts(w, in.Site, list, sending)
		}
	})
}

func printDoubts(w io.Writer, site remedy.Site, list []doubt, sending int) {
	for _, d := range list {
		fmt.Fprintf(w, "%s  %s, %s %s, run %s of %s\n", d.Key, d.Scope, wording.Plural(len(d.Rows), "row", "rows"), doubts.RowNumbers(d.Record), d.Of.Name, moment.Of(d.Of.Started))
		if d.Settled.IsZero() && len(d.Requests) == 0 { // an earlier record of its key is in doubt, and settled together with it
			fmt.Fprintf(w, "  not sent in this run: %s\n", d.Message)
			continue
		}
		fmt.Fprintf(w, "  sent: %s\n", d.Sent)
		for _, r := range d.Requests {
			fmt.Fprintf(w, "  %s: request %d, %s\n", moment.Second(r.Started), r.Number, seen(r))
		}
		if len(d.Requests) == 0 {
			at := moment.Known(d.Settled)
			if at != "" {
				at += ": "
			}
			fmt.Fprintf(w, "  %s%s\n", at, d.Message)
		}
		for _, said := range d.Decisions {
			fmt.Fprintf(w, "  %s: %s says %s%s\n", moment.Second(said.At), said.Who, said.Decision, wording.Prefixed(": ", said.Note))
		}
	}
	if len(list) == 0 {
		fmt.Fprintln(w, "Nothing is in doubt.")
	} else {
		fmt.Fprintf(w, "\nLook each one up in the service, then: %s RUN KEY exists|absent|leave\n", site.Command("resolve"))
	}
	if sending > 0 {
		fmt.Fprintf(w, "%d %s being sent, or %s when docketsync was interrupted; the next run of the job shows which.\n",
			sending, wording.Plural(sending, "record is", "records are"), wording.Plural(sending, "was", "were"))
	}
}

// seen says in words what happened to a request.
func seen(r ledger.Attempt) string {
	text := r.Error
	if text == "" && r.Status != 0 {
		text = fmt.Sprintf("the service answered %d", r.Status)
	}
	return text + wording.Prefixed(": ", strings.Join(strings.Fields(r.Answer), " "))
}
