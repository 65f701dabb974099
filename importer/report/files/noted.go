package files

import (
	"context"
	"io"
	"strconv"
	"strings"

	"docketsync/importer/ledger"
	"docketsync/importer/report"
	"docketsync/mapping/reason"
)

// notedWriter lists the notes of one kind, one value a line.
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

// writeVanished writes all keys that vanished, one a line.
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
