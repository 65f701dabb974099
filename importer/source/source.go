// Package source turns files into rows: text tables (.csv, .tsv, .txt, also compressed) and workbooks. It knows nothing
// of what a row means; it knows where every row came from.
//
// The life of a file: Open looks at its first bytes (not at its name, which is only asked when the bytes don't tell),
// opens one table for a text file or one per chosen sheet, reads the first rows of each to find the header, and stops.
// Rows then reads from the top to the end, once through, holding one row at a time. Everything that was found rather
// than asked for (encoding, delimiter, sheet, header row) is in Detected with the reason why, so that a person can
// check it and pin it in Options; doubts that don't stop the reading are Warnings there, each with the rows it is
// about.
//
// Nothing is dropped in silence. Every row below the header is yielded, and a row that is no data (blank, a header
// repeated further down, a footer) comes with Skip set, so that whoever counts can account for it. What can't be read
// for certain is an Error that names the place and what to do, never a guess: a wrong guess here would become wrong
// data in a service that can't be read back.
//
// The seam inside the package is the interface table: the physical rows of one sheet, from its top. Text files and
// workbooks implement it; finding the header, skipping and counting happen above it, the same way for both. A table
// starts from the top each time it is asked for rows, so that the header can be looked for first without holding a
// buffer, and so that a Source may be read more than once.
package source

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"docketsync/mapping/table"
)

// grid is one sheet of a workbook or one text file.
type grid interface {
	// sheet is the sheet's name, "" for a text file.
	sheet() string
	// rows yields every physical row from the top of the sheet, blank and hidden ones included, with Cells, Number, Line
	// and Hidden set, in ascending order of Number; rows that a workbook does not store may be yielded without cells or left
	// out (the numbers then have a gap). Each call starts again from the top; two iterations never run at the same time.
	// Cells may be reused for the next row, the strings in it must stay valid. An error ends the iteration; it is an *Error
	// whenever there is something to say to a person, whose File and Sheet the caller fills in. A cancelled context ends
	// it with the context's error.
	rows(ctx context.Context) iter.Seq2[table.Row, error]
	// describe writes into d what the table found out and its warnings so far; it may be called at any time, the last
	// call coming after the last row.
	describe(d *Detected)
	close() error
}

// Part is one file and sheet that a source consists of; Row.Source is an index among them.
type Part struct {
	File  string
	Sheet string
}

// Source is an opened file. It is not safe for concurrent use.
type Source struct {
	file    string
	options Options
	base    Detected // what opening the file itself told: compression, format
	tables  []grid
	layouts []layout // one per table
	tally   *tally
	closers []func() error
	closed  bool
}

// Open opens the file and finds out what Options leave open; it reads no more than the beginning of each table, and
// of a text file also the whole file once to prove its encoding. The error is an *Error unless the context was
// cancelled.
func Open(ctx context.Context, path string, o Options) (*Source, error) {
	if err := o.validate(); err != nil {
		return nil, at(err, path, "")
	}
	s := &Source{file: path, options: o, tally: newTally(o)}
	err := s.open(ctx)
	if err == nil {
		err = s.findHeaders(ctx)
	}
	if err != nil {
		return nil, errors.Join(at(err, path, ""), s.Close())
	}
	return s, nil
}

func (s *Source) findHeaders(ctx context.Context) error {
	for i, t := range s.tables {
		l, err := lookAt(ctx, t, s.options)
		if err != nil {
			return at(err, s.file, t.sheet())
		}
		s.layouts = append(s.layouts, l)
		if l.rejects {
			s.options = s.options.belowRejects()
		}
		if i > 0 && !sameShape(l.names, s.layouts[0].names) {
			return &Error{What: fmt.Sprintf("the sheet has other columns than the sheet %q", s.tables[0].sheet()), Sheet: t.sheet(),
				Hint: "Sheets are read as one only when their headers agree; give each a job of its own, or name one sheet."}
		}
	}
	return nil
}

// sameShape tells if two headers have the same names in the same order; one may be shorter by blank names.
func sameShape(a, b []string) bool {
	for i := range max(len(a), len(b)) {
		if table.FoldName(nameAt(a, i)) != table.FoldName(nameAt(b, i)) {
			return false
		}
	}
	return true
}

// Header returns the names over the columns of the first part.
func (s *Source) Header() table.Header { return table.Header{Names: s.layouts[0].names} }

// Sources lists the parts in the order they are read.
func (s *Source) Sources() []Part {
	parts := make([]Part, len(s.tables))
	for i, t := range s.tables {
		parts[i] = Part{File: s.file, Sheet: t.sheet()}
	}
	return parts
}

// DateFormats are the number formats in which a part, counted as in Sources, shows its dates, by column from 0, in the words of
// the workbook: of each column that of the first date read so far. There are none in text files and .ods, and none of a column
// whose format is one that every program has.
func (s *Source) DateFormats(part int) map[int]string {
	if t, ok := s.tables[part].(*sheet); ok {
		return t.notes.dates
	}
	return nil
}

// Ended tells whether the file is a text file and the last row that was read ended with a line break.
func (s *Source) Ended() bool {
	t, isText := s.tables[0].(*textTable)
	return isText && !t.unended
}

// Close releases the files. It may be called twice. What was detected can still be asked for.
func (s *Source) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	var errs []error
	for _, t := range s.tables {
		errs = append(errs, t.close())
	}
	for _, c := range s.closers {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}
