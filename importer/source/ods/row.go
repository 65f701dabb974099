package ods

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"docketsync/importer/source/archive"
	"docketsync/importer/source/format"
	"docketsync/importer/source/sheet"
	"docketsync/importer/source/sheetxml"
	"docketsync/mapping/table"
)

// sheetReader reads one sheet once.
type sheetReader struct {
	*sheet.Cells
	xml       *sheetxml.Scanner
	in        io.Closer
	last      int // the last row that was read
	depth     int // elements that are open when the sheet's table is
	described int // columns whose elements were read
	text      []byte
}

// Part implements sheet.Body.
func (s *sheetPart) Part() string { return content }

// Read implements sheet.Body.
func (s *sheetPart) Read(ctx context.Context, cells *sheet.Cells) (sheet.Reader, error) {
	xml, in, err := sheetxml.Part(ctx, s.parts, content, s.most)
	if err != nil {
		return nil, err
	}
	r := &sheetReader{Cells: cells, xml: xml, in: in}
	if err := r.toSheet(s.index); err != nil {
		r.Close()
		return nil, err
	}
	r.depth = xml.Depth()
	return r, nil
}

// Close implements sheet.Reader.
func (r *sheetReader) Close() { _ = r.in.Close() }

// toSheet goes to the sheet's table element.
func (r *sheetReader) toSheet(index int) error {
	for seen := 0; ; {
		token, err := r.xml.Next()
		if err != nil {
			return err
		}
		if token == sheetxml.EOF {
			return archive.ErrMissing
		}
		if token != sheetxml.Start || string(r.xml.Name) != "table" {
			continue
		}
		if seen == index {
			return nil
		}
		seen++
		if err := r.xml.Skip(); err != nil {
			return err
		}
	}
}

// Next implements sheet.Reader. Rows may be in groups and among header rows; behind the last one the part is read to its end,
// which proves its checksum.
func (r *sheetReader) Next(context.Context) (row table.Row, repeat int, err error) {
	for {
		token, err := r.xml.Next()
		if err != nil {
			return row, 0, err
		}
		switch {
		case token == sheetxml.End && r.xml.Depth() < r.depth:
			return row, 0, cmp.Or(r.xml.Elements(func() error { return nil }), io.EOF)
		case token != sheetxml.Start:
			continue
		}
		switch string(r.xml.Name) {
		case "table-row":
			return r.row()
		case "table-column":
			err = r.column()
		case "table-row-group", "table-header-rows", "table-rows", "table-column-group", "table-header-columns", "table-columns":
		default:
			err = r.xml.Skip()
		}
		if err != nil {
			return row, 0, err
		}
	}
}

// column takes note of columns that are not shown. Their elements stand before the rows.
func (r *sheetReader) column() error {
	repeat, err := r.repeats("number-columns-repeated")
	if err != nil {
		return err
	}
	visibility, err := r.xml.Attribute("visibility")
	if visibility == "collapse" || visibility == "filter" {
		r.HideColumns(r.described+1, r.described+repeat)
	}
	r.described += repeat
	return err
}

// row reads one row element, which stands for several equal rows when it says so.
func (r *sheetReader) row() (row table.Row, repeat int, err error) {
	r.Begin(r.last + 1)
	if repeat, err = r.repeats("number-rows-repeated"); err != nil {
		return row, 0, err
	}
	visibility, err := r.xml.Attribute("visibility")
	if err != nil {
		return row, 0, err
	}
	row = table.Row{Number: r.Number, Hidden: visibility == "collapse" || visibility == "filter"}
	column := 0
	err = r.xml.Children(func() (err error) {
		switch name := string(r.xml.Name); name {
		case "table-cell", "covered-table-cell":
			column, err = r.readCell(column, name == "covered-table-cell")
		default:
			err = r.xml.Skip()
		}
		return err
	})
	if err != nil {
		return row, 0, format.Placed(err, r.Number)
	}
	r.last += repeat
	return row, repeat, nil
}

func (r *sheetReader) repeats(attribute string) (int, error) {
	text, err := r.xml.Attribute(attribute)
	if err != nil || text == "" {
		return 1, err
	}
	n := sheetxml.Digits([]byte(strings.TrimSpace(text)))
	if n < 1 {
		return 0, &format.Error{What: fmt.Sprintf("%s is %.20q", attribute, text), Row: r.last + 1, Hint: format.HintRepair}
	}
	return n, nil
}
