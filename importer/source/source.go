// Package source turns files into rows: text tables (.csv, .tsv, .txt), trademark files of the offices (.xml), both also compressed,
// and workbooks. It knows nothing
// of what a row means; it knows where every row came from.
//
// The life of a file: Open looks at its first bytes (not at its name, which is only asked when the bytes don't tell),
// opens one table for a text file or one per chosen sheet, reads the first rows of each to find the header, and stops.
// Rows then reads from the top to the end, once through, holding one row at a time. Everything that was found rather
// than asked for (encoding, delimiter, sheet, header row) is in Detected with the reason why, so that a person can
// check it and pin it in Options; doubts that don't stop the reading are Warnings there, each with the rows it is
// about. One that names a Setting is a guess about how the whole table is written: Options.Certain refuses the file, and
// Detected.Settled has it set for whoever has seen the rows.
//
// Nothing is dropped in silence. Every row below the header is yielded, and a row that is no data (blank, a header
// repeated further down, a footer) comes with Skip set, so that whoever counts can account for it. What can't be read
// for certain is an Error that names the place and what to do, never a guess: a wrong guess here would become wrong
// data in a service that can't be read back.
//
// How a row comes about, and which room does what:
//
//	format                what all readers have in common: Table, Error, Warning, Limits
//	archive               zip and gzip, guarded against bombs
//	text                  delimited text; text/record splits records, charset finds the encoding
//	officexml             trademark files of the offices, ST.96 and ST.66
//	xlsx, xls, ods        workbooks; sheetxml and compound are what they are stored in
//	numfmt                what a stored number is: a number, a day, a time
//	sheet                 stored cells to rows: shared texts, merged cells, blank rows, what is odd
//	header                which row names the columns
//	column                what a column tells and no single cell does
//	source                chooses the format and the sheet, skips and counts rows, finds rows that do not fit the header
//
// They import one another in this order, those above by those below; all but source know nothing of files' names and formats
// but their own.
package source

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"docketsync/importer/source/format"
	"docketsync/importer/source/header"
	"docketsync/importer/source/sheet"
	"docketsync/importer/source/text"
	"docketsync/mapping/table"
)

// Part is one file and sheet that a source consists of; Row.Source is an index among them.
type Part struct {
	File  string
	Sheet string
}

// Source is an opened file. It is not safe for concurrent use.
type Source struct {
	file     string
	options  Options
	base     Detected // what opening the file itself told
	parts    []part
	warnings []format.Warning // about the file and the choice of its sheets
	tally    *tally
	closers  []func() error

	// LeftOut tells of a row that is too short whether whoever reads knows it to be no piece of those beside it; nil where nobody does.
	LeftOut func(table.Row) bool
	// Heads tells of a row whether whoever reads knows it for another header, and whether that names a column that is read otherwise; nil where nobody does.
	Heads func(table.Row) (is, unlike bool)
}

// part is a table that is read, and where its header is.
type part struct {
	table  format.Table
	sheet  string // its name, "" for a text file
	why    string // how it was chosen
	layout header.Layout
}

// warnings are those about the rows read so far, and about how they are read.
func (p part) warnings() []format.Warning {
	return slices.Concat(p.layout.Warnings(), p.table.Warnings())
}

// Open opens the file and finds out what Options leave open; it reads no more than the beginning of each table, and
// of a text file also the whole file once to prove its encoding. The error is a *Error unless the context was
// cancelled.
func Open(ctx context.Context, path string, o Options) (*Source, error) {
	if err := o.validate(); err != nil {
		return nil, format.At(err, path, "")
	}
	s := &Source{file: path, options: o, tally: newTally(o)}
	err := s.open(ctx)
	if err == nil {
		err = s.findHeaders(ctx)
	}
	if err == nil && o.Certain {
		err = s.unproven()
	}
	if err != nil {
		return nil, errors.Join(format.At(err, path, ""), s.Close())
	}
	return s, nil
}

