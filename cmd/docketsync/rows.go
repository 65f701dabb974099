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

	"docketsync/importer/source"
	"docketsync/mapping"
)

func newRows(a *app) *cobra.Command {
	var options source.Options
	var limit int
	cmd := &cobra.Command{
		Use:   "rows FILE",
		Short: "Show how a file is read: what was detected, and its rows as a mapping sees them",
		Long: `rows reads one file and shows what was found out about it (encoding, delimiter, sheet, header row) and its rows. It needs
no configuration. With --json it writes one object a line: {"detected"}, {"header"}, {"sheet", "row", "cells"} for
each row, and {"summary"}. Dates are written as 2024-03-01, times of a spreadsheet, which have no zone, as
2024-03-01T13:30:00Z, an empty cell as "". A file that cannot be read is {"error"}, with exit status 1.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			var out rowWriter = &rowText{w: a.stdout, limit: limit}
			if a.json {
				out = rowJSON{a.stdout}
			}
			err := writeRows(cmd.Context(), args[0], options, out)
			var unreadable *source.Error
			if a.json && errors.As(err, &unreadable) {
				return exitWith(exitCouldNotRun, rowJSON{a.stdout}.refuse(unreadable))
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&options.Sheet, "sheet", "", "the `SHEET` of a workbook: its name, number or a pattern")
	f.StringVar(&options.Format, "format", "", "csv, xlsx, ods or xls")
	f.StringVar(&options.Encoding, "encoding", "", "the character set of a text file")
	f.StringVar(&options.Delimiter, "delimiter", "", "what stands between two cells of a text file")
	f.IntVar(&options.Header, "header", 0, "the number of the header `ROW`")
	f.BoolVar(&options.NoHeader, "no-header", false, "there is no header row; columns are named A, B, C")
	f.BoolVar(&options.Lenient, "lenient", false, "take stray quotes as ordinary characters")
	f.IntVar(&limit, "limit", 20, "show at most this many rows, 0 for all (JSON always has all)")
	return cmd
}

// rowWriter is one of the two forms in which rows are shown.
type rowWriter interface {
	begin(source.Detected, mapping.Header) error
	row(sheet string, r mapping.Row) error
	end(rowsSummary) error
}

// rowsSummary is the account at the end: Rows = Data + the sum of Skipped.
type rowsSummary struct {
	Rows     int              `json:"rows"`
	Data     int              `json:"data"`
	Skipped  map[string]int   `json:"skipped"`
	Warnings []source.Warning `json:"warnings"`
}

func writeRows(ctx context.Context, path string, options source.Options, out rowWriter) (err error) {
	table, err := source.Open(ctx, path, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, table.Close()) }()
	if err := out.begin(table.Detected(), table.Header()); err != nil {
		return err
	}
	summary := rowsSummary{Skipped: map[string]int{}, Warnings: []source.Warning{}}
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

// rowJSON writes one object a line.
type rowJSON struct{ w io.Writer }

func (j rowJSON) line(v any) error {
	text, err := encode(v)
	if err == nil {
		_, err = fmt.Fprintf(j.w, "%s\n", text)
	}
	return err
}

func (j rowJSON) begin(d source.Detected, h mapping.Header) error {
	if err := j.line(map[string]any{"detected": d}); err != nil {
		return err
	}
	return j.line(map[string]any{"header": h.Names})
}

func (j rowJSON) row(sheet string, r mapping.Row) error {
	cells := make([]string, len(r.Cells))
	for n, c := range r.Cells {
		cells[n] = cellText(c)
	}
	return j.line(struct {
		Sheet string   `json:"sheet"`
		Row   int      `json:"row"`
		Cells []string `json:"cells"`
	}{sheet, r.Number, cells})
}

func (j rowJSON) end(s rowsSummary) error { return j.line(map[string]any{"summary": s}) }

// refusal is why a file was not read.
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

func (j rowJSON) refuse(e *source.Error) error {
	r := refusal{What: e.What, Hint: e.Hint}
	w := &r.Where
	w.File, w.Sheet, w.Row, w.Line, w.Column = e.File, e.Sheet, e.Row, e.Line, e.Column
	return j.line(map[string]any{"error": r})
}

// cellText is a cell as it is shown. A time of a spreadsheet has no zone; it is written as RFC 3339 wants it, as if it were
// UTC.
func cellText(c mapping.Cell) string {
	if c.Kind == mapping.Date && strings.Contains(c.Text, "T") {
		return c.Text + "Z"
	}
	return c.Text
}

// rowText writes for a person.
type rowText struct {
	w              io.Writer
	limit, written int
}

func (t *rowText) begin(d source.Detected, h mapping.Header) error {
	for _, line := range describe(d) {
		fmt.Fprintln(t.w, line)
	}
	_, err := fmt.Fprintf(t.w, "\n%6s  %s\n", "row", strings.Join(h.Names, " | "))
	return err
}

// describe says what was detected, a line each, with the reason why.
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
	say("sheet", d.Sheet, d.SheetWhy)
	say("dates from", d.DateSystem, "")
	header := "none"
	if d.HeaderRow > 0 {
		header = fmt.Sprintf("row %d", d.HeaderRow)
	}
	say("header", header, d.HeaderWhy)
	return lines
}

func parenthesised(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

func (t *rowText) row(_ string, r mapping.Row) error {
	if t.written++; t.limit > 0 && t.written > t.limit {
		return nil
	}
	cells := make([]string, len(r.Cells))
	for n, c := range r.Cells {
		cells[n] = strings.ReplaceAll(cellText(c), "\n", "⏎")
	}
	_, err := fmt.Fprintf(t.w, "%6d  %s\n", r.Number, strings.Join(cells, " | "))
	return err
}

func (t *rowText) end(s rowsSummary) error {
	if t.limit > 0 && t.written > t.limit {
		fmt.Fprintf(t.w, "        … and %d more; --limit 0 shows all\n", t.written-t.limit)
	}
	fmt.Fprintf(t.w, "\n%d rows below the header, %d of them data", s.Rows, s.Data)
	for _, reason := range sortedKeys(s.Skipped) {
		fmt.Fprintf(t.w, ", %d %s", s.Skipped[reason], reason)
	}
	fmt.Fprintln(t.w)
	for _, w := range s.Warnings {
		fmt.Fprintf(t.w, "warning: %s\n", w.Message)
		if w.Hint != "" {
			fmt.Fprintf(t.w, "  %s\n", w.Hint)
		}
	}
	return nil
}

func sortedKeys(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }
