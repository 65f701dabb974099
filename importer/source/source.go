// Package source turns files into rows: text tables (.csv, .tsv, .txt) and trademark files of the offices (.xml), both
// also compressed, and workbooks. It knows nothing of what a row means, but always where it came from.
//
// The life of a file: Open looks at its first bytes (its name is used only if the bytes do not decide), opens one table
// for a text file or one per chosen sheet, reads the first rows of each to find the header, and stops. Rows then reads
// once from the top to the end, holding one row at a time. Everything that was detected and not configured (encoding,
// delimiter, sheet, header row) is in Detected with the reason, so that a person can check it and set it in Options.
// Doubts that do not stop the reading are Warnings there, each with the rows concerned. A Warning with a Setting is a
// guess about how the whole table is written: with Options.Certain such a file is refused, and Detected.Settled sets
// the option for a person who has seen the rows.
//
// Nothing is dropped silently. Every row below the header is yielded, and a row that is not data (blank, a repeated
// header, a footer) has Skip set, so that every row can be accounted for. What cannot be read with certainty is an
// Error that says where and what to do, never a guess: a wrong guess here would become wrong data in a service that
// cannot be read back.
//
// How a row comes about, and which package does what:
//
//	format                what all readers have in common: Table, Error, Warning, Limits
//	archive               zip and gzip, protected against bombs
//	text                  delimited text; text/record splits records, charset determines the encoding
//	officexml             trademark files of the offices, ST.96 and ST.66
//	xlsx, xls, ods        workbooks; sheetxml and compound read the containers they are stored in
//	numfmt                what a stored number is: a number, a day, a time
//	sheet                 turns stored cells into rows: shared texts, merged cells, blank rows, oddities
//	header                which row names the columns
//	column                what a column shows but no single cell does
//	source                chooses the format and the sheet, skips and counts rows, finds rows that do not fit the header
//
// They import one another in this order, later ones importing earlier ones. Except for source, each knows only its own
// format and no file names.
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

// Part is one file and sheet that a source consists of; Row.Source is an index into the parts.
type Part struct {
	File  string
	Sheet string
}

// Source is an opened file. It is not safe for concurrent use.
type Source struct {
	file     string
	options  Options
	base     Detected // what opening the file itself has shown
	parts    []part
	warnings []format.Warning // about the file and the choice of its sheets
	tally    *tally
	closers  []func() error

	// LeftOut reports whether the caller knows a row that is too short not to be a piece of the rows beside it. It may
	// be nil.
	LeftOut func(table.Row) bool
	// Heads reports whether the caller recognizes a row as another header, and whether that names a column that is read
	// differently. It may be nil.
	Heads func(table.Row) (is, unlike bool)
}

// part is a table to read, with its header.
type part struct {
	table  format.Table
	sheet  string // its name, "" for a text file
	why    string // how it was chosen
	layout header.Layout
}

// warnings returns the warnings about the rows read so far, and about how they are read.
func (p part) warnings() []format.Warning {
	return slices.Concat(p.layout.Warnings(), p.table.Warnings())
}

// Open opens the file and detects what Options leave open. It reads only the beginning of each table; a text file is
// also read once as a whole to prove its encoding. The error is an *Error unless the context was cancelled.
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
			continue // the format defines it
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

// unproven returns an error if a table is read by a guess. Rows that were split in the wrong places, and letters of a
// wrong alphabet, look like any others once they are sent. It reports all guesses about a table at once.
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

// Header returns the column names of the first part.
func (s *Source) Header() table.Header { return table.Header{Names: s.parts[0].layout.Names} }

// Sources returns the parts in the order in which they are read.
func (s *Source) Sources() []Part {
	parts := make([]Part, len(s.parts))
	for i, p := range s.parts {
		parts[i] = Part{File: s.file, Sheet: p.sheet}
	}
	return parts
}

// Bared reports columns of a workbook whose whole numbers are read without the decimals that it shows; see
// sheet.Table.Bared.
func (s *Source) Bared() (all []format.Warning) {
	for _, p := range s.parts {
		if t, ok := p.table.(*sheet.Table); ok {
			all = append(all, t.Bared()...)
		}
	}
	return all
}

// DateFormats returns the number formats in which a part, counted as in Sources, shows its dates, by column from 0, as
// the workbook spells them: for each column that of the first date read so far. There are none for text files and .ods,
// nor for a column with a built-in format.
func (s *Source) DateFormats(part int) map[int]string {
	if t, ok := s.parts[part].table.(*sheet.Table); ok {
		return t.DateFormats()
	}
	return nil
}

// Ended reports whether the file is a text file and the last row read ended with a line break. A file of an office
// always counts as ended.
func (s *Source) Ended() bool {
	t, isText := s.parts[0].table.(*text.Table)
	return s.base.Format == "xml" || isText && !t.Unended()
}

// Close releases the files. It may be called twice. Detected still works afterwards.
func (s *Source) Close() error {
	var errs []error
	for _, c := range slices.Backward(s.closers) {
		errs = append(errs, c())
	}
	s.closers = nil
	return errors.Join(errs...)
}

// Detected is what a source was found to be. The members ending in _why say how each property was determined, in a few
// words ("configured", "byte order mark").
type Detected struct {
	Format      string           `json:"format"`                // "csv", "xml", "xlsx", "ods" or "xls"
	Compression string           `json:"compression,omitempty"` // "gzip" or "zip" around the table
	Member      string           `json:"member,omitempty"`      // the file inside the archive
	text.Found                   // text files only
	Sheet       string           `json:"sheet,omitempty"` // workbooks only, like the next four
	SheetWhy    string           `json:"sheet_why,omitempty"`
	SheetsRead  []string         `json:"sheets_read,omitempty"` // those read as one source, if there are several
	Sheets      []string         `json:"sheets,omitempty"`      // all sheets of the workbook
	DateSystem  string           `json:"date_system,omitempty"` // "1900" or "1904"
	HeaderRow   int              `json:"header_row"`            // 0 if there is none
	HeaderRows  int              `json:"header_rows"`
	HeaderWhy   string           `json:"header_why"`
	AboveHeader int              `json:"above_header"`          // non-blank rows above the header, which were left out
	Columns     int              `json:"columns"`               // as many as the header has
	RowNumbers  string           `json:"row_numbers,omitempty"` // a mapping's name for the first column, if it counts the rows
	Rows        int              `json:"rows"`                  // below the header, read so far, including skipped ones
	Skipped     map[string]int   `json:"skipped,omitempty"`
	Warnings    []format.Warning `json:"warnings,omitempty"`
}

// Detected returns what was found so far. The counts and warnings are complete once Rows has ended.
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

// Settled returns o for the job of a person who has seen the rows: with the guesses about them set, and with the
// detected header and sheets.
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
