package source

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sourcetest"
)

// FuzzText reads anything as a text file, and holds the reader to what it promises of any file.
func FuzzText(f *testing.F) {
	for i, seed := range sourcetest.Texts {
		f.Add([]byte(seed), byte(i))
	}
	f.Fuzz(func(t *testing.T, content []byte, settings byte) {
		o := Options{Lenient: settings&1 != 0, NoHeader: settings&2 != 0, Encoding: []string{"", "", "shift_jis", "utf-16"}[settings>>2&3],
			Escape: []string{"", "", "", "backslash"}[settings>>4&3], Limits: format.Limits{Cell: 1000, Record: 2000, Columns: 50}}
		s, err := openMemory(t, content, o)
		if err != nil {
			faulted(t, reading{}, err)
			return
		}
		first := checkPromises(t, s)
		if second := readSourceRows(t, s); !cmp.Equal(first, second, cmp.AllowUnexported(reading{})) {
			t.Errorf("read twice: %s", cmp.Diff(first, second, cmp.AllowUnexported(reading{})))
		}
	})
}

// openMemory opens a text that is not in a file.
func openMemory(t testing.TB, content []byte, o Options) (*Source, error) {
	t.Helper()
	if err := o.validate(); err != nil {
		t.Fatal(err)
	}
	o.Format = "csv"
	s := &Source{file: "in.csv", options: o, tally: newTally(o)}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
	head, err := readHead(open)
	if err == nil {
		err = s.openPlain(t.Context(), head, s.file, open)
	}
	if err == nil {
		err = s.findHeaders(t.Context())
	}
	return s, format.At(err, s.file, "")
}

// checkPromises reads the source to its end: rows are numbered and counted without a gap, cells are text of the promised
// size, and what was detected can be written down.
func checkPromises(t *testing.T, s *Source) reading {
	t.Helper()
	var rows, skipped int
	last := s.parts[0].layout.Last
	for row, err := range s.Rows(t.Context()) {
		if err != nil {
			break
		}
		if row.Number != last+1 {
			t.Errorf("row %d comes after row %d", row.Number, last)
		}
		if last = row.Number; row.Line < row.Number {
			t.Errorf("row %d is on line %d", row.Number, row.Line)
		}
		if len(row.Cells) < len(s.Header().Names) {
			t.Errorf("row %d has fewer cells than the header", row.Number)
		}
		for _, cell := range row.Cells {
			if !utf8.ValidString(cell.Text) || strings.ContainsRune(cell.Text, 0) || len(cell.Text) > s.options.Limits.Cell {
				t.Errorf("row %d holds %q", row.Number, cell.Text)
			}
		}
		if rows++; row.Skip != "" {
			skipped++
		}
	}
	d := s.Detected()
	if sum := d.Skipped[skipBlank] + d.Skipped[skipRepeated]; d.Rows != rows || sum != skipped {
		t.Errorf("%d rows and %d skipped were counted as %d and %d", rows, skipped, d.Rows, sum)
	}
	if _, err := json.Marshal(d); err != nil {
		t.Error(err)
	}
	return readSourceRows(t, s)
}
