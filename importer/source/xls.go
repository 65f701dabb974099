// How .xls is read
//
// A workbook of Excel 97 to 2003 is a stream of records (BIFF8, [MS-XLS]) in a compound file. Only what says what a cell
// holds is read: sheets, shared texts, number formats, cells, merged ranges; the cells then go the way of those of an
// .xlsx. Formulas are not calculated, nothing is fetched, no other program is started. That is why it is done here: a
// converter such as LibreOffice follows the links in a workbook, and to hold it (no network, an empty environment, limits,
// one process group) takes about as many lines as reading does, different ones on every system, and a program of a
// million lines that has to be trusted and installed.
//
// Memory holds the shared texts as of an .xlsx, the formats, and where the cells of each row begin. Files of Excel 95 and
// before have another form; they are refused.

package source

import (
	"context"
	"errors"
	"io"
	"strings"
)

const (
	biffVersion  = 0x0600
	maxXLSSheets = 4096
	maxXLSStyles = 1 << 16 // cells number their styles with two bytes
)

// What programs other than Excel write as its build. LibreOffice, and libraries that follow it, write 0 as the result of a
// formula that they have not calculated, be it one that gives a text; so does Apache POI. Excel calculates anew when it opens
// such a file, so that nobody sees the 0.
const (
	buildLibreOffice = 0x0dbb
	buildPOI         = 0x10d3
)

const hintSaveAs = "Open the file in a spreadsheet program and save it as .xlsx."

var errManySheets = errors.New("it holds too many sheets")

// openXLS opens the workbook in a compound file.
func openXLS(ctx context.Context, compound *compoundFile, file io.Closer, o Options) ([]grid, error) {
	entry, found := compound.stream("Workbook")
	if !found {
		if _, old := compound.stream("Book"); old {
			return nil, tooOld()
		}
		return nil, &Error{What: "this file of an old Office program holds no workbook", Hint: "If it is a document or a message, save the table in it as .xlsx or .csv."}
	}
	stream, err := compound.reader(entry)
	if err != nil {
		return nil, workbookFault(err)
	}
	return openBIFF(ctx, stream, int64(entry.size), file, o)
}

func tooOld() error {
	return &Error{What: "this is an .xls workbook of Excel 95 or before, which is not read", Hint: hintSaveAs}
}

// openBIFF opens the workbook in a stream, which may also stand in a file without a compound file around it.
func openBIFF(ctx context.Context, stream io.ReaderAt, size int64, file io.Closer, o Options) ([]grid, error) {
	book := &workbook{format: "xls", stream: stream, size: int(size), file: &sharedFile{Closer: file}, strings: &stringTable{}}
	g := xlsGlobals{biffReader: newBIFFReader(stream, 0, size), cover: &cover{}, strings: book.strings, codes: map[int]string{}}
	if err := g.readAll(ctx); err != nil {
		return nil, errors.Join(workbookFault(err), book.strings.close())
	}
	book.cover = g.cover
	return book.open(ctx, o)
}

// xlsGlobals reads what precedes the sheets.
type xlsGlobals struct {
	*biffReader
	cover   *cover
	strings *stringTable
	codes   map[int]string // format codes by their number
	styles  []int          // the format's number of each style
}

func (g *xlsGlobals) readAll(ctx context.Context) error {
	if err := g.read(); err != nil {
		return err
	}
	if g.id != biffBOF || g.word(0) != biffVersion {
		return tooOld()
	}
	g.cover.zeros = g.word(4) != buildLibreOffice && g.word(4) != buildPOI
	for g.id != biffEOF {
		if err := errors.Join(ctx.Err(), g.read()); err != nil {
			return err
		}
		if err := g.record(ctx); err != nil {
			return err
		}
	}
	g.setFormats()
	g.setSheets()
	return g.strings.finish()
}

func (g *xlsGlobals) record(ctx context.Context) error {
	switch g.id {
	case biffPassword:
		return &Error{What: "the workbook is encrypted, and encrypted .xls workbooks are not read", Hint: "Open it in a spreadsheet program and save it as .xlsx, with the same password or without one."}
	case biffDates:
		g.cover.dates = dateSystem(g.word(0) == 1)
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

func (g *xlsGlobals) format() error {
	g.next = 2
	code, err := g.text(2)
	if len(code) > longestFormat*3 {
		return errBIFF
	}
	g.codes[g.word(0)] = code
	return err
}

func (g *xlsGlobals) sheet() error {
	const hidden, worksheet = 3, 0
	if len(g.data) < 8 {
		return errBIFF
	}
	if len(g.cover.sheets) == maxXLSSheets {
		return errManySheets
	}
	info := sheetInfo{part: "Workbook", hidden: g.data[4]&hidden != 0, table: g.data[5] == worksheet, records: &xlsSheet{from: int64(g.long(0))}}
	g.next = 6
	name, err := g.text(1)
	info.name = strings.ReplaceAll(name, "\x00", "")
	g.cover.sheets = append(g.cover.sheets, info)
	return err
}

// sharedStrings does not ask how many there are said to be: they end with the records.
func (g *xlsGlobals) sharedStrings(ctx context.Context) error {
	for g.next = 8; g.more(); {
		text, err := g.text(2)
		if err == nil {
			err = g.strings.add([]byte(text), stringsInMemory)
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

func (g *xlsGlobals) setFormats() {
	compiled := map[int]numberFormat{}
	for _, id := range g.styles {
		f, done := compiled[id]
		if !done {
			f = formatOf(id, g.codes)
			compiled[id] = f
		}
		g.cover.formats = append(g.cover.formats, f)
	}
}

// setSheets lets each sheet end where another begins at the latest, so that no record is of two sheets: many sheets in one
// place would be a bomb.
func (g *xlsGlobals) setSheets() {
	for _, s := range g.cover.sheets {
		s.records.end = g.end
		for _, other := range g.cover.sheets {
			if from := other.records.from; other.records != s.records && from >= s.records.from {
				s.records.end = min(s.records.end, from)
			}
		}
	}
}
