package source

import (
	"maps"
	"slices"
)

// Detected is what a source was found to be. The members ending in _why say how each thing was known, in a few words
// ("configured", "byte order mark").
type Detected struct {
	Format       string         `json:"format"`                // "csv", "xlsx", "ods" or "xls"
	Compression  string         `json:"compression,omitempty"` // "gzip" or "zip" around the table
	Member       string         `json:"member,omitempty"`      // the file inside the archive
	Encoding     string         `json:"encoding,omitempty"`    // text files only, as are the next eight
	EncodingWhy  string         `json:"encoding_why,omitempty"`
	Delimiter    string         `json:"delimiter,omitempty"`
	DelimiterWhy string         `json:"delimiter_why,omitempty"`
	Quote        string         `json:"quote,omitempty"`
	QuoteWhy     string         `json:"quote_why,omitempty"`
	Escape       string         `json:"escape,omitempty"` // "double" or "backslash"
	EscapeWhy    string         `json:"escape_why,omitempty"`
	LineEnds     string         `json:"line_ends,omitempty"` // "LF", "CRLF", "CR" or "mixed", in what was read so far
	Sheet        string         `json:"sheet,omitempty"`     // workbooks only, as are the next four
	SheetWhy     string         `json:"sheet_why,omitempty"`
	SheetsRead   []string       `json:"sheets_read,omitempty"` // those read as one source, when they are several
	Sheets       []string       `json:"sheets,omitempty"`      // all sheets of the workbook
	DateSystem   string         `json:"date_system,omitempty"` // "1900" or "1904"
	HeaderRow    int            `json:"header_row"`            // 0 when there is none
	HeaderRows   int            `json:"header_rows"`
	HeaderWhy    string         `json:"header_why"`
	AboveHeader  int            `json:"above_header"`          // rows over the header that are not blank and were left out
	Columns      int            `json:"columns"`               // as many as the header has
	RowNumbers   string         `json:"row_numbers,omitempty"` // how a mapping names the first column, where it counts the rows
	Rows         int            `json:"rows"`                  // below the header, read so far, skipped ones included
	Skipped      map[string]int `json:"skipped,omitempty"`
	Warnings     []Warning      `json:"warnings,omitempty"`
}

// Warning is a doubt that did not stop the reading. Code is a stable word for grouping; Rows are the first rows it is
// about (at most ten), Count how many there are in all.
type Warning struct {
	Code    string `json:"code"`
	Sheet   string `json:"sheet,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Rows    []int  `json:"rows,omitempty"`
	Count   int    `json:"count,omitempty"`
	Column  int    `json:"-"` // from 0, of DatesTurned
}

const warningRows = 10

// add counts one more row under the warning.
func (w *Warning) add(row int) {
	w.Count++
	if len(w.Rows) < warningRows {
		w.Rows = append(w.Rows, row)
	}
}

func (d *Detected) warn(w Warning) {
	w.Rows = slices.Clone(w.Rows)
	d.Warnings = append(d.Warnings, w)
}

// Detected returns what was found so far. The counts and warnings are complete after Rows has come to its end.
func (s *Source) Detected() Detected {
	d := s.base
	d.Rows, d.Skipped = s.tally.read, maps.Clone(s.tally.skipped)
	for i, t := range s.tables {
		if len(s.tables) > 1 {
			d.SheetsRead = append(d.SheetsRead, t.sheet())
		}
		part := &d
		if i > 0 {
			part = &Detected{}
		}
		s.layouts[i].describe(part)
		t.describe(part)
		if i > 0 {
			d.Warnings = append(d.Warnings, part.Warnings...)
		}
	}
	s.tally.numbers.describe(&d, s.options.Columns)
	for _, w := range slices.Concat(s.tally.warnings, s.tally.pending()) {
		d.warn(w)
	}
	return d
}
