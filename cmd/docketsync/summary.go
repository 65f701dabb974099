package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"docketsync/importer/report"
)

// causesShown is how many causes a summary names; the report has them all.
const causesShown = 8

// printResults writes what became of each job: the summary of its run, and where its reports are; or why it was not run.
func (a *app) printResults(w io.Writer, results []runResult) {
	for _, r := range results {
		if r.State != "" {
			reason, _, _ := strings.Cut(r.Reason, "\n") // advice has its line on standard error
			fmt.Fprintf(w, "%s  %s: %s\n", a.strong(w, r.Job), r.State.words(), reason)
		} else {
			a.printSummary(w, r.Summary)
		}
		if r.Summary != nil {
			fmt.Fprintf(w, "  run: %s (%s)\n", r.Summary.Run.Name, r.Summary.Run.ID)
		}
		if r.Reports.HTML != "" {
			fmt.Fprintf(w, "  report: %s\n", r.Reports.HTML)
		}
		if r.Reports.Rejects != "" {
			fmt.Fprintf(w, "  to correct and import again: %s\n", r.Reports.Rejects)
		}
		if r.Reports.Vanished != "" {
			fmt.Fprintf(w, "  no longer in the export: %s\n", r.Reports.Vanished)
		}
		if r.Reports.Stays != "" {
			fmt.Fprintf(w, "  stays in the service, to be removed there by hand: %s\n", r.Reports.Stays)
		}
		if r.Reports.Differs != "" {
			fmt.Fprintf(w, "  stored in the service with another value than was sent: %s\n", r.Reports.Differs)
		}
		fmt.Fprintln(w)
	}
}

// printSummary writes one run in a few lines: the verdict, the counts, and what needs attention.
func (a *app) printSummary(w io.Writer, s *report.Summary) {
	if s.Rehearsal != "" {
		fmt.Fprintln(w, s.Rehearsal)
	}
	fmt.Fprintf(w, "%s  %s\n", a.strong(w, s.Run.Job), s.Verdict)
	fmt.Fprintf(w, "  rows: %d read = %d in records + %d skipped%s\n", s.Rows.Read, s.Rows.InRecords, s.Rows.SkippedRows(), skips(s.Rows.Skipped))
	if put := s.Rows.Put(); put != "" {
		fmt.Fprintf(w, "  %s\n", put)
	}
	var counts []string
	for _, c := range s.Records.ByOutcome {
		if c.Records > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", c.Records, c.Outcome.Words()))
		}
	}
	fmt.Fprintf(w, "  records: %d%s\n", s.Records.Total, prefixed(" = ", strings.Join(counts, " + ")))
	if r := s.Requests; r.Repeated > 0 {
		fmt.Fprintf(w, "  requests: %d (%s)\n", r.Total, report.Counted(r.Repeated, "retry", "retries"))
	}
	for _, warning := range s.Warnings {
		fmt.Fprintf(w, "  careful: %s\n", strings.TrimSpace(sentence(warning.String())+" "+warning.Hint))
	}
	if said := s.Guarded(); said != "" {
		fmt.Fprintf(w, "  %s\n", said)
	}
	if s.Vanished != nil {
		fmt.Fprintf(w, "  vanished: %s\n", s.Vanished)
	}
	for _, list := range s.Lists {
		fmt.Fprintf(w, "  %s\n", list)
	}
	for _, d := range s.Discrepancies {
		fmt.Fprintf(w, "  these counts do not add up: %s\n", d)
	}
	for _, list := range [][]report.Cause{s.Causes, s.Notes} {
		a.printCauses(w, list)
	}
}

func (a *app) printCauses(w io.Writer, causes []report.Cause) {
	for n, c := range causes {
		if n == causesShown {
			fmt.Fprintf(w, "  … and %d more, see the report\n", len(causes)-n)
			return
		}
		word := "note"
		if c.Outcome != "" {
			word = c.Outcome.Words()
		}
		message, hint := c.Said()
		fmt.Fprintf(w, "  %s: %d %s, as in %s: %s\n", word, c.Rows, report.Plural(c.Rows, "row", "rows"), place(c.Example), message)
		if hint != "" {
			fmt.Fprintf(w, "    %s\n", hint)
		}
	}
}

// place is where an example stands: its cell, its row, or its key.
func place(e report.Example) string {
	switch {
	case e.Cell != "":
		return "cell " + e.Cell
	case e.Row > 0:
		return fmt.Sprintf("row %d", e.Row)
	}
	return e.Key
}

func skips(list []report.Skip) string {
	var parts []string
	for _, s := range list {
		parts = append(parts, fmt.Sprintf("%d %s", s.Rows, s.Reason))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// strong sets a word off on a terminal.
func (a *app) strong(w io.Writer, word string) string {
	_, ok := onTerminal(w)
	_, plain := a.env("NO_COLOR")
	if a.noColor || plain || !ok {
		return word
	}
	return text.Bold.Sprint(word)
}
