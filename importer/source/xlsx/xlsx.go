package xlsx

import (
	"context"

	"docketsync/importer/source/archive"
	"docketsync/importer/source/format"
	"docketsync/importer/source/sheet"
)

// book is an opened .xlsx; its sheets share it.
type book struct {
	parts   *archive.Archive
	strings *sheet.Strings
}

// sheetPart is one sheet of a workbook.
type sheetPart struct {
	book *book
	part string
	most uint64 // bytes that it may unpack to
}

// Open opens the workbook in an archive of that many bytes.
func Open(ctx context.Context, parts *archive.Archive, size int, o sheet.Options) (*format.Book, error) {
	b := &book{parts: parts, strings: &sheet.Strings{}}
	cover, err := readCover(parts)
	if err == nil {
		err = readStrings(ctx, parts, cover.strings, b.strings)
	}
	if err != nil {
		return nil, format.WorkbookFault(err)
	}
	opened := &format.Book{Format: "xlsx", DateSystem: cover.styles.Dates.String(), Close: b.strings.Close}
	for i, info := range cover.sheets {
		opened.Sheets = append(opened.Sheets, format.Sheet{Name: info.name, Number: i + 1, Hidden: info.hidden, Cells: info.cells, Open: func() format.Table {
			body := &sheetPart{book: b, part: info.part, most: min(archive.MaxPart, uint64(o.Limits.Unpacked))}
			return &sheet.Table{Options: o, Name: info.name, Hidden: info.hidden, Size: size, Styles: &cover.styles, Body: body}
		}})
	}
	return opened, nil
}

// Is tells if an archive holds such a workbook.
func Is(parts *archive.Archive) bool {
	if parts.Has("word/document.xml") || parts.Has("ppt/presentation.xml") {
		return false
	}
	book, err := bookPart(parts)
	return err == nil && parts.Has(book) || parts.Has("[Content_Types].xml")
}
