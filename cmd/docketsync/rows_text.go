package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"docketsync/importer/report/wording"
	"docketsync/importer/source"
	"docketsync/importer/source/format"
	"docketsync/mapping/table"
)

// rowText writes for a person.
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
	for _, reason := range sortedKeys(s.Skipped) {
		fmt.Fprintf(t.w, ", %d %s", s.Skipped[reason], reason)
	}
	fmt.Fprintln(t.w)
	for _, w := range s.Warnings {
		fmt.Fprintf(t.w, "warning: %s%s\n", w.Message, parenthesised(rowsOf(w)))
		if w.Hint != "" {
			fmt.Fprintf(t.w, "  %s\n", w.Hint)
		}
	}
	return nil
}

// rowsOf names the rows that a warning is about, the first of them at least.
func rowsOf(w format.Warning) string {
	if len(w.Rows) == 0 {
		return ""
	}
	list := rowList(w.Rows)
	if more := w.Count - len(w.Rows); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

func sortedKeys(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }
