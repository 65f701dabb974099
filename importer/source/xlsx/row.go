package xlsx

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sheet"
	"docketsync/importer/source/sheetxml"
	"docketsync/mapping/table"
)

// sheetReader reads one sheet once, from the top.
type sheetReader struct {
	*sheet.Cells
	strings *sheet.Strings
	xml     *sheetxml.Scanner
	in      io.Closer
	value   []byte
	rich    []byte
}

// Read implements sheet.Body: it goes to the first row.
func (s *sheetPart) Read(ctx context.Context, cells *sheet.Cells) (sheet.Reader, error) {
	xml, in, err := sheetxml.Part(ctx, s.book.parts, s.part, s.most)
	if err != nil {
		return nil, err
	}
	r := &sheetReader{Cells: cells, strings: s.book.strings, xml: xml, in: in}
	if err := r.toData(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Close implements sheet.Reader.
func (r *sheetReader) Close() { _ = r.in.Close() }

// toData passes over what precedes the rows and takes note of hidden columns. A sheet without rows is left at its end.
func (r *sheetReader) toData() error {
	for {
		token, err := r.xml.Next()
		if err != nil || token == sheetxml.EOF {
			return err
		}
		if token != sheetxml.Start {
			continue
		}
		switch string(r.xml.Name) {
		case "sheetData":
			return nil
		case "col":
			if err := r.hiddenColumn(); err != nil {
				return err
			}
		}
	}
}

func (r *sheetReader) hiddenColumn() error {
	var first, last int
	hidden := false
	err := r.xml.Attributes(func(name, value []byte) error {
		switch string(name) {
		case "min":
			first = sheetxml.Digits(value)
		case "max":
			last = sheetxml.Digits(value)
		case "hidden":
			hidden = hidden || isTrue(value)
		case "width":
			hidden = hidden || isZero(value)
		}
		return nil
	})
	if hidden && first > 0 && last >= first {
		r.HideColumns(first, last)
	}
	return err
}

// Next implements sheet.Reader.
func (r *sheetReader) Next(context.Context) (row table.Row, repeat int, err error) {
	for {
		token, err := r.xml.Next()
		if err != nil {
			return row, 0, err
		}
		switch {
		case token == sheetxml.Start && string(r.xml.Name) == "row":
			row, err = r.row()
			return row, 1, err
		case token == sheetxml.Start:
			if err := r.xml.Skip(); err != nil {
				return row, 0, err
			}
		case token == sheetxml.End || token == sheetxml.EOF:
			// What follows is the merged ranges, and the end of the part, which proves its checksum.
			err := r.xml.Elements(func() error {
				if string(r.xml.Name) == "mergeCell" {
					r.CountMerges(1)
				}
				return nil
			})
			return row, 0, cmp.Or(err, io.EOF)
		}
	}
}

// row reads the row whose start tag was just read.
func (r *sheetReader) row() (table.Row, error) {
	row, err := r.rowTag()
	if err != nil {
		return row, err
	}
	r.Begin(row.Number)
	column := 0
	err = r.xml.Children(func() (err error) {
		if string(r.xml.Name) != "c" {
			return r.xml.Skip()
		}
		column, err = r.readCell(column)
		return err
	})
	if err != nil {
		return row, format.Placed(err, row.Number)
	}
	return row, nil
}

// rowTag reads the row's number, which is the one after the last where none is stored, and if it is hidden.
func (r *sheetReader) rowTag() (table.Row, error) {
	row := table.Row{Number: r.Number + 1}
	err := r.xml.Attributes(func(name, value []byte) error {
		switch string(name) {
		case "r":
			row.Number = sheetxml.Digits(value)
		case "hidden":
			row.Hidden = row.Hidden || isTrue(value)
		case "ht":
			row.Hidden = row.Hidden || isZero(value)
		}
		return nil
	})
	return row, cmp.Or(err, r.checkNumber(row.Number))
}

func (r *sheetReader) checkNumber(number int) error {
	switch {
	case number == 0 && r.Number == 0:
		return &format.Error{What: "invalid row number in the first row; rows count from 1", Hint: format.HintRepair}
	case number == 0:
		return &format.Error{What: fmt.Sprintf("invalid row number in the row after row %d", r.Number), Hint: format.HintRepair}
	case number <= r.Number:
		return &format.Error{What: fmt.Sprintf("the row comes after row %d", r.Number), Row: number, Hint: format.HintRepair}
	case number > format.SheetRows:
		return sheet.TooManyRows(number)
	}
	return nil
}

// isZero tells of a height or width that leaves nothing to see.
func isZero(text []byte) bool { return len(bytes.Trim(text, "0.")) == 0 && len(text) > 0 }

func isTrue(text []byte) bool {
	return string(text) == "1" || string(text) == "true" || string(text) == "on"
}
