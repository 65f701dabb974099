package source

import (
	"context"
	"errors"
	"io"
	"iter"

	"docketsync/mapping/table"
)

// maxRepeatedRows is how many equal rows with content one row element may stand for; more is a bomb, since nobody
// types a hundred thousand equal rows.
const maxRepeatedRows = 100_000

// odsBook is an opened .ods (OpenDocument 1.3 part 3, 9). All its sheets are in one part, so reading a later one means
// passing over those before it.
type odsBook struct {
	size     int // of the file, in bytes
	parts    *container
	names    []string
	warnings []Warning
	file     *sharedFile
}

// odsSheet is one sheet of an .ods.
type odsSheet struct {
	book   *odsBook
	index  int
	name   string
	hidden bool
	why    string
	limits Limits
	merged string
	first  []mergedRange // the merged ranges that begin in the first rows, as far as they were read
	latest mergedRange   // the one that was read last
	notes  sheetNotes
}

const odsContent = "content.xml"

// openODS opens an OpenDocument spreadsheet.
func openODS(ctx context.Context, parts *container, file io.Closer, size int64, o Options) ([]grid, error) {
	encrypted, err := odsEncrypted(ctx, parts)
	if err != nil {
		return nil, workbookFault(err)
	}
	if encrypted {
		return nil, &Error{What: "the .ods workbook is encrypted, which is not read", Hint: "Open it in LibreOffice and save it without a password, or as .xlsx."}
	}
	book := &odsBook{size: int(size), parts: parts, file: &sharedFile{Closer: file}}
	sheets, err := odsSheets(ctx, parts)
	if err != nil {
		return nil, workbookFault(partFault(odsContent, err))
	}
	var candidates []candidate
	for i, s := range sheets {
		book.names = append(book.names, s.name)
		candidates = append(candidates, candidate{name: s.name, number: i + 1, hidden: s.hidden, table: true, open: func(why string) grid {
			return &odsSheet{book: book, index: i, name: s.name, hidden: s.hidden, why: why, limits: o.Limits, merged: o.Merged}
		}})
	}
	tables, warnings, err := chooseSheets(ctx, candidates, o)
	book.warnings, book.file.users = warnings, len(tables)
	return tables, err
}

// odsEncrypted tells if the manifest says that parts are encrypted.
func odsEncrypted(ctx context.Context, parts *container) (bool, error) {
	const manifest = "META-INF/manifest.xml"
	if !parts.has(manifest) {
		return false, nil
	}
	xml, in, err := parts.scan(ctx, manifest, maxCoverBytes)
	if err != nil {
		return false, partFault(manifest, err)
	}
	defer in.Close()
	for {
		token, err := xml.next()
		if err != nil {
			return false, partFault(manifest, err)
		}
		if token == xmlEOF {
			return false, nil
		}
		if token == xmlStart && string(xml.name) == "encryption-data" {
			return true, nil
		}
	}
}

type odsSheetInfo struct {
	name   string
	hidden bool
}

// odsSheets lists the sheets: a sheet is hidden by the table style that it names.
func odsSheets(ctx context.Context, parts *container) ([]odsSheetInfo, error) {
	xml, in, err := parts.scan(ctx, odsContent, maxPartBytes)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	list := odsSheetList{hiddenStyles: map[string]bool{}}
	for {
		token, err := xml.next()
		if err != nil || token == xmlEOF {
			return list.sheets, err
		}
		if token != xmlStart {
			continue
		}
		if err := list.element(xml); err != nil {
			return nil, err
		}
	}
}

// odsSheetList collects the sheets of a workbook, and before them the styles that hide some.
type odsSheetList struct {
	style        string // the style that is open
	hiddenStyles map[string]bool
	sheets       []odsSheetInfo
}

func (l *odsSheetList) element(xml *xmlScanner) error {
	var err error
	switch string(xml.name) {
	case "style":
		l.style, err = xml.attribute("name")
	case "table-properties":
		var display string
		if display, err = xml.attribute("display"); display == "false" {
			l.hiddenStyles[l.style] = true
		}
	case "table":
		var name, style string
		if name, err = xml.attribute("name"); err == nil {
			style, err = xml.attribute("style-name")
		}
		l.sheets = append(l.sheets, odsSheetInfo{name: name, hidden: l.hiddenStyles[style]})
		if err == nil {
			err = xml.skip()
		}
	}
	return err
}

func (s *odsSheet) sheet() string { return s.name }
func (s *odsSheet) close() error  { return s.book.file.Close() }

func (s *odsSheet) describe(d *Detected) {
	d.Format, d.Sheet, d.SheetWhy, d.Sheets = "ods", s.name, s.why, s.book.names
	s.notes.describe(d, s.name, s.merged, s.hidden)
	d.Warnings = append(d.Warnings, s.book.warnings...)
}

// rows yields the rows up to the last one with content.
func (s *odsSheet) rows(ctx context.Context) iter.Seq2[table.Row, error] {
	return func(yield func(table.Row, error) bool) {
		xml, in, err := s.book.parts.scan(ctx, odsContent, min(maxPartBytes, uint64(s.limits.Unpacked)))
		if err != nil {
			yield(table.Row{}, workbookFault(partFault(odsContent, err)))
			return
		}
		defer in.Close()
		s.notes, s.first = sheetNotes{}, nil
		r := &odsReader{sheet: s, xml: xml, merges: mergeFill{mode: s.merged}, spread: spread{size: s.book.size}}
		if err = r.toSheet(); err == nil {
			err = r.read(ctx, yield)
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(table.Row{}, workbookFault(partFault(odsContent, err)))
		}
	}
}

// unfilled implements mergedTable.
func (s *odsSheet) unfilled() mergedTable {
	plain := *s
	plain.merged = ""
	return &plain
}

// spans implements mergedTable: an .ods says in a cell how far it is merged.
func (s *odsSheet) spans() ([]mergedRange, error) { return s.first, nil }

// across implements mergedTable.
func (s *odsSheet) across(left, right int) (func(row int) bool, error) {
	return func(row int) bool { return s.latest.top == row && s.latest.isAcross(left, right) }, nil
}

// errStopped says that the consumer of the rows wants no more.
var errStopped = errors.New("stopped")
