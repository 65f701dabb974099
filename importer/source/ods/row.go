package ods

import (
	"bytes"
	"context"
	"fmt"
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
	xml     *sheetxml.Scanner
	last    int // the last row read
	columns int // columns whose elements were read
	text    []byte
}

// Read implements sheet.Body. Rows may be in groups and in header row elements. After the last row it reads the part to
// its end, which verifies the checksum.
func (s *sheetPart) Read(ctx context.Context, cells *sheet.Cells, emit func(table.Row, int) error) error {
	r, seen := &sheetReader{Cells: cells}, 0
	err := sheetxml.Read(ctx, s.parts, content, s.most, func(xml *sheetxml.Scanner) error {
		if string(xml.Name) != "table" {
			return nil
		}
		if seen++; seen-1 != s.index {
			return xml.Skip()
		}
		r.xml = xml
		return xml.Children(func() error {
			switch string(xml.Name) {
			case "table-row":
				row, repeat, err := r.row()
				if err != nil {
					return err
				}
				return emit(row, repeat)
			case "table-column":
				return r.column()
			case "table-row-group", "table-header-rows", "table-rows", "table-column-group", "table-header-columns", "table-columns":
				return nil // what they contain comes next
			case "shapes", "forms": // a text box may contain a table
				return xml.Skip()
			}
			return xml.SkipWithout("table-row", "rows")
		})
	})
	if err == nil && seen <= s.index {
		return format.PartFault(content, archive.ErrMissing)
	}
	return err
}

// column records hidden columns. Their elements come before the rows.
func (r *sheetReader) column() error {
	repeat, hidden, err := r.described("number-columns-repeated")
	if hidden {
		r.HideColumns(r.columns+1, r.columns+repeat)
	}
	r.columns += repeat
	return err
}

// row reads one row element, which may stand for several equal rows.
func (r *sheetReader) row() (row table.Row, repeat int, err error) {
	r.Begin(r.last + 1)
	row.Number = r.Number
	if repeat, row.Hidden, err = r.described("number-rows-repeated"); err != nil {
		return row, 0, err
	}
	column := 0
	err = r.xml.Children(func() (err error) {
		switch name := string(r.xml.Name); name {
		case "table-cell", "covered-table-cell":
			column, err = r.readCell(column, name == "covered-table-cell")
		default:
			err = r.xml.SkipWithout("table-cell", "cells")
		}
		return err
	})
	if err != nil {
		return row, 0, format.Placed(err, r.Number)
	}
	r.last += repeat
	return row, repeat, nil
}

// described returns how many rows or columns the element stands for, and whether these are hidden.
func (r *sheetReader) described(attribute string) (repeat int, hidden bool, err error) {
	said, err := r.xml.Decoded(attribute, "visibility")
	if err == nil {
		repeat, err = r.repeats(said, attribute)
	}
	return repeat, said["visibility"] == "collapse" || said["visibility"] == "filter", err
}

func (r *sheetReader) repeats(said map[string]string, attribute string) (int, error) {
	text := said[attribute]
	if text == "" {
		return 1, nil
	}
	n := sheetxml.Digits([]byte(strings.TrimSpace(text)))
	if n < 1 {
		return 0, &format.Error{What: fmt.Sprintf("%s is %.20q", attribute, text), Row: r.last + 1, Hint: format.HintRepair}
	}
	return n, nil
}

// paragraphs appends the text of the cell up to its end, one line per paragraph, without comments and drawings.
func (r *sheetReader) paragraphs(to []byte) ([]byte, error) {
	paragraphs := 0
	inside := 0 // depth of the open paragraph, 0 for none
	for depth := r.xml.Depth(); ; {
		token, err := r.xml.Next()
		switch {
		case err != nil:
			return to, err
		case token == sheetxml.End && r.xml.Depth() < depth:
			return to, nil
		case token == sheetxml.End && r.xml.Depth() < inside:
			inside = 0
		case token == sheetxml.Text && inside > 0:
			to, err = r.collapsed(to)
		case token == sheetxml.Start && (string(r.xml.Name) == "p" || string(r.xml.Name) == "h"):
			if paragraphs++; paragraphs > 1 {
				to = append(to, '\n')
			}
			inside = r.xml.Depth()
		case token == sheetxml.Start:
			to, err = r.inline(to)
		}
		if err == nil && len(to) > sheetxml.MaxToken {
			err = sheetxml.ErrLong
		}
		if err != nil {
			return to, err
		}
	}
}

// inline handles an element inside a cell: those that stand for white space, and those that are not part of the cell's
// text.
func (r *sheetReader) inline(to []byte) ([]byte, error) {
	switch string(r.xml.Name) {
	case "s":
		text, err := r.xml.Attribute("c")
		count := max(sheetxml.Digits([]byte(text)), 1)
		return append(to, bytes.Repeat([]byte(" "), min(count, sheetxml.MaxToken))...), err
	case "tab":
		return append(to, '\t'), nil
	case "line-break":
		return append(to, '\n'), nil
	case "annotation", "frame", "custom-shape", "shape", "table", "ruby-text":
		return to, r.xml.Skip()
	}
	return to, nil
}

// collapsed appends the text of the last token with each run of white space collapsed to one space: OpenDocument writes
// every further significant space as an element.
func (r *sheetReader) collapsed(to []byte) ([]byte, error) {
	begin := len(to)
	to, err := r.xml.AppendText(to)
	if err != nil {
		return to, err
	}
	write, inBlank := begin, false
	for _, c := range to[begin:] {
		if sheetxml.IsBlank(c) {
			if inBlank {
				continue
			}
			c = ' '
		}
		inBlank = c == ' '
		to[write] = c
		write++
	}
	return to[:write], nil
}
