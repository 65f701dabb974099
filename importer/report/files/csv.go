package files

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/importer/report/cause"
	"docketsync/importer/report/csvfile"
	"docketsync/importer/report/outcome"
	"docketsync/importer/report/wording"
)

// csvColumns are the columns of the CSV form. New ones are added at the end.
var csvColumns = []string{
	"outcome", "action", "key", "file", "sheet", "row", "cells", "reasons", "what to do", "notes", "status", "message",
	"service id", "attempts", "settled", "record", "run", "acknowledged",
}

// csvWriter writes a line for every row that stands in a record listed (see package report for those that are not). A record of several
// rows has a line for each, with the reasons that concern that row; a record without rows has one line.
type csvWriter struct {
	lines
	summary *report.Summary
	run     ledger.Run
}

func newCSV(w io.Writer, s *report.Summary, _ string) (report.Form, error) {
	return &csvWriter{newLines(w, csvColumns...), s, s.Run}, nil
}

// packed is a form that is compressed as it is written.
type packed struct {
	report.Form
	gzip *gzip.Writer
}

func newPackedCSV(w io.Writer, s *report.Summary, _ string) (report.Form, error) {
	packer, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	packer.Name = report.CSVFile
	form, err := newCSV(packer, s, "")
	return packed{form, packer}, err
}

// End ends the form, and what it is packed in.
func (p packed) End() error { return errors.Join(p.Form.End(), p.gzip.Close()) }

// lines is a CSV file being written. The buffer keeps the first error for End.
type lines struct {
	out  *bufio.Writer
	line func(cells ...string) error
}

func newLines(w io.Writer, header ...string) lines {
	out := bufio.NewWriterSize(w, 1<<16)
	return lines{out, csvfile.Begin(out, header...)}
}

// End writes what is still buffered.
func (l lines) End() error { return l.out.Flush() }

func (c *csvWriter) Add(e report.Entry) error {
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

func (c *csvWriter) row(e report.Entry, row ledger.Row, index int) error {
	var number, settled string
	source := wording.SourceOf(c.run, row.Source)
	if row.Number > 0 {
		number = strconv.Itoa(row.Number)
	}
	if !e.Settled.IsZero() {
		settled = e.Settled.UTC().Format(time.RFC3339)
	}
	cells, wrong := cause.RowReasons(c.run, e.Record, index)
	var reasons, hints, notes []string
	for _, reason := range wrong {
		reasons = append(reasons, reason.Message)
		if reason.Hint != "" && !slices.Contains(hints, reason.Hint) {
			hints = append(hints, reason.Hint)
		}
	}
	for _, note := range e.Notes {
		notes = append(notes, note.Message)
	}
	status := ""
	if e.Status != 0 {
		status = strconv.Itoa(e.Status)
	}
	return c.line(
		string(outcome.Of(e.Record)), string(e.Action), e.Key, source.File, source.Sheet, number, strings.Join(cells, " "),
		strings.Join(reasons, "\n"), strings.Join(hints, "\n"), strings.Join(notes, "\n"), status, e.Message,
		e.ServiceID, strconv.Itoa(e.Attempts), settled, strconv.FormatInt(e.Seq, 10), c.run.ID, c.summary.AcknowledgedBy(e.Record),
	)
}
