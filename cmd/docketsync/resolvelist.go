package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"docketsync/cmd/docketsync/internal/doubts"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/importer/ledger"
	"docketsync/importer/report/wording"
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

// listDoubts shows what is in doubt, and how much is under way or was when a run was cut off: only the next run can tell
// the two apart.
func (a *app) listDoubts(ctx context.Context, in *installation.Installation, records []ledger.Record) error {
	book := in.Book
	list := make([]doubt, 0, len(records))
	for _, r := range records {
		d := doubt{Record: r, Sent: r.Sent()}
		var err error
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
	return a.Result(map[string]any{"in_doubt": list, "under_way": sending}, func(w io.Writer) { printDoubts(w, list, sending) })
}

func printDoubts(w io.Writer, list []doubt, sending int) {
	for _, d := range list {
		fmt.Fprintf(w, "%s  %s, %s %s, run %s\n", d.Key, d.Scope, wording.Plural(len(d.Rows), "row", "rows"), doubts.RowNumbers(d.Record), d.Run)
		if d.echo() {
			fmt.Fprintf(w, "  not sent in this run: %s\n", d.Message)
			continue
		}
		fmt.Fprintf(w, "  sent: %s\n", d.Sent)
		for _, r := range d.Requests {
			fmt.Fprintf(w, "  %s: request %d, %s\n", doubts.Stamp(r.Started), r.Number, seen(r))
		}
		if len(d.Requests) == 0 {
			at := doubts.SettledAt(d.Record)
			if at != "" {
				at += ": "
			}
			fmt.Fprintf(w, "  %s%s\n", at, d.Message)
		}
		for _, said := range d.Decisions {
			fmt.Fprintf(w, "  %s: %s says %s%s\n", doubts.Stamp(said.At), said.Who, said.Decision, terminal.Prefixed(": ", said.Note))
		}
	}
	if len(list) == 0 {
		fmt.Fprintln(w, "Nothing is in doubt.")
	} else {
		fmt.Fprintf(w, "\nLook each one up in the service, then: docketsync resolve RUN KEY exists|absent|leave\n")
	}
	if sending > 0 {
		fmt.Fprintf(w, "%d %s being sent, or %s when docketsync was interrupted; the next run of the job shows which.\n",
			sending, wording.Plural(sending, "record is", "records are"), wording.Plural(sending, "was", "were"))
	}
}

// seen is what became of a request, in words.
func seen(r ledger.Attempt) string {
	text := r.Error
	if text == "" && r.Status != 0 {
		text = fmt.Sprintf("the service answered %d", r.Status)
	}
	return text + terminal.Prefixed(": ", strings.Join(strings.Fields(r.Answer), " "))
}
