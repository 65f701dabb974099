package xlsx

import (
	"context"
	"errors"

	"docketsync/importer/source/archive"
	"docketsync/importer/source/format"
	"docketsync/importer/source/sheet"
	"docketsync/importer/source/sheetxml"
)

// readStrings adds the shared strings of a part; a workbook may have none.
func readStrings(ctx context.Context, parts *archive.Archive, name string, to *sheet.Strings) error {
	if name == "" || !parts.Has(name) {
		return nil
	}
	var text []byte
	err := sheetxml.Read(ctx, parts, name, archive.MaxStrings, func(xml *sheetxml.Scanner) (err error) {
		if string(xml.Name) != "si" {
			return nil
		}
		if text, err = appendRichText(text[:0], xml); err != nil {
			return err
		}
		return to.Add(text)
	})
	if err == nil {
		err = to.Finish()
	}
	if err != nil {
		return format.PartFault(name, errors.Join(err, to.Close()))
	}
	return nil
}
