package terminal

import (
	"fmt"
	"io"
	"strings"

	"docketsync/importer/report"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/wording"
)

// causesShown is how many causes a summary names; the report has them all.
const causesShown = 8

// PrintSummary writes one run in a few lines: the verdict, the counts, and what needs attention.
func (s *Screen) PrintSummary(w io.Writer, r *report.Summary) {
	if said := r.Rehearsal + r.Live; said != "" {
		fmt.Fprintln(w, said)
	}
	fmt.Fprintf(w, "%s  %s\n", s.Strong(w, r.Run.Job), r.Verdict)
	fmt.Fprintf(w, "  rows: %d read = %d in records + %d skipped%s\n", r.Rows.Read, r.Rows.InRecords, r.Rows.SkippedRows(), Skips(r.Rows.Skipped))
	if put := r.Rows.Put(); put != "" {
		fmt.Fprintf(w, "  %s\n", put)
	}
	var counts []string
	for _, c := range r.Records.ByOutcome {
		if c.Records > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", c.Records, c.Outcome.Words()))
		}
	}
	fmt.Fprintf(w, "  records: %d%s\n", r.Records.Total, wording.Prefixed(" = ", strings.Join(counts, " + ")))
	if q := r.Requests; q.Repeated > 0 {
		fmt.Fprintf(w, "  requests: %d (%s)\n", q.Total, wording.Counted(q.Repeated, "retry", "retries"))
	}
	if r.Forecast != nil {
		fmt.Fprintf(w, "  %s\n", r.Forecast)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "  Warning: %s\n", strings.TrimSpace(Sentence(warning.String())+" "+warning.Hint))
	}
	if said := r.Guarded(); said != "" {
		fmt.Fprintf(w, "  %s\n", said)
	}
	if r.Vanished != nil {
		fmt.Fprintf(w, "  vanished: %s\n", r.Vanished)
	}
	for _, list := range r.Lists {
		fmt.Fprintf(w, "  %s\n", list)
	}
	for _, d := range r.Discrepancies {
		fmt.Fprintf(w, "  these counts do not add up: %s\n", d)
	}
	for _, list := range [][]cause.Cause{r.Causes, r.Notes} {
		printCauses(w, list)
	}
}

// PrintRemedies says what to do about a run, and where.
func PrintRemedies(w io.Writer, r *report.Summary, rejects string) {
	for _, step := range r.Site.Steps(r.Remedies(rejects)) {
		fmt.Fprintf(w, "  to do: %s\n", step.Do)
		for _, line := range []string{step.Command, step.Link} {
			if line != "" {
				fmt.Fprintf(w, "    %s\n", line)
			}
		}
	}
}

func printCauses(w io.Writer, causes []cause.Cause) {
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
		fmt.Fprintf(w, "  %s: %s, as in %s: %s\n", word, c.Counted(), Place(c.Example), message)
		if hint != "" {
			fmt.Fprintf(w, "    %s\n", hint)
		}
	}
}

// Place says where an example is: its cell, its row, or its key.
func Place(e cause.Example) string {
	switch {
	case e.Cell != "":
		return "cell " + e.Cell
	case e.Row > 0:
		return fmt.Sprintf("row %d", e.Row)
	}
	return e.Key
}

// Skips are the counts of skipped rows by reason, in parentheses; "" when there are none.
func Skips(list []report.Skip) string {
	var parts []string
	for _, s := range list {
		parts = append(parts, fmt.Sprintf("%d %s", s.Rows, s.Reason))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
