package source

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"docketsync/mapping/table"
)

// sheetReader reads one sheet once, from the top.
type sheetReader struct {
	rowCells
	xml   *xmlScanner
	in    io.ReadCloser
	value []byte
	rich  []byte
}

// openPart starts reading the sheet's part and goes to the first row.
func (s *sheet) openPart(ctx context.Context, cells rowCells) (rowReader, error) {
	in, err := s.book.parts.open(ctx, s.info.part, min(maxPartBytes, uint64(s.limits.Unpacked)))
	if err != nil {
		return nil, err
	}
	r := &sheetReader{rowCells: cells, in: in}
	if r.xml, err = newXMLScanner(in); err == nil {
		err = r.toData()
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *sheetReader) close() { _ = r.in.Close() }

// toData passes over what precedes the rows and takes note of hidden columns. A sheet without rows is left at its end.
func (r *sheetReader) toData() error {
	for {
		token, err := r.xml.next()
		if err != nil || token == xmlEOF {
			return err
		}
		if token != xmlStart {
			continue
		}
		switch string(r.xml.name) {
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
	for attrs := r.xml.attrs; ; {
		name, value, rest, err := nextAttribute(attrs)
		if err != nil {
			return err
		}
		if name == nil {
			break
		}
		switch string(name) {
		case "min":
			first = digitsValue(value)
		case "max":
			last = digitsValue(value)
		case "hidden":
			hidden = hidden || isTrue(value)
		case "width":
			hidden = hidden || isZero(value)
		}
		attrs = rest
	}
	if hidden && first > 0 && last >= first {
		r.sheet.notes.hide(columnRange{first, last})
	}
	return nil
}

// next implements rowReader.
func (r *sheetReader) next(ctx context.Context) (table.Row, error) {
	if err := ctx.Err(); err != nil {
		return table.Row{}, err
	}
	for {
		token, err := r.xml.next()
		if err != nil {
			return table.Row{}, err
		}
		switch {
		case token == xmlStart && string(r.xml.name) == "row":
			return r.row()
		case token == xmlStart:
			if err := r.xml.skip(); err != nil {
				return table.Row{}, err
			}
		case token == xmlEnd || token == xmlEOF:
			return table.Row{}, r.toEnd()
		}
	}
}

// toEnd reads what follows the rows: the count of merged ranges, and the end of the part, which proves its checksum.
func (r *sheetReader) toEnd() error {
	for {
		token, err := r.xml.next()
		if err != nil {
			return err
		}
		if token == xmlEOF {
			return io.EOF
		}
		if token == xmlStart && string(r.xml.name) == "mergeCell" {
			r.sheet.notes.merges++
		}
	}
}

// row reads the row whose start tag was just read.
func (r *sheetReader) row() (table.Row, error) {
	row, err := r.rowTag()
	if err != nil {
		return row, err
	}
	r.begin(row.Number)
	if err := r.readCells(); err != nil {
		return row, placed(err, row.Number)
	}
	return r.finish(row)
}

// rowTag reads the row's number, which is the one after the last where none is stored, and if it is hidden.
func (r *sheetReader) rowTag() (table.Row, error) {
	row := table.Row{Number: r.number + 1}
	for attrs := r.xml.attrs; ; {
		name, value, rest, err := nextAttribute(attrs)
		if err != nil {
			return row, err
		}
		if name == nil {
			return row, r.checkNumber(row.Number)
		}
		switch string(name) {
		case "r":
			row.Number = digitsValue(value)
		case "hidden":
			row.Hidden = row.Hidden || isTrue(value)
		case "ht":
			row.Hidden = row.Hidden || isZero(value)
		}
		attrs = rest
	}
}

func (r *sheetReader) checkNumber(number int) error {
	switch {
	case number == 0 && r.number == 0:
		return &Error{What: "invalid row number in the first row; rows count from 1", Hint: hintRepair}
	case number == 0:
		return &Error{What: fmt.Sprintf("invalid row number in the row after row %d", r.number), Hint: hintRepair}
	case number <= r.number:
		return &Error{What: fmt.Sprintf("the row comes after row %d", r.number), Row: number, Hint: hintRepair}
	case number > maxSheetRows:
		return tooManyRows(number)
	}
	return nil
}

func (r *sheetReader) readCells() error {
	column := 0
	for depth := len(r.xml.openLength); ; {
		token, err := r.xml.next()
		if err != nil {
			return err
		}
		switch {
		case token == xmlEnd && len(r.xml.openLength) < depth:
			return nil
		case token == xmlStart && string(r.xml.name) == "c":
			if column, err = r.readCell(column); err != nil {
				return err
			}
		case token == xmlStart:
			if err := r.xml.skip(); err != nil {
				return err
			}
		}
	}
}

// mostCounted is what digitsValue gives for every larger number; no count or place in a sheet comes near it.
const mostCounted = 1_000_000_000

// digitsValue reads a decimal number, at most as mostCounted; what is none is 0.
func digitsValue(text []byte) int {
	n := 0
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0
		}
		if n >= mostCounted/10 {
			n = mostCounted
		} else {
			n = n*10 + int(c-'0')
		}
	}
	return n
}

// isZero tells of a height or width that leaves nothing to see.
func isZero(text []byte) bool { return len(bytes.Trim(text, "0.")) == 0 && len(text) > 0 }

func isTrue(text []byte) bool {
	return string(text) == "1" || string(text) == "true" || string(text) == "on"
}
