package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/checking"
	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/cmd/docketsync/internal/installation"
	"docketsync/cmd/docketsync/internal/terminal"
	"docketsync/config"
	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/reading"
	"docketsync/importer/report/wording"
	"docketsync/importer/source"
)

func newCheck(a *app) *cobra.Command {
	var file string
	var as config.Source
	cmd := &cobra.Command{
		Use:   "check [JOB…]",
		Short: "Read and map every row and list what is wrong; send nothing",
		Long: `check reads every row of the named jobs (all jobs by default), maps it, and lists what would keep rows from going in: each
kind of problem once, with an example and what to do. It sends nothing and needs neither the network (unless the source is on
a remote) nor the secrets of the service. Lists of the service are used as they were last fetched.

It writes report.html, report.json and rejects.xlsx, and for each lookup a file of the names it lacks, with an empty column
for their ids. Names that are in a lookup without an id are listed with their line numbers. A job that cannot be read does not
keep the others from being checked.

Exit status: 0 if all rows would go in or there are none; 3 if some would not; 1 or 2 if a job could not be checked.`,
		RunE: a.opened(func(ctx context.Context, in *installation.Installation, names []string) error {
			var err error
			if in.Named, err = named(file, as); err != nil {
				return err
			}
			c, err := checking.Jobs(ctx, in, names, file)
			if err != nil {
				return err
			}
			answer := map[string]any{"checks": c.Results, "not_checked": c.Failed, "exit": c.Code}
			return exit.With(c.Code, a.Result("check/1", answer, func(w io.Writer) { a.printChecks(w, c.Results) }))
		}),
	}
	fileFlags(cmd, &file, &as)
	return cmd
}

// valuesShown is how many values of one problem are named; the report, or the file to fill in, has them all.
const valuesShown = 5

// page prints what check and preview found.
type page struct{ *terminal.Page }

// printChecks prints what check found, as a colleague would tell it: what was read, what would go in, and each kind of
// problem once.
func (a *app) printChecks(w io.Writer, results []checking.Result) {
	for _, r := range results {
		p := page{a.Page(w)}
		p.Say(0, a.Strong(w, r.Run.Job)+"  "+r.Verdict)
		for _, d := range r.Detected {
			p.detected(d)
		}
		for _, list := range r.Lists {
			p.Say(2, list.String())
		}
		if said := r.Guarded(); said != "" {
			p.Say(2, said)
		}
		for _, names := range r.Respelled {
			p.respelled(names)
		}
		p.counts(r.Summary)
		if r.Vanished != nil {
			p.Say(2, "vanished: "+r.Vanished.String())
		}
		p.problems(r)
		p.files(r)
		p.Gap()
	}
}

func (p page) detected(d checking.Detected) {
	p.Say(2, "read: "+filepath.Base(d.File)+", "+strings.Join(detectedWords(d.Detected), ", "))
	for _, warning := range d.Warnings {
		text := warning.Message
		if warning.Sheet != "" && len(d.Sheets) > 1 {
			text = "sheet " + warning.Sheet + ": " + text
		}
		p.Say(4, terminal.Sentence("Warning: "+text+parenthesised(rowsOf(warning)))+" "+warning.Hint)
	}
}

// respelled says which names were found although the lookup spells them differently, and which words became a default:
// only a person can tell whether that is right.
func (p page) respelled(names reading.Respelled) {
	if names.Defaulted {
		p.Say(2, fmt.Sprintf("%s: %s replaced by the default:", names.Lookup, wording.Counted(names.Total, "value is not listed under values: and was", "values are not listed under values: and were")))
	} else {
		p.Say(2, fmt.Sprintf("lookup %s: %s found by another spelling:", names.Lookup, wording.Counted(names.Total, "name was", "names were")))
	}
	for _, said := range names.Said() {
		p.Say(4, said)
	}
}

