package source

import (
	"maps"
	"slices"

	"docketsync/importer/source/format"
	"docketsync/importer/source/text"
)

// Detected is what a source was found to be. The members ending in _why say how each thing was known, in a few words
// ("configured", "byte order mark").
type Detected struct {
	Format      string           `json:"format"`                // "csv", "xml", "xlsx", "ods" or "xls"
	Compression string           `json:"compression,omitempty"` // "gzip" or "zip" around the table
	Member      string           `json:"member,omitempty"`      // the file inside the archive
	text.Found                   // text files only
	Sheet       string           `json:"sheet,omitempty"` // workbooks only, as are the next four
	SheetWhy    string           `json:"sheet_why,omitempty"`
	SheetsRead  []string         `json:"sheets_read,omitempty"` // those read as one source, when they are several
	Sheets      []string         `json:"sheets,omitempty"`      // all sheets of the workbook
	DateSystem  string           `json:"date_system,omitempty"` // "1900" or "1904"
	HeaderRow   int              `json:"header_row"`            // 0 when there is none
	HeaderRows  int              `json:"header_rows"`
	HeaderWhy   string           `json:"header_why"`
	AboveHeader int              `json:"above_header"`          // rows over the header that are not blank and were left out
	Columns     int              `json:"columns"`               // as many as the header has
	RowNumbers  string           `json:"row_numbers,omitempty"` // how a mapping names the first column, where it counts the rows
	Rows        int              `json:"rows"`                  // below the header, read so far, skipped ones included
	Skipped     map[string]int   `json:"skipped,omitempty"`
	Warnings    []format.Warning `json:"warnings,omitempty"`
}

// Detected returns what was found so far. The counts and warnings are complete after Rows has come to its end.
func (s *Source) Detected() Detected {
	d := s.base
	d.Rows, d.Skipped = s.tally.read, maps.Clone(s.tally.skipped)
	for _, p := range s.parts {
		if len(s.parts) > 1 {
			d.SheetsRead = append(d.SheetsRead, p.sheet)
		}
		d.Warnings = slices.Concat(d.Warnings, p.layout.Warnings(), p.table.Warnings())
	}
	first := s.parts[0]
	d.Sheet, d.SheetWhy = first.sheet, first.why
	d.HeaderRow, d.HeaderRows, d.HeaderWhy = first.layout.Row, len(first.layout.Lines), first.layout.Why
	d.AboveHeader, d.Columns = first.layout.Above, len(first.layout.Names)
	if t, isText := first.table.(*text.Table); isText {
		d.Found = t.Found()
	}
	d.RowNumbers = s.tally.numbers.Found()
	d.Warnings = slices.Concat(d.Warnings, s.warnings, s.tally.numbers.Warnings(s.options.Columns), s.tally.warnings, s.tally.pending())
	for i, w := range d.Warnings {
		d.Warnings[i].Rows = slices.Clone(w.Rows)
	}
	return d
}
