package xlsx

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"docketsync/importer/source/format"
	"docketsync/importer/source/sheet"
	"docketsync/importer/source/sheetxml"
	"docketsync/mapping/table"
)

// sheetReader reads one sheet once, from the top.
type sheetReader struct {
	*sheet.Cells
	strings *sheet.Strings
	stale   bool // see cover
	first   int  // first and last column of the row that was read
	last    int
	xml     *sheetxml.Scanner
	value   []byte
	formula []byte
	rich    []byte
	partly  bool // a part of the text is struck through
}

// Read implements sheet.Body. Columns come before the rows; after the rows come the merged ranges and the end of the
// part, which verifies the checksum.
func (s *sheetPart) Read(ctx context.Context, cells *sheet.Cells, emit func(table.Row, int) error) error {
	r := &sheetReader{Cells: cells, strings: s.book.strings, stale: s.book.stale}
	begun := false
	tables, err := s.tables()
	if err != nil {
		return err
	}
	return sheetxml.Read(ctx, s.book.parts, s.part, s.most, func(xml *sheetxml.Scanner) error {
		r.xml = xml
		switch name := string(xml.Name); {
		case name == "col" && !begun:
			return r.hiddenColumn()
		case name == "sheetData" && !begun:
			begun = true
			return xml.Children(func() error {
				if string(xml.Name) != "row" {
					return xml.SkipWithout("row", "rows")
				}
				row, err := r.row()
				if err != nil {
					return err
				}
				row.Total = slices.ContainsFunc(tables, func(of format.Range) bool { // not what is beside a table
					return of.Bottom == row.Number && of.Left <= r.first && r.last <= of.Right
				})
				return emit(row, 1)
			})
		}
		return nil
	})
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

// row reads the row whose start tag was just read.
func (r *sheetReader) row() (table.Row, error) {
	row, err := r.rowTag()
	if err != nil {
		return row, err
	}
	r.Begin(row.Number)
	column, first := 0, -1
	err = r.xml.Children(func() (err error) {
		if string(r.xml.Name) != "c" {
			return r.xml.SkipWithout("c", "cells")
		}
		if column, err = r.readCell(column); first < 0 {
			first = column - 1
		}
		return err
	})
	r.first, r.last = first, column-1
	if err != nil {
		return row, format.Placed(err, row.Number)
	}
	return row, nil
}

// rowTag reads the row's number and whether it is hidden. If no number is stored, it is the one after the last row. The
// sheet's zeroHeight hides rows that are not stored.
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

// isZero reports whether a height or width leaves nothing to see.
func isZero(text []byte) bool { return len(bytes.Trim(text, "0.")) == 0 && len(text) > 0 }

func isTrue(text []byte) bool {
	return string(text) == "1" || string(text) == "true" || string(text) == "on"
}