// detectedWords says in lines of text how a file is read.
func detectedWords(d source.Detected) []string {
	words := []string{map[string]string{"csv": "a text file", "xlsx": "an Excel workbook", "ods": "an OpenDocument workbook", "xls": "an old Excel workbook"}[d.Format]}
	if d.Compression != "" {
		words[0] = strings.TrimSpace(words[0] + " in " + d.Compression + " " + d.Member)
	}
	if d.Encoding != "" {
		words = append(words, d.Encoding)
	}
	if d.Delimiter != "" {
		words = append(words, d.Delimiter+"-delimited")
	}
	if d.Quote == "none" {
		words = append(words, "quotes taken as characters")
	}
	if d.Escape == "backslash" {
		words = append(words, "quotes escaped by backslashes")
	}
	if d.Sheet != "" {
		sheet := "sheet " + d.Sheet
		if len(d.Sheets) > 1 {
			sheet += fmt.Sprintf(" (of %s)", strings.Join(d.Sheets, ", "))
		}
		words = append(words, sheet)
	}
	header := "no header"
	if d.HeaderRow > 0 {
		header = fmt.Sprintf("header in row %d", d.HeaderRow)
		if d.HeaderRows > 1 {
			header = fmt.Sprintf("header in rows %d to %d", d.HeaderRow, d.HeaderRow+d.HeaderRows-1)
		}
	}
	words = append(words, header)
	if d.AboveHeader > 0 {
		words = append(words, wording.Counted(d.AboveHeader, "row")+" above it left out")
	}
	if d.RowNumbers != "" {
		words = append(words, "row numbers in column "+d.RowNumbers)
	}
	rows := wording.Counted(d.Rows, "row") + " below it"
	if d.Rows == 0 {
		rows = "no rows below it"
	}
	return append(words, rows)
}

func (p page) counts(s *report.Summary) {
	p.Say(2, fmt.Sprintf("rows: %s read = %s in records + %s skipped%s", wording.Thousands(s.Rows.Read), wording.Thousands(s.Rows.InRecords),
		wording.Thousands(s.Rows.SkippedRows()), terminal.Skips(s.Rows.Skipped)))
	if put := s.Rows.Put(); put != "" {
		p.Say(2, put)
	}
	if s.Records.Total == 0 {
		return
	}
	verb := "to be updated"
	if operation := s.Run.Operation; strings.HasPrefix(operation, "create_") {
		verb = "to be created"
	}
	var parts []string
	for _, c := range s.Records.ByOutcome {
		words := c.Outcome.Words()
		if c.Outcome == outcome.Planned {
			words = verb
		}
		if w := s.Waiting; w != nil && c.Outcome == outcome.Rejected {
			parts = append(parts, fmt.Sprintf("%s waiting for %s", wording.Thousands(w.Records), w.Ids()))
			c.Records -= w.Records
		}
		if c.Records > 0 {
			parts = append(parts, wording.Thousands(c.Records)+" "+words)
		}
	}
	p.Say(2, fmt.Sprintf("%s: %s = %s", strings.ReplaceAll(s.Run.Operation, "_", " "), wording.Thousands(s.Records.Total), strings.Join(parts, " + ")))
	for _, d := range s.Discrepancies {
		p.Say(2, "these counts do not add up: "+d)
	}
}

// problems prints what keeps rows out, then what is worth a look.
func (p page) problems(r checking.Result) {
	var waiting, blocking, notes []cause.Problem
	for _, problem := range r.Problems {
		switch {
		case problem.Outcome == "":
			notes = append(notes, problem)
		case cause.Waits(problem.Code):
			waiting = append(waiting, problem)
		default:
			blocking = append(blocking, problem)
		}
	}
	for n, list := range [][]cause.Problem{waiting, blocking, notes} {
		if len(list) == 0 {
			continue
		}
		p.Gap()
		p.Say(2, []string{"Names that have no id yet:", "Problems that keep rows out:", "Worth checking; this keeps no row out:"}[n])
		for _, problem := range list {
			p.problem(r, problem)
		}
	}
}

