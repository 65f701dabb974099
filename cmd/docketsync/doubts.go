package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"docketsync/importer/ledger"
)

// doubt is a record in doubt with all that is known about it.
type doubt struct {
	ledger.Record
	Requests  []ledger.Attempt `json:"requests"`  // none when it was cut off, or never sent itself
	Decisions []ledger.Decided `json:"decisions"` // so far; all of them left it in doubt
}

// echo tells a record that was not sent itself: an earlier one of its key is in doubt, and settled with it.
func (d doubt) echo() bool { return d.Settled.IsZero() && len(d.Requests) == 0 }

// findDoubts lists what is in doubt in the run that the arguments name, in all runs when they name none.
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

// listDoubts shows what is in doubt, and how much is under way or was when a run was cut off: only the next run can tell
// the two apart.
func (a *app) listDoubts(ctx context.Context, book *ledger.Ledger, records []ledger.Record) error {
	list := make([]doubt, 0, len(records))
	for _, r := range records {
		d := doubt{Record: r}
		var err error
		if d.Requests, err = book.Attempts(ctx, r.Run, r.Seq); err != nil {
			return err
		}
		if d.Decisions, err = book.Decisions(ctx, r.Run, r.Seq); err != nil {
			return err
		}
		list = append(list, d)
	}
	sending, err := underWay(ctx, book)
	if err != nil {
		return err
	}
	return a.result(map[string]any{"in_doubt": list, "under_way": sending}, func(w io.Writer) { printDoubts(w, list, sending) })
}

// underWay counts the records that are being sent, by what the ledger knows.
func underWay(ctx context.Context, book *ledger.Ledger) (n int, err error) {
	runs, err := book.Runs(ctx, ledger.RunFilter{Kinds: []ledger.Kind{ledger.Push}, Phases: []ledger.Phase{ledger.Pushing}})
	if err != nil {
		return 0, err
	}
	for _, run := range runs {
		counts, err := book.Tally(ctx, run.ID)
		if err != nil {
			return 0, err
		}
		for _, count := range counts {
			if count.State == ledger.Sending {
				n += count.N
			}
		}
	}
	return n, nil
}

func printDoubts(w io.Writer, list []doubt, sending int) {
	for _, d := range list {
		fmt.Fprintf(w, "%s  %s, %s %s, run %s\n", d.Key, d.Scope, plural(len(d.Rows), "row", "rows"), rowNumbers(d.Record), d.Run)
		if d.echo() {
			fmt.Fprintf(w, "  not sent in this run: %s\n", d.Message)
			continue
		}
		fmt.Fprintf(w, "  sent: %s\n", sentBody(d.Record))
		for _, r := range d.Requests {
			fmt.Fprintf(w, "  %s: request %d, %s\n", stamp(r.Started), r.Number, seen(r))
		}
		if len(d.Requests) == 0 {
			fmt.Fprintf(w, "  %s%s\n", settledAt(d.Record), d.Message)
		}
		for _, said := range d.Decisions {
			fmt.Fprintf(w, "  %s: %s says %s%s\n", stamp(said.At), said.Who, said.Decision, prefixed(": ", said.Note))
		}
	}
	if len(list) == 0 {
		fmt.Fprintln(w, "Nothing is in doubt.")
	} else {
		fmt.Fprintf(w, "\nLook each one up in the service, then: docketsync resolve RUN KEY exists|absent|leave\n")
	}
	if sending > 0 {
		fmt.Fprintf(w, "%d %s being sent, or %s when docketsync was cut off; the next run of the job tells which.\n",
			sending, plural(sending, "record is", "records are"), plural(sending, "was", "were"))
	}
}

// seen is what became of a request, in words.
func seen(r ledger.Attempt) string {
	text := r.Error
	if text == "" && r.Status != 0 {
		text = fmt.Sprintf("the service answered %d", r.Status)
	}
	return text + prefixed(": ", strings.Join(strings.Fields(r.Answer), " "))
}

// sentBody is what was sent for a record.
func sentBody(r ledger.Record) string {
	if len(r.Body) > 0 {
		return string(r.Body)
	}
	return string(r.Payload)
}

func rowNumbers(r ledger.Record) string {
	numbers := make([]string, len(r.Rows))
	for n, row := range r.Rows {
		numbers[n] = fmt.Sprint(row.Number)
	}
	return strings.Join(numbers, ", ")
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 MST") }

// settledAt is when a record was found to be in doubt, with a colon; "" when nobody knows.
func settledAt(r ledger.Record) string {
	if r.Settled.IsZero() {
		return ""
	}
	return stamp(r.Settled) + ": "
}
