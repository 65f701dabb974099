package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
)

// doubt is a record in doubt with all that is known about it.
type doubt struct {
	ledger.Record
	Sent      json.RawMessage  `json:"sent,omitempty"` // as it went over the wire
	Requests  []ledger.Attempt `json:"requests"`       // none when it was cut off, or never sent itself
	Decisions []ledger.Decided `json:"decisions"`      // so far; all of them left it in doubt
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
func (a *app) listDoubts(ctx context.Context, in *installation, records []ledger.Record) error {
	book, bodies := in.book, in.bodies()
	list := make([]doubt, 0, len(records))
	for _, r := range records {
		d := doubt{Record: r}
		var err error
		if d.Requests, err = book.Attempts(ctx, r.Run, r.Seq); err != nil {
			return err
		}
		if d.Sent, err = bodies.sent(ctx, r); err != nil {
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
		fmt.Fprintf(w, "%s  %s, %s %s, run %s\n", d.Key, d.Scope, report.Plural(len(d.Rows), "row", "rows"), rowNumbers(d.Record), d.Run)
		if d.echo() {
			fmt.Fprintf(w, "  not sent in this run: %s\n", d.Message)
			continue
		}
		fmt.Fprintf(w, "  sent: %s\n", d.Sent)
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
			sending, report.Plural(sending, "record is", "records are"), report.Plural(sending, "was", "were"))
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

// bodies tells what was sent for records, of whichever runs.
type bodies struct {
	in         *installation
	operations map[string]string // by run
}

func (in *installation) bodies() bodies { return bodies{in: in, operations: map[string]string{}} }

// sent is what was sent for a record: as it went over the wire, with the switches of the service as they are configured now. A
// payload that these no longer take is given as the ledger has it.
func (b bodies) sent(ctx context.Context, r ledger.Record) (json.RawMessage, error) {
	operation, known := b.operations[r.Run]
	if !known {
		run, err := b.in.book.Run(ctx, r.Run)
		if err != nil {
			return nil, err
		}
		operation, b.operations[r.Run] = run.Operation, run.Operation
	}
	body, err := wireBody(operation, r.Payload, r.Body, spelling(b.in.config.Service))
	if err == nil {
		return body, nil
	}
	if len(r.Body) > 0 {
		return r.Body, nil
	}
	return r.Payload, nil
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
