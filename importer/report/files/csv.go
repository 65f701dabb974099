package files

import (
	"bufio"
	"compress/gzip"
	"context"
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
	"docketsync/mapping/reason"
)

// csvColumns are the columns of the CSV form. New ones are added at the end.
var csvColumns = []string{
	"outcome", "action", "key", "file", "sheet", "row", "cells", "reasons", "what to do", "notes", "status", "message",
	"service id", "attempts", "settled", "record", "run", "acknowledged",
}

// csvWriter writes a line for every row of the records that report.Lines yields. A record of several rows has a line
// for each, with the reasons that concern that row; a record without rows has one line.
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

// End ends the form and the compressed stream.
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

// notedWriter lists the notes of one kind, one value per line.
type notedWriter struct {
	lines
	code   string
	values func(ledger.Reason) []string
}

func newStays(w io.Writer, _ *report.Summary, _ string) (report.Form, error) {
	return &notedWriter{newLines(w, "key", "service id", "rows", "field", "stays in the service"), reason.Stays,
		func(n ledger.Reason) []string { return []string{n.Value} }}, nil
}

func newDiffers(w io.Writer, _ *report.Summary, _ string) (report.Form, error) {
	return &notedWriter{newLines(w, "key", "service id", "rows", "field", "sent", "stored in the service"), reason.Differs,
		func(n ledger.Reason) []string { return []string{n.Value, n.Stored} }}, nil
}

// Add writes the values that the record's notes are about.
func (c *notedWriter) Add(e report.Entry) error {
	rows := make([]string, len(e.Rows))
	for n, row := range e.Rows {
		rows[n] = strconv.Itoa(row.Number)
	}
	for _, note := range e.Notes {
		if note.Code != c.code {
			continue
		}
		if err := c.line(append([]string{e.Key, e.ServiceID, strings.Join(rows, ", "), note.Field}, c.values(note)...)...); err != nil {
			return err
		}
	}
	return nil
}

// writeVanished writes all keys that vanished, one per line.
func writeVanished(ctx context.Context, w io.Writer, led *ledger.Reader, s *report.Summary) error {
	file := newLines(w, "key", "last seen in run", "last seen on")
	for key, err := range led.Vanished(ctx, s.Vanished.Last, s.Run.ID) {
		if err != nil {
			return err
		}
		if err := file.line(key, s.Vanished.Last, s.Vanished.Seen); err != nil {
			return err
		}
	}
	return file.End()
}

// FillIn is a file of missing names with an empty column for their ids. It has the columns of the lookup's own file, so
// that its lines can be pasted there once they are filled in; further columns help to fill them in.
type FillIn struct {
	Header []string // of the lookup's file
	Name   int      // its column of names
	// Near returns the most similar name that the lookup has, with its id; "" if there is none. Lookups search only for
	// the first 1,000 names, those of the most rows.
	Near func(name string) (near, id string)
}

// Write writes the file as CSV (RFC 4180, UTF-8 with a byte order mark).
func (f FillIn) Write(w io.Writer, names []cause.MissingName) error {
	file := newLines(w, append(slices.Clone(f.Header), "rows", "for example", "similar name", "its id")...)
	for _, name := range names {
		cells := make([]string, len(f.Header))
		cells[f.Name] = name.Name
		near, id := f.Near(name.Name)
		_ = file.line(append(cells, strconv.Itoa(name.Rows), name.Example.Words(), near, id)...) // the buffer keeps the error
	}
	return file.End()
}
