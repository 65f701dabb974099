package ods

import (
	"context"

	"docketsync/importer/source/archive"
	"docketsync/importer/source/format"
	"docketsync/importer/source/sheet"
	"docketsync/importer/source/sheetxml"
)

// content is the part that holds all sheets, so reading a later one means skipping those before it.
const content = "content.xml"

// sheetPart is one sheet of an .ods.
type sheetPart struct {
	parts *archive.Archive
	index int
	most  uint64 // bytes that the part may unpack to
}

// Open opens the workbook in an archive of that many bytes.
func Open(ctx context.Context, parts *archive.Archive, size int, o sheet.Options) (*format.Book, error) {
	encrypted, err := isEncrypted(ctx, parts)
	if err != nil {
		return nil, format.WorkbookFault(err)
	}
	if encrypted {
		return nil, &format.Error{What: "the .ods workbook is encrypted, which is not supported", Hint: "Open it in LibreOffice and save it without a password, or as .xlsx."}
	}
	sheets, err := readSheets(ctx, parts)
	if err != nil {
		return nil, format.WorkbookFault(err)
	}
	for i, s := range sheets {
		sheets[i].Open = func() format.Table {
			body := &sheetPart{parts: parts, index: i, most: min(archive.MaxPart, uint64(o.Limits.Unpacked))}
			return &sheet.Table{Options: o, Name: s.Name, Hidden: s.Hidden, Size: size, Body: body}
		}
	}
	return &format.Book{Format: "ods", Sheets: sheets, Close: func() error { return nil }}, nil
}

// Is reports whether an archive holds such a workbook.
func Is(parts *archive.Archive) bool {
	return parts.Has(content) && (parts.Has("mimetype") || parts.Has("META-INF/manifest.xml"))
}

// isEncrypted reports whether the manifest says that parts are encrypted.
func isEncrypted(ctx context.Context, parts *archive.Archive) (bool, error) {
	const manifest = "META-INF/manifest.xml"
	if !parts.Has(manifest) {
		return false, nil
	}
	encrypted := false
	err := sheetxml.Read(ctx, parts, manifest, archive.MaxProperty, func(xml *sheetxml.Scanner) error {
		encrypted = encrypted || string(xml.Name) == "encryption-data"
		return nil
	})
	return encrypted, err
}

// readSheets lists the sheets. A sheet is hidden by the table style that it names; the styles come first in the part.
func readSheets(ctx context.Context, parts *archive.Archive) ([]format.Sheet, error) {
	var sheets []format.Sheet
	described, hides := "", map[string]bool{}
	err := sheetxml.Read(ctx, parts, content, archive.MaxPart, func(xml *sheetxml.Scanner) (err error) {
		switch string(xml.Name) {
		case "style":
			described, err = xml.Attribute("name")
		case "table-properties":
			var display string
			if display, err = xml.Attribute("display"); display == "false" {
				hides[described] = true
			}
		case "table":
			var said map[string]string
			said, err = xml.Decoded("name", "style-name")
			sheets = append(sheets, format.Sheet{Name: said["name"], Number: len(sheets) + 1, Hidden: hides[said["style-name"]], Cells: true})
			if err == nil {
				err = xml.Skip()
			}
		}
		return err
	})
	return sheets, err
}
