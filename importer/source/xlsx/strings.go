package xlsx

import (
	"context"
	"errors"

	"docketsync/importer/source/archive"
	"docketsync/importer/source/format"
	"docketsync/importer/source/sharedstrings"
	"docketsync/importer/source/sheetxml"
)

// openStrings reads the shared strings; nil where the workbook has none.
func openStrings(ctx context.Context, parts *archive.Archive, name string) (*sharedstrings.Table, error) {
	if name == "" || !parts.Has(name) {
		return nil, nil
	}
	xml, in, err := sheetxml.Part(ctx, parts, name, archive.MaxStrings)
	if err != nil {
		return nil, format.PartFault(name, err)
	}
	defer in.Close()
	table, err := readStrings(xml, sharedstrings.InMemory)
	if err != nil {
		return nil, format.PartFault(name, err)
	}
	return table, nil
}

// readStrings reads the shared strings part. The limit is how many bytes may be held in memory.
func readStrings(xml *sheetxml.Scanner, limit int64) (*sharedstrings.Table, error) {
	t := &sharedstrings.Table{}
	var text []byte
	err := xml.Elements(func() (err error) {
		if string(xml.Name) != "si" {
			return nil
		}
		if text, err = appendRichText(text[:0], xml); err != nil {
			return err
		}
		return t.Add(text, limit)
	})
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, t.Finish()
}
