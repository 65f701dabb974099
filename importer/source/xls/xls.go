package xls

import (
	"context"
	"errors"
	"io"
	"strings"

	"docketsync/importer/source/compound"
	"docketsync/importer/source/format"
	"docketsync/importer/source/numfmt"
	"docketsync/importer/source/sheet"
)

const (
	biffVersion  = 0x0600
	maxXLSSheets = 4096
	maxXLSStyles = 1 << 16 // cells number their styles with two bytes
)

// What programs other than Excel write as its build. LibreOffice, and libraries that follow it, write 0 as the result
// of a formula that they have not calculated, even one that returns a text; so does Apache POI. Excel recalculates such
// a file when it opens it, so nobody sees the 0.
const (
	buildLibreOffice = 0x0dbb
	buildPOI         = 0x10d3
)

const errManySheets = format.Harm("it holds too many sheets")

// book is an opened .xls; its sheets share it.
type book struct {
	stream  io.ReaderAt
	strings *sheet.Strings
	styles  numfmt.Styles
	zeros   bool // a formula's result of 0 is a real result
	sheets  []*sheetRecords
}

// OpenCompound opens the workbook in a compound file.
func OpenCompound(ctx context.Context, c *compound.File, o sheet.Options) (*format.Book, error) {
	entry, found := c.Stream("Workbook")
	if !found {
		if _, old := c.Stream("Book"); old {
			return nil, tooOld()
		}
		return nil, &format.Error{What: "this file of an old Office program holds no workbook", Hint: "If it is a document or a message, save the table in it as .xlsx or .csv."}
	}
	stream, err := c.Reader(entry)
	if err != nil {
		return nil, format.WorkbookFault(err)
	}
	return Open(ctx, stream, int64(entry.Size), o)
}

func tooOld() error {
	return &format.Error{What: "this is an .xls workbook of Excel 95 or before, which is not supported", Hint: "Open the file in a spreadsheet program and save it as .xlsx."}
}

// Open opens the workbook in a stream of that many bytes, which may also be a file without a compound file around it.
func Open(ctx context.Context, stream io.ReaderAt, size int64, o sheet.Options) (*format.Book, error) {
	b := &book{stream: stream, strings: &sheet.Strings{}}
	g := globals{biffReader: newBIFFReader(stream, 0, size), book: b, codes: map[int]string{}}
	if err := g.readAll(ctx); err != nil {
		return nil, errors.Join(format.WorkbookFault(err), b.strings.Close())
	}
	opened := &format.Book{Format: "xls", DateSystem: b.styles.Dates.String(), Close: b.strings.Close}
	for _, s := range b.sheets {
		s.Open = func() format.Table {
			return &sheet.Table{Options: o, Name: s.Name, Hidden: s.Hidden, Size: int(size), Styles: &b.styles, Body: s}
		}
		opened.Sheets = append(opened.Sheets, s.Sheet)
	}
	return opened, nil
}

// globals reads what precedes the sheets.
type globals struct {
	*biffReader
	book   *book
	dates  numfmt.DateSystem
	codes  map[int]string // format codes by number
	styles []int          // the format number of each style
}

func (g *globals) readAll(ctx context.Context) error {
	if err := g.read(); err != nil {
		return err
	}
	if g.id != biffBOF || g.word(0) != biffVersion {
		return tooOld()
	}
	g.book.zeros = g.word(4) != buildLibreOffice && g.word(4) != buildPOI
	for g.id != biffEOF {
		if err := errors.Join(ctx.Err(), g.read()); err != nil {
			return err
		}
		if err := g.record(ctx); err != nil {
			return err
		}
	}
	g.book.styles = numfmt.NewStyles(g.styles, g.codes, g.dates)
	g.setSheets()
	return g.book.strings.Finish()
}

func (g *globals) record(ctx context.Context) error {
	switch g.id {
	case biffPassword:
		return &format.Error{What: "the workbook is encrypted, and encrypted .xls workbooks are not supported", Hint: "Open it in a spreadsheet program and save it as .xlsx, with the same password or without one."}
	case biffDates:
		g.dates = numfmt.DateSystem(g.word(0) == 1)
	case biffFormat:
		return g.format()
	case biffXF:
		if len(g.styles) < maxXLSStyles {
			g.styles = append(g.styles, g.word(2))
		}
	case biffSheet:
		return g.sheet()
	case biffStrings:
		return g.sharedStrings(ctx)
	}
	return nil
}

func (g *globals) format() error {
	g.next = 2
	code, err := g.text(2)
	if len(code) > sheet.LongestFormat*3 {
		return errBIFF
	}
	g.codes[g.word(0)] = code
	return err
}

func (g *globals) sheet() error {
	const hidden, worksheet = 3, 0
	if len(g.data) < 8 {
		return errBIFF
	}
	if len(g.book.sheets) == maxXLSSheets {
		return errManySheets
	}
	s := &sheetRecords{book: g.book, from: int64(g.long(0))}
	s.Number, s.Hidden, s.Cells = len(g.book.sheets)+1, g.data[4]&hidden != 0, g.data[5] == worksheet
	g.next = 6
	name, err := g.text(1)
	s.Name = strings.ReplaceAll(name, "\x00", "")
	g.book.sheets = append(g.book.sheets, s)
	return err
}

// sharedStrings ignores the declared number of texts: they end with the records.
func (g *globals) sharedStrings(ctx context.Context) error {
	for g.next = 8; g.more(); {
		text, err := g.text(2)
		if err == nil {
			err = g.book.strings.Add([]byte(text))
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// setSheets ends each sheet at the latest where another begins, so that no record belongs to two sheets: many sheets at
// one position would be a bomb.
func (g *globals) setSheets() {
	for _, s := range g.book.sheets {
		s.end = g.end
		for _, other := range g.book.sheets {
			if other != s && other.from >= s.from {
				s.end = min(s.end, other.from)
			}
		}
	}
}
