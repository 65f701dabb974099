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
	tabs, err := readTabs(ctx, parts)
	if err != nil {
		return nil, format.WorkbookFault(err)
	}
	opened := &format.Book{Format: "ods", Close: func() error { return nil }}
	for i, t := range tabs {
		opened.Sheets = append(opened.Sheets, format.Sheet{Name: t.name, Number: i + 1, Hidden: t.hidden, Cells: true, Open: func() format.Table {
			body := &sheetPart{parts: parts, index: i, most: min(archive.MaxPart, uint64(o.Limits.Unpacked))}
			return &sheet.Table{Options: o, Name: t.name, Hidden: t.hidden, Size: size, Body: body}
		}})
	}
	return opened, nil
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

// tab is a sheet as the workbook lists it.
type tab struct {
	name   string
	hidden bool
}

// readTabs lists the sheets. A sheet is hidden by the table style that it names; the styles come first in the part.
func readTabs(ctx context.Context, parts *archive.Archive) ([]tab, error) {
	var tabs []tab
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
			tabs = append(tabs, tab{name: said["name"], hidden: hides[said["style-name"]]})
			if err == nil {
				err = xml.Skip()
			}
		}
		return err
	})
	return tabs, err
}