func (s *Source) findHeaders(ctx context.Context) error {
	for i := range s.parts {
		p := &s.parts[i]
		if p.layout.Row > 0 {
			continue // the format says it
		}
		l, err := header.Find(ctx, p.table, s.options.header())
		if err != nil {
			return format.At(err, s.file, p.sheet)
		}
		p.layout = l
		if l.Rejects {
			s.options = s.options.belowRejects()
		}
		if !l.SameNames(s.parts[0].layout) {
			return &format.Error{What: fmt.Sprintf("the sheet has other columns than the sheet %q", s.parts[0].sheet), Sheet: p.sheet,
				Hint: "Sheets are read as one only when their headers agree; give each a job of its own, or name one sheet."}
		}
	}
	return nil
}

// unproven is an error where a table is read by a guess. Rows that were cut at the wrong places, and letters of another alphabet, look like any others
// once they are sent. All guesses about a table are told at once.
func (s *Source) unproven() error {
	for _, p := range s.parts {
		var e format.Error
		for _, w := range p.warnings() {
			if w.Setting == "" {
				continue
			}
			if e.What != "" {
				e.What, e.Hint = e.What+"; ", e.Hint+" "
			} else if len(w.Rows) > 0 {
				e.Row = w.Rows[0]
			}
			e.What, e.Hint = e.What+w.Message, e.Hint+w.Hint
		}
		if e.What != "" {
			return format.At(&e, s.file, p.sheet)
		}
	}
	return nil
}

// Header returns the names over the columns of the first part.
func (s *Source) Header() table.Header { return table.Header{Names: s.parts[0].layout.Names} }

// Sources lists the parts in the order they are read.
func (s *Source) Sources() []Part {
	parts := make([]Part, len(s.parts))
	for i, p := range s.parts {
		parts[i] = Part{File: s.file, Sheet: p.sheet}
	}
	return parts
}

// Bared tells of columns of a workbook whose whole numbers are read without the decimals that it shows, as sheet.Table.Bared does.
func (s *Source) Bared() (all []format.Warning) {
	for _, p := range s.parts {
		if t, ok := p.table.(*sheet.Table); ok {
			all = append(all, t.Bared()...)
		}
	}
	return all
}

// DateFormats are the number formats in which a part, counted as in Sources, shows its dates, by column from 0, in the words of
// the workbook: of each column that of the first date read so far. There are none in text files and .ods, and none of a column
// whose format is one that every program has.
func (s *Source) DateFormats(part int) map[int]string {
	if t, ok := s.parts[part].table.(*sheet.Table); ok {
		return t.DateFormats()
	}
	return nil
}

// Ended tells whether the file is a text file and the last row that was read ended with a line break; one of an office always ends.
func (s *Source) Ended() bool {
	t, isText := s.parts[0].table.(*text.Table)
	return s.base.Format == "xml" || isText && !t.Unended()
}

// Close releases the files. It may be called twice. What was detected can still be asked for.
func (s *Source) Close() error {
	var errs []error
	for _, c := range slices.Backward(s.closers) {
		errs = append(errs, c())
	}
	s.closers = nil
	return errors.Join(errs...)
}

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
		d.Warnings = append(d.Warnings, p.warnings()...)
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

// Settled is o for a job of whoever has seen the rows: with what was guessed of them set, and with the header and the sheets that were found.
func (d Detected) Settled(o Options) Options {
	for _, w := range d.Warnings {
		switch w.Setting {
		case "encoding":
			o.Encoding = d.Encoding
		case "delimiter":
			o.Delimiter = d.Delimiter
		case "quote":
			o.Quote = d.Quote
		case "header_rows":
			o.HeaderRows = d.HeaderRows
		}
	}
	o.NoHeader = d.HeaderRow == 0
	if o.Alike = false; o.Sheet == "" {
		o.Sheet = d.sheetSetting()
	}
	return o
}
