package report

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"docketsync/importer/ledger"
)

// csvColumns are the columns of the CSV form. New ones are added at the end.
var csvColumns = []string{
	"outcome", "action", "key", "file", "sheet", "row", "cells", "reasons", "what to do", "notes", "status", "message",
	"service id", "attempts", "settled", "record", "run",
}

// byteOrderMark at the beginning makes a spreadsheet read the file as UTF-8 when it is opened by a double click.
const byteOrderMark = "\ufeff"

// WriteCSV writes the report of a run as CSV (RFC 4180, UTF-8 with a byte order mark): a header, then a line for every
// row that stands in a record listed (see the package comment for those that are not). A record of several rows has a line
// for each, with the reasons that concern that row; a record without rows has one line.
//
// A cell that a spreadsheet might take for a formula is written with an apostrophe in front, so that it stays text; see
// inert.
func WriteCSV(ctx context.Context, w io.Writer, led *ledger.Reader, run string) error {
	s, err := Build(ctx, led, run)
	if err != nil {
		return err
	}
	return tell(ctx, led, s, newCSV(w, s))
}

// BeginCSV writes the header of a CSV of the same form, and returns what writes its lines. The buffer keeps the first error.
func BeginCSV(out *bufio.Writer, header ...string) (line func(cells ...string) error) {
	c := &csvWriter{out: out}
	_, _ = out.WriteString(byteOrderMark)
	_ = c.line(header)
	return func(cells ...string) error { return c.line(cells) }
}

type csvWriter struct {
	out *bufio.Writer
	run ledger.Run
}

func newCSV(w io.Writer, s *Summary) *csvWriter {
	return &csvWriter{out: bufio.NewWriterSize(w, 1<<16), run: s.Run}
}

func (c *csvWriter) begin() error {
	_, _ = c.out.WriteString(byteOrderMark)
	return c.line(csvColumns)
}

func (c *csvWriter) add(e entry) error {
	if len(e.Rows) == 0 {
		return c.row(e, ledger.Row{Source: -1}, 0)
	}
	for n, row := range e.Rows {
		if err := c.row(e, row, n); err != nil {
			return err
		}
	}
	return nil
}

func (c *csvWriter) row(e entry, row ledger.Row, index int) error {
	var file, sheet, number, settled string
	if row.Source >= 0 && row.Source < len(c.run.Sources) {
		file, sheet = c.run.Sources[row.Source].File, c.run.Sources[row.Source].Sheet
	}
	if row.Number > 0 {
		number = strconv.Itoa(row.Number)
	}
	if !e.Settled.IsZero() {
		settled = e.Settled.UTC().Format(time.RFC3339)
	}
	cells, reasons, hints := rowReasons(c.run, e.Record, index)
	notes := make([]string, 0, len(e.Notes))
	for _, note := range e.Notes {
		notes = append(notes, note.Message)
	}
	status := ""
	if e.Status != 0 {
		status = strconv.Itoa(e.Status)
	}
	return c.line([]string{
		string(OutcomeOf(e.Record)), string(e.Action), e.Key, file, sheet, number, strings.Join(cells, " "),
		strings.Join(reasons, "\n"), strings.Join(hints, "\n"), strings.Join(notes, "\n"), status, e.Message,
		e.ServiceID, strconv.Itoa(e.Attempts), settled, strconv.FormatInt(e.Seq, 10), c.run.ID,
	})
}

func (c *csvWriter) end() error { return c.out.Flush() }

// line writes one line; the buffer keeps the first error for end.
func (c *csvWriter) line(cells []string) error {
	for n, text := range cells {
		if n > 0 {
			_ = c.out.WriteByte(',')
		}
		text = inert(strings.ToValidUTF8(text, "\ufffd"))
		if !strings.ContainsAny(text, ",\"\r\n") && strings.TrimSpace(text) == text {
			_, _ = c.out.WriteString(text)
			continue
		}
		_ = c.out.WriteByte('"')
		_, _ = c.out.WriteString(strings.ReplaceAll(text, `"`, `""`))
		_ = c.out.WriteByte('"')
	}
	_, err := c.out.WriteString("\r\n")
	return err
}

// rowReasons are the cells at fault, the reasons and the hints for one row of a record, by its index. A row that nothing
// is wrong with, in a record that did not go in, says so.
func rowReasons(run ledger.Run, r ledger.Record, index int) (cells, reasons, hints []string) {
	if OutcomeOf(r) != Rejected {
		return nil, nil, nil
	}
	for _, b := range blame(run, r) {
		if b.row != index {
			continue
		}
		if b.column >= 0 && len(r.Rows) > index {
			cells = append(cells, columnLetter(b.column)+strconv.Itoa(r.Rows[index].Number))
		}
		for _, n := range b.reasons {
			reasons = append(reasons, r.Reasons[n].Message)
			if hint := r.Reasons[n].Hint; hint != "" && !slices.Contains(hints, hint) {
				hints = append(hints, hint)
			}
		}
	}
	if len(reasons) == 0 {
		reasons = []string{innocent(r)}
	}
	return cells, reasons, hints
}

// innocent is said of a row with nothing wrong in it that stays out because of the others of its record.
func innocent(r ledger.Record) string {
	if len(r.Reasons) == 0 {
		return or(r.Message, "no reason was recorded")
	}
	return fmt.Sprintf("nothing is wrong here: another row of %s is to be corrected, and they go in together", or(r.Key, "this record"))
}
