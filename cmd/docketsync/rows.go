package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docketsync/cmd/docketsync/internal/exit"
	"docketsync/importer/planfile"
	"docketsync/importer/report/wording"
	"docketsync/importer/source"
	"docketsync/importer/source/format"
	"docketsync/mapping/table"
)

func newRows(a *app) *cobra.Command {
	var options fileOptions
	var limit int
	cmd := &cobra.Command{
		Use:   "rows FILE",
		Short: "Show how a file is read: format, header and rows",
		Long: `rows reads one file and shows what it detected (encoding, delimiter, sheet, header row) and the rows. No configuration is
needed. The file is read twice, first to its end: a faulty file is refused before any row is shown, and everything that was
skipped is reported in one place.

With --json it prints one object per line: {"detected"}, {"header"}, {"sheet", "row", "cells"} for each row, and {"summary"}.
Dates are printed as 2024-03-01, spreadsheet times, which have no zone, as 2024-03-01T13:30:00Z, and an empty cell as "".
A file that cannot be read prints {"error"} alone, with exit status 1.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			var out rowWriter = &rowText{w: a.Out, limit: limit}
			if a.JSON {
				out = rowJSON{a.Out}
			}
			err := writeRows(cmd.Context(), args[0], options.Options, out)
			if unreadable, ok := errors.AsType[*format.Error](err); a.JSON && ok {
				return exit.With(exit.CouldNotRun, rowJSON{a.Out}.refuse(unreadable))
			}
			return err
		},
	}
	options.flags(a, cmd)
	cmd.Flags().IntVar(&limit, "limit", 20, "maximum number of rows to show, 0 for all (JSON has all)")
	return cmd
}

// fileOptions says how to read a file named on the command line.
type fileOptions struct {
	source.Options
	passwordEnv string // the environment variable with the workbook's password
}

// flags adds the flags for these options. The password is taken from the environment before the command runs.
func (o *fileOptions) flags(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Sheet, "sheet", "", "the `SHEET` of a workbook: its name, number or a pattern")
	f.StringVar(&o.Format, "format", "", "csv, xlsx, ods or xls")
	f.StringVar(&o.Encoding, "encoding", "", "the character set of a text file")
	f.StringVar(&o.Delimiter, "delimiter", "", "what stands between two cells of a text file")
	f.StringVar(&o.Quote, "quote", "", "the character around cells of a text file, or none")
	f.StringVar(&o.Escape, "escape", "", "how a quote is written inside quotes: double or backslash")
	f.IntVar(&o.Header, "header", 0, "the number of the header `ROW`")
	f.IntVar(&o.HeaderRows, "header-rows", 0, "how many rows the header takes")
	f.BoolVar(&o.NoHeader, "no-header", false, "there is no header row; columns are named A, B, C")
	f.IntVar(&o.FooterRows, "footer-rows", 0, "how many rows at the end are no data")
	f.StringVar(&o.Footer, "footer", "", "a regular expression for the first cell of rows that are no data")
	f.StringVar(&o.Hidden, "hidden", "", "what becomes of rows that a workbook hides: reject, keep or skip")
	f.BoolFunc("ignore-hidden", "leave hidden rows out", func(string) error { o.Hidden = "skip"; return nil })
	_ = f.MarkDeprecated("ignore-hidden", "use --hidden skip") // the flag exists
	f.BoolVar(&o.Lenient, "lenient", false, "take stray quotes as ordinary characters")
	f.StringVar(&o.Ragged, "ragged", "", "what becomes of rows of another width than the header: reject or keep")
	f.StringVar(&o.Cut, "cut", "", "what becomes of a last row that may be cut off: reject or keep")
	f.StringVar(&o.Totals, "totals", "", "what becomes of rows that look like totals: reject or keep")
	f.StringVar(&o.Merged, "merged", "", "repeat the value of merged cells: down, right or all")
	f.StringVar(&o.Covered, "covered", "", "what becomes of a value that merged cells cover: reject or keep")
	f.StringVar(&o.passwordEnv, "password-env", "", "the environment `VARIABLE` that holds the workbook's password")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if o.passwordEnv == "" {
			return nil
		}
		var set bool
		if o.Password, set = a.Env(o.passwordEnv); !set {
			return exit.Mistakef("the environment variable %s, which should hold the workbook's password, is not set", o.passwordEnv)
		}
		return nil
	}
}

// rowWriter is one of the two forms in which rows are shown.
type rowWriter interface {
	begin(source.Detected, table.Header) error
	row(sheet string, r table.Row) error
	end(rowsSummary) error
}

// rowsSummary is the account at the end: Rows = Data + the sum of Skipped.
type rowsSummary struct {
	Rows     int              `json:"rows"`
	Data     int              `json:"data"`
	Skipped  map[string]int   `json:"skipped"`
	Warnings []format.Warning `json:"warnings"`
}

func writeRows(ctx context.Context, path string, options source.Options, out rowWriter) (err error) {
	table, err := source.Open(ctx, path, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, table.Close()) }()
	for _, err := range table.Rows(ctx) {
		if err != nil {
			return err
		}
	}
	if err := out.begin(table.Detected(), table.Header()); err != nil {
		return err
	}
	summary := rowsSummary{Skipped: map[string]int{}, Warnings: []format.Warning{}}
	parts := table.Sources()
	for row, err := range table.Rows(ctx) {
		if err != nil {
			return err
		}
		summary.Rows++
		if row.Skip != "" {
			summary.Skipped[row.Skip]++
			continue
		}
		summary.Data++
		if err := out.row(parts[row.Source].Sheet, row); err != nil {
			return err
		}
	}
	summary.Warnings = append(summary.Warnings, table.Detected().Warnings...)
	return out.end(summary)
}

// rowJSON writes one object on each line.
type rowJSON struct{ w io.Writer }

// rowLine is one of these objects: what was detected, the header, a row, the summary, or only the error.
type rowLine struct {
	Form     string           `json:"form"`
	Detected *source.Detected `json:"detected,omitempty"`
	Header   []string         `json:"header,omitzero"`
	Sheet    *string          `json:"sheet,omitempty"`
	Row      int              `json:"row,omitempty"`
	Cells    []string         `json:"cells,omitzero"`
	Faults   []table.Fault    `json:"faults,omitempty"`
	Summary  *rowsSummary     `json:"summary,omitempty"`
	Error    *refusal         `json:"error,omitempty"`
}

func (j rowJSON) line(v rowLine) error {
	v.Form = "docketsync-rows/1"
	text, err := planfile.Line(v)
	if err == nil {
		_, err = fmt.Fprintf(j.w, "%s\n", text)
	}
	return err
}

func (j rowJSON) begin(d source.Detected, h table.Header) error {
	if err := j.line(rowLine{Detected: &d}); err != nil {
		return err
	}
	return j.line(rowLine{Header: append([]string{}, h.Names...)})
}

func (j rowJSON) row(sheet string, r table.Row) error {
	cells := make([]string, len(r.Cells))
	for n, c := range r.Cells {
		cells[n] = cellText(c)
	}
	return j.line(rowLine{Sheet: &sheet, Row: r.Number, Cells: cells, Faults: r.Faults})
}

func (j rowJSON) end(s rowsSummary) error { return j.line(rowLine{Summary: &s}) }

// refusal says why a file was not read.
type refusal struct {
	What  string `json:"what"`
	Where struct {
		File   string `json:"file"`
		Sheet  string `json:"sheet,omitempty"`
		Row    int    `json:"row,omitempty"`
		Line   int    `json:"line,omitempty"`
		Column int    `json:"column,omitempty"`
	} `json:"where"`
	Hint string `json:"hint"`
}

func (j rowJSON) refuse(e *format.Error) error {
	r := refusal{What: e.What, Hint: e.Hint}
	w := &r.Where
	w.File, w.Sheet, w.Row, w.Line, w.Column = e.File, e.Sheet, e.Row, e.Line, e.Column
	return j.line(rowLine{Error: &r})
}

// cellText returns the shown text of a cell. A time of a spreadsheet has no zone; it is written in RFC 3339 as if it
// were UTC.
func cellText(c table.Cell) string {
	if c.Kind == table.Date && strings.Contains(c.Text, "T") {
		return c.Text + "Z"
	}
	return c.Text
}

// rowText writes rows for a person.
type rowText struct {
	w              io.Writer
	limit, written int
	sheets         bool   // rows come from several sheets
	sheet          string // of the last row
}

func (t *rowText) begin(d source.Detected, h table.Header) error {
	t.sheets = len(d.SheetsRead) > 0
	for _, line := range describe(d) {
		fmt.Fprintln(t.w, line)
	}
	_, err := fmt.Fprintf(t.w, "\n%6s  %s\n", "row", onOneLine(strings.Join(h.Names, " | ")))
	return err
}

// onOneLine shows line breaks inside cells as signs.
func onOneLine(text string) string {
	return strings.NewReplacer("\r\n", "⏎", "\n", "⏎", "\r", "⏎").Replace(text)
}

// describe says what was detected, on a line each, with the reason.
func describe(d source.Detected) []string {
	var lines []string
	say := func(name, value, why string) {
		if value != "" {
			lines = append(lines, fmt.Sprintf("%-12s %s%s", name, value, parenthesised(why)))
		}
	}
	say("format", d.Format, "")
	say("compression", strings.TrimSpace(d.Compression+" "+d.Member), "")
	say("encoding", d.Encoding, d.EncodingWhy)
	say("delimiter", d.Delimiter, d.DelimiterWhy)
	say("quote", d.Quote, d.QuoteWhy)
	if d.Escape == "backslash" {
		say("escape", d.Escape, d.EscapeWhy)
	}
	if len(d.SheetsRead) > 0 {
		say("sheets", strings.Join(d.SheetsRead, ", "), d.SheetWhy)
	} else {
		say("sheet", d.Sheet, d.SheetWhy)
	}
	say("dates from", d.DateSystem, "")
	header := "none"
	if d.HeaderRow > 0 {
		header = fmt.Sprintf("row %d", d.HeaderRow)
	}
	if d.HeaderRows > 1 {
		header = fmt.Sprintf("rows %d to %d", d.HeaderRow, d.HeaderRow+d.HeaderRows-1)
	}
	say("header", header, d.HeaderWhy)
	say("row numbers", d.RowNumbers, "the column counts the rows of the export and says nothing of the records")
	if d.AboveHeader > 0 {
		say("left out", wording.Counted(d.AboveHeader, "row")+" above the header", "")
	}
	return lines
}

func parenthesised(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

func (t *rowText) row(sheet string, r table.Row) error {
	if t.written++; t.limit > 0 && t.written > t.limit {
		return nil
	}
	if t.sheets && sheet != t.sheet {
		t.sheet = sheet
		fmt.Fprintf(t.w, "        sheet %s\n", sheet)
	}
	cells := make([]string, len(r.Cells))
	for n, c := range r.Cells {
		cells[n] = onOneLine(cellText(c))
	}
	_, err := fmt.Fprintf(t.w, "%6d  %s\n", r.Number, strings.Join(cells, " | "))
	return err
}

func (t *rowText) end(s rowsSummary) error {
	if t.limit > 0 && t.written > t.limit {
		fmt.Fprintf(t.w, "        … and %d more; --limit 0 shows all\n", t.written-t.limit)
	}
	fmt.Fprintf(t.w, "\n%s below the header, %d of them data", wording.Counted(s.Rows, "row"), s.Data)
	for _, reason := range slices.Sorted(maps.Keys(s.Skipped)) {
		fmt.Fprintf(t.w, ", %d %s", s.Skipped[reason], reason)
	}
	fmt.Fprintln(t.w)
	for _, w := range s.Warnings {
		fmt.Fprintf(t.w, "Warning: %s%s\n", w.Message, parenthesised(rowsOf(w)))
		if w.Hint != "" {
			fmt.Fprintf(t.w, "  %s\n", w.Hint)
		}
	}
	return nil
}

// rowsOf names the rows that a warning is about, at least the first of them.
func rowsOf(w format.Warning) string {
	if len(w.Rows) == 0 {
		return ""
	}
	return table.RowList(w.Rows, w.Count)
}