func (p page) problem(r checking.Result, problem cause.Problem) {
	rows := problem.Counted() + ": "
	names := r.NamesOf(problem)
	switch {
	case len(problem.Values) == 1:
		value := problem.Values[0]
		p.Say(2, "- "+rows+names.Value(value)+", "+where(r, value)+nearWords(value))
	case len(problem.Values) > 1:
		p.Say(2, "- "+rows+names.Values(problem)+":")
		for n, value := range problem.Values {
			if n == valuesShown {
				p.Say(6, fmt.Sprintf("… and %d more", len(problem.Values)-n))
				break
			}
			p.Say(6, fmt.Sprintf("%q%s, %s, %s%s", value.Value, names.Line(value), value.Counted(), where(r, value), nearWords(value)))
		}
	default:
		p.Say(2, "- "+oneOf(r, problem))
	}
	_, hint := problem.Said()
	if len(problem.Values) > 0 {
		hint = otherwise(hint)
	}
	switch {
	case names.Missing != nil:
		p.Say(4, fmt.Sprintf("Fill in %s and paste its lines into %s.", names.Missing.FillIn, names.Missing.File))
	case names.Unfilled != nil && len(problem.Values) > 1:
		p.Say(4, fmt.Sprintf("Fill in their ids in %s.", names.Unfilled.File))
	case hint != "":
		p.Say(4, hint)
	}
}

// nearWords returns the question in a lookup's hint: "Did you mean …?".
func nearWords(c cause.Cause) string {
	if near := c.Argument("near"); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// otherwise returns a hint without the question that nearWords returns.
func otherwise(hint string) string {
	if _, rest, ok := strings.Cut(hint, "? Otherwise "); ok && strings.HasPrefix(hint, "Did you mean ") {
		return strings.ToUpper(rest[:1]) + rest[1:]
	}
	return hint
}

// oneOf describes a problem in the words of its example, preceded by its place if the words of other examples differ.
func oneOf(r checking.Result, problem cause.Problem) string {
	said, _ := problem.Said()
	if said != problem.Message {
		return problem.Counted() + ", " + where(r, problem.Cause) + ": " + said
	}
	return problem.Counted() + ": " + said + ", " + where(r, problem.Cause) + quoted(problem.Cause)
}

// quoted returns the example's value, unless the message quotes it already.
func quoted(c cause.Cause) string {
	if c.Example.Value == "" || c.Example.Value == c.Example.Key || strings.Contains(c.Message, c.Example.Value) {
		return ""
	}
	return fmt.Sprintf(": %q", clipped(c.Example.Value, longestCell))
}

// where returns the place of a cause's example: the cell or row, with the file and sheet if the job reads several.
func where(r checking.Result, c cause.Cause) string {
	e := c.Example
	text := "as in " + terminal.Place(e)
	if len(r.Run.Sources) > 1 && e.File != "" {
		text += " of " + filepath.Base(e.File) + wording.Prefixed(", ", e.Sheet)
	}
	if e.Key != "" && (e.Cell != "" || e.Row > 0) && e.Key != c.Value {
		text += " (" + e.Key + ")"
	}
	return text
}

func (p page) files(r checking.Result) {
	if r.Reports.HTML == "" {
		return
	}
	p.Gap()
	p.Say(2, "report: "+r.Reports.HTML)
	// Rows that only wait for ids are right as they are; a name that a lookup does not have may be a mistake.
	if w := r.Waiting; r.Reports.Rejects != "" && (w == nil || len(r.Missing) > 0 || w.Records < r.Count(outcome.Rejected).Records) {
		p.Say(2, "to correct and import again: "+r.Reports.Rejects)
	}
	if r.Count(outcome.Planned).Records > 0 && r.Run.Kind == ledger.Check {
		p.Say(2, fmt.Sprintf("to see a row's journey: docketsync preview %s --row N", r.Run.Job))
	}
}
