package xlsx

import (
	"context"
	"path"
	"strings"

	"docketsync/importer/source/archive"
	"docketsync/importer/source/format"
	"docketsync/importer/source/sheet"
	"docketsync/importer/source/sheetxml"
)

// book is an opened .xlsx; its sheets share it.
type book struct {
	parts   *archive.Archive
	strings *sheet.Strings
	stale   bool // see cover
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
		b.stale = cover.stale
		err = readStrings(ctx, parts, cover.strings, b.strings)
	}
	if err != nil {
		return nil, format.WorkbookFault(err)
	}
	opened := &format.Book{Format: "xlsx", DateSystem: cover.styles.Dates.String(), Close: b.strings.Close}
	for _, info := range cover.sheets {
		info.Open = func() format.Table {
			body := &sheetPart{book: b, part: info.part, most: min(archive.MaxPart, uint64(o.Limits.Unpacked))}
			return &sheet.Table{Options: o, Name: info.Name, Hidden: info.Hidden, Size: size, Styles: &cover.styles, Body: body}
		}
		opened.Sheets = append(opened.Sheets, info.Sheet)
	}
	return opened, nil
}

// tables returns the tables of the sheet whose last row is a total.
func (s *sheetPart) tables() (list []format.Range, err error) {
	related, err := relationships(s.book.parts, s.part, s.most)
	if err != nil {
		return nil, err
	}
	for _, r := range related {
		if r.kind != "table" || !s.book.parts.Has(r.target) {
			continue
		}
		err := sheetxml.Read(context.Background(), s.book.parts, r.target, archive.MaxProperty, func(xml *sheetxml.Scanner) error {
			if string(xml.Name) != "table" {
				return nil
			}
			said, err := xml.Decoded("ref", "totalsRowCount")
			if of, ok := parseRange(said["ref"]); ok && sheetxml.Digits([]byte(said["totalsRowCount"])) > 0 {
				list = append(list, of) // programs allow one such row
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Is reports whether an archive holds such a workbook.
func Is(parts *archive.Archive) bool {
	if parts.Has("word/document.xml") || parts.Has("ppt/presentation.xml") {
		return false
	}
	book, err := bookPart(parts)
	return err == nil && parts.Has(book) || parts.Has("[Content_Types].xml")
}

// relationship is one line of a .rels part.
type relationship struct {
	id, kind, target string // kind is the last word of the type's address, "worksheet"; target is a part name
}

// relationships returns what a part refers to; "" means the package itself. A part may have no relationships; a sheet
// has one for each link in its cells.
func relationships(c *archive.Archive, part string, most uint64) ([]relationship, error) {
	dir, file := path.Split(part)
	name := dir + "_rels/" + file + ".rels"
	if !c.Has(name) {
		return nil, nil
	}
	var all []relationship
	err := sheetxml.Read(context.Background(), c, name, most, func(xml *sheetxml.Scanner) error {
		if string(xml.Name) != "Relationship" {
			return nil
		}
		said, err := xml.Decoded("Id", "Type", "Target", "TargetMode")
		if said["TargetMode"] != "External" {
			all = append(all, relationship{said["Id"], path.Base(said["Type"]), resolveTarget(dir, said["Target"])})
		}
		return err
	})
	return all, err
}

func resolveTarget(dir, target string) string {
	target = strings.ReplaceAll(target, `\`, "/")
	if strings.HasPrefix(target, "/") {
		return archive.Name(path.Clean(target))
	}
	return path.Join(dir, target)
}
